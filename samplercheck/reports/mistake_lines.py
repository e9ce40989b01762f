"""Lines on a mistake: its head, its name in one line, and rows that say a thing in as many lines as fit.

Used by the blocks of the first screen; the mistakes without one are here, each in a line or two. From the
plain data of a report. Pure, ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from samplercheck.reports.brevity import SHORTENED, drop_sentences
from samplercheck.reports.mistakes import Mistake, name_terms
from samplercheck.reports.naming import COLUMN
from samplercheck.reports.occurrence import describe_when
from samplercheck.reports.proposed import describe_proposal, name_fault, name_harm
from samplercheck.reports.standing import Plain, consequence_of, fault_of, proposal_of
from samplercheck.reports.whens import say_when_in_short
from samplercheck.values.layout import cut, printable, row, sentence, wrap
from samplercheck.values.wording import join_words

INDENT, MOST_HARM = 8, 18
THAT_CONTRACT = "with that contract"
HOW_TO_SEE = "Add --select {} for that one alone, --verbose for all in full."


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


def list_others(
    report: Plain,
    others: tuple[Sequence[Plain], Sequence[Mistake]],
    above: str,
    width: int,
    *,
    in_lines: bool,
    whens: int,
) -> list[str]:
    """Return the mistakes that have no block, and the contract that some of them are none under.

    ``others`` are laws that are broken under that contract alone, and mistakes. ``in_lines`` one line names
    each, of so many another one says when: ``whens``.
    """
    hidden, left = others
    lines = [line for one in hidden for line in head_of_hidden(report, one, width)]
    terms = {one.lead["code"]: name_terms(report, one) for one in left}
    excused = [one for one in left if terms[one.lead["code"]]]
    are_together = in_lines and len(excused) > 1
    for one in sorted(left, key=lambda one: are_together and one in excused):
        in_line = in_lines and (are_together or one not in excused)
        named = line_of(one.lead, one.rest, width) if in_line else None
        lines += named or head_of(one.lead, terms[one.lead["code"]], width, rest=one.rest)
        when = _say_when(one, width) if whens and one not in excused else []
        lines, whens = [*lines, *when], whens - len(when)
    if are_together:
        lines.append(say_terms(f"These {len(excused)} hold", report["proposal"]["words"], width))
    bare = [one for one in report["results"] if one["outcome"] == "broken" and not one["failure"]]
    lines += [line for one in bare for line in head_of(one, "", width)]
    return [*lines, *_name_that_contract(report, lines, above, width)]


def say_how_to_see(code: str, width: int) -> list[str]:
    """Return how to see more of a mistake of this law, and of all."""
    return wrap(HOW_TO_SEE.format(code), indent=INDENT, width=width)


def head_of_hidden(report: Plain, one: Plain, width: int) -> list[str]:
    """Return what is wrong and what it does of a law that is broken under the proposed contract alone."""
    standing = f"broken with --contract {printable(proposal_of(report)['words'])}"
    return head_of(one, "", width, standing, (name_fault(report, one), name_harm(report, one)))


def _say_when(one: Mistake, width: int) -> list[str]:
    """Return when a mistake shows, in the line below it; nothing where no words of it have room there."""
    text = describe_when(one.lead)
    fitting = (words for words in (text, *say_when_in_short(text)) if 0 < len(words) <= width - INDENT)
    return [f"{'':<{INDENT}}{words}" for words in fitting][:1]


def _name_that_contract(report: Plain, named: Sequence[str], above: str, width: int) -> list[str]:
    """Return the proposed contract where lines speak of it and the head had no room for it."""
    if not any(line.endswith(THAT_CONTRACT) for line in named):
        return []
    is_said = report["proposal"]["words"] in above.replace(" ", "")
    text = "" if is_said else describe_proposal(report, is_brief=True)
    return row("if meant", text, indent=0, column=COLUMN, width=width)
