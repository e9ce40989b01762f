"""Explain: where a law fails, and why; both only as far as they have been tested.

Called by the engine once the search is done, for broken laws alone. ``atoms``, ``region``
and ``larger`` are pure; what has to be run again, the engine runs, through a function that it hands in.
"""
