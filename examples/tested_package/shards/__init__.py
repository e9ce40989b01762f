"""A small package with samplers of its own; its tests show the three ways to judge them."""
