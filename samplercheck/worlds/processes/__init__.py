"""Rank processes: where they come from, how they are kept on a leash, and how a case is carried to them.

Used by the worlds of real process groups. Importing this package imports nothing heavy.
"""
