"""SVG by hand: elements whose every text and attribute is escaped, and the looks that all pictures share.

Used by the pictures and by the heat map of the page. A picture is safe to stand inside of HTML: no
script, no style sheet, no id, nothing from elsewhere. Its colours are attributes that the style sheet
around it may overrule by class (``sc-...``); lines and labels take the colour of the text around it.
Standard library alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
FONT_SIZE = 13
LETTER = 7.9
"""How wide a letter of the font is at its size; a little too wide rather than too narrow."""

CELL_TEXT = "#1b1b1b"
"""Text on the pale fills of cells, which are the same in light and in dark."""
WRONG = "#d6303b"
FAINT = "0.55"

# What XML 1.0 cannot carry even escaped, and what turns the direction of the text around it.
_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def escape(words: object) -> str:
    """Return the words as they may stand in XML and HTML, between tags and in attributes."""
    legal = _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", str(words))
    return "".join(_ESCAPES.get(char, char) for char in legal)


def element(tag: str, *children: str, **attributes: object) -> str:
    """Return an element; ``children`` are elements, or text that is escaped already.

    Attributes are escaped here: ``font_size=9`` is font-size, ``class_`` is class; None leaves one out.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{''.join(children)}</{tag}>" if children else f"<{tag}{written}/>"


def text(x: float, y: float, words: object, **attributes: object) -> str:
    """Return words whose baseline begins, or with ``text_anchor`` ends or has its middle, at a point."""
    return element("text", escape(words), x=x, y=y, **{"fill": "currentColor", **attributes})


def rect(x: float, y: float, width: float, height: float, *children: str, **attributes: object) -> str:
    """Return a rectangle; a child that is a title is shown where the mouse rests."""
    return element("rect", *children, x=x, y=y, width=width, height=height, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: object) -> str:
    """Return a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **{"stroke": "currentColor", **attributes})


def picture(
    width: float, height: float, *, title: str, description: str, children: Iterable[str], name: str = ""
) -> str:
    """Return a whole picture of the class ``name``, with the words for readers who cannot see it."""
    return element(
        "svg",
        element("title", escape(title)),
        element("desc", escape(description)),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        class_=f"sc-picture {name}".strip(),
        viewBox=f"0 0 {_short(width)} {_short(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=f"{title}. {description}",
        font_family=FONT,
        font_size=FONT_SIZE,
        style="max-width:100%;height:auto",
    )


def width_of(words: str, size: float = FONT_SIZE) -> float:
    """Return how wide words are, in the font of pictures."""
    return len(words) * LETTER * size / FONT_SIZE


def _short(value: object) -> object:
    """Return a number with at most two decimals: the same picture on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
