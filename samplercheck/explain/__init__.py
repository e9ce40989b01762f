"""Explain: where a law fails, and why; both only as far as they have been tested.

Called by the engine once the search is done, for broken laws alone. ``atoms``, ``region`` and
``rivals`` are pure; what has to be run again is run by the engine, through a function that it hands in.
"""
