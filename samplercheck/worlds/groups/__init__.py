"""Real process groups: ranks kept warm, the cases carried to them, and how their deadlocks are known."""
