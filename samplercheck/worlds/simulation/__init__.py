"""What the simulated world is made of: its groups, their collectives, and the lockstep of its ranks."""
