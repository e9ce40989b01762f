"""In training: ledgers of what a job was really trained on, and the audit of what is in them."""
