"""Lines on a mistake: its head, its name in one line, and rows that say a thing in as many lines as fit.

Used by the blocks of the first screen and by what has none, from the plain data of a report. Pure, ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from samplercheck.reports.brevity import SHORTENED, drop_sentences
from samplercheck.reports.naming import COLUMN
from samplercheck.reports.standing import Plain, consequence_of, fault_of
from samplercheck.values.layout import cut, printable, row, sentence
from samplercheck.values.wording import join_words

INDENT, MOST_HARM = 8, 18
THAT_CONTRACT = "with that contract"


def labelled(label: str, text: str, width: int, most: int | None = None) -> list[str]:
    """Return a row of a block."""
    return row(label, text, column=COLUMN, width=width, most=most)


def fitting(label: str, text: str, width: int, most: int) -> list[str]:
    """Return a row in so many lines at most, in fewer words where these say all in them."""
    shorten = SHORTENED.get(label, drop_sentences)
    words = next((one for one in (text, *shorten(text)) if len(labelled(label, one, width)) <= most), text)
    return labelled(label, words, width, most)


def line_of(one: Plain, rest: Sequence[Plain], width: int) -> list[str]:
    """Return what is wrong in one line, with the laws and what it does to training; in two if it is long."""
    harm = cut(printable(consequence_of(one)), MOST_HARM)
    codes = [one["code"], *(other["code"] for other in rest)]
    laws = [", ".join(codes), f"{codes[0]} and {len(codes) - 1} more"][: len(codes)]
    faults = [printable(f"BROKEN  {sentence(fault_of(one)).rstrip('.')} ({some})") for some in laws]
    fault = next((some for some in faults if len(some) + len(harm) + 2 <= width), "")
    return [f"{fault:<{width - len(harm)}}{harm}"] if fault else head_of(one, "", width, rest=rest)


def head_of(
    one: Plain,
    terms: str,
    width: int,
    standing: str = "",
    said: tuple[str, str] = ("", ""),
    rest: Sequence[Plain] = (),
) -> list[str]:
    """Return what is wrong and what it does to training, with the law that it breaks in the second line.

    ``terms`` are the contract under which that law holds; of others ``standing`` says more, and ``said``
    what is wrong and what it does where the result says otherwise. Of the ``rest`` of a mistake
    without a block, its laws.
    """
    harm = cut(printable(said[1] or consequence_of(one)), MOST_HARM)
    fault = cut(f"BROKEN  {sentence(said[0] or fault_of(one)).rstrip('.')}", width - MOST_HARM - 2)
    standing = f"holds with --contract {terms}" if terms else standing
    also = f" (also {join_words([other['code'] for other in rest])})" if rest else ""
    law = printable(", ".join(filter(None, (f"{one['code']} {one['name']}{also}", standing))))
    return [f"{fault:<{width - len(harm)}}{harm}", _under(law, width)]


def say_terms(text: str, terms: str, width: int) -> str:
    """Return a line below names of mistakes, with the contract that they are none under."""
    return _under(f"{text} with --contract {printable(terms)}", width)


def _under(text: str, width: int) -> str:
    """Return an indented line; a contract that is too long for it stands above."""
    if len(text) > width - INDENT:
        text = cut(re.sub(r"with --contract .+", THAT_CONTRACT, text, flags=re.DOTALL), width - INDENT)
    return f"{'':<{INDENT}}{text}"
