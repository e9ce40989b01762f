"""The templates and how they are filled in: everything is escaped, and shown rather than obeyed.

Called by the page and by ``samplercheck show --html``.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from samplercheck.values.wording import capitalise

LONGEST = 1_200
TEMPLATES = Path(__file__).parent / "templates"
# Controls, lone surrogates and what turns the direction of the text around it.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    made = Environment(
        autoescape=True,
        finalize=visible,
        keep_trailing_newline=False,
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters |= {"prose": _prose, "breakable": _breakable}
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    made.globals |= {
        "script": Markup(script),  # noqa: S704  (a file of the kit's own)
        "script_digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "style": Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),  # noqa: S704  (the same)
    }
    return made


def _prose(text: str) -> Markup:
    """Return a sentence: a capital first, a full stop last, what stands between backticks as code."""
    prose = capitalise(str(visible(" ".join(text.split()))))
    prose += "" if not prose or prose[-1] in ".!?:" else "."
    parts = prose.split("`")
    if not len(parts) % 2:
        return escape(prose)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )


def _breakable(text: str) -> Markup:
    """Return text whose lines may end behind commas, as those of contracts do where the page is narrow."""
    return escape(visible(text)).replace(",", Markup(",<wbr>"))


def visible(value: object) -> object:
    """Return text in which nothing hides: what has no picture of its own is written as an escape."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), value)


def shorten(text: object, most: int = LONGEST) -> str:
    """Return a text of at most ``most`` letters, its middle left out, and say so."""
    whole = str(text)
    if len(whole) <= most:
        return whole
    half = (most - 40) // 2
    return f"{whole[:half]} [... {len(whole) - 2 * half:,} letters left out ...] {whole[len(whole) - half :]}"
