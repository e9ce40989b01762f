"""Processes of the kit: how they are started, what they note for those who outlive them, how they end.

Used by supervision and by the worlds of real process groups. Importing this package imports nothing heavy.
"""
