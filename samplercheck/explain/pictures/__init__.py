"""Text pictures, drawn from what a scene holds of a trace."""
