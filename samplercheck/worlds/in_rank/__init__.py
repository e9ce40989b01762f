"""What runs beside the target in a rank, simulated or real: guard, generators, surroundings."""
