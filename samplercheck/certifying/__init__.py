"""Certifying: what makes a certificate, and what it takes for one to be believed."""
