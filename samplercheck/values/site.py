"""Site: the address of the pages of laws, which messages and files link.

``[project.urls] Documentation`` in pyproject.toml says it, and travels with the installed package; a variable
of the environment overrules it, for a mirror or for none. Used where reports are made.
Standard library alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import metadata

from samplercheck.values.errors import UsageError

VARIABLE = "SAMPLERCHECK_DOCUMENTATION"
PATTERN = r"^(https?://[A-Za-z0-9._~:/@%+=,-]+/)?$(?!\n)"
"""An address that can stand in text, Markdown and HTML as it is; empty where there is none."""
LONGEST = 200
OWN = re.compile(r"SC\d{3,4}")
"""Codes of the kit: laws of users have no page."""


def find_site(variables: Mapping[str, str]) -> str:
    """Return the site's address with its slash, empty if unknown or if ``variables`` say so."""
    if VARIABLE not in variables:
        return _end(_published())
    address = _end(variables[VARIABLE].strip())
    if not re.search(PATTERN, address) or len(address) > LONGEST:
        raise UsageError(
            f"{VARIABLE} is {variables[VARIABLE]!r}, and messages cannot link that: an address begins with "
            f"https:// or http:// and has at most {LONGEST} letters, digits and ._~:/@%+=,- in it. Write "
            f"{VARIABLE}=https://docs.example.org/samplercheck/, or leave it empty for no links."
        )
    return address


def page_of(site: str, code: str) -> str:
    """Return the address of a law's page; nothing where no site is known, and for users' own laws."""
    return f"{site}laws/{code}.html" if site and OWN.fullmatch(code) else ""


def _end(address: str) -> str:
    return f"{address.rstrip('/')}/" if address else ""


def _published() -> str:
    """Return the address that the installed package names; from a bare checkout nothing."""
    try:
        named: Iterable[str] = metadata.metadata("samplercheck").get_all("Project-URL") or ()
    except metadata.PackageNotFoundError:
        return ""
    found = (one.split(", ", 1) for one in named if ", " in one)
    return next((address for label, address in found if label == "Documentation"), "")
