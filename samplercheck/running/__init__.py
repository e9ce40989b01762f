"""Runs of one target: here or in a supervised child, again, under other contracts, as configured."""
