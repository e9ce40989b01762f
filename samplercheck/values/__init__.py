"""Values: frozen data that every other room may import; numpy in traces, msgspec in the forms of files."""
