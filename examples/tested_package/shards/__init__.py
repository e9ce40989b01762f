"""A small package with samplers of its own, as projects have it; its tests show the three ways to judge them."""
