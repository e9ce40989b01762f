"""Search: which cases are tried: stored ones, the small scope, large ones drawn by Hypothesis."""
