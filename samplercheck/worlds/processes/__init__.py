"""Processes of the kit: how they are started, what they note for those who outlive them, how they end."""
