"""Others: the mistakes without a block on the first screen, each in a line or two.

Made for ``brief``, from the plain data of a report. Pure, ASCII.
"""

from __future__ import annotations

from collections.abc import Sequence

from samplercheck.reports.mistake_lines import INDENT, THAT_CONTRACT, head_of, line_of, say_terms
from samplercheck.reports.mistakes import Mistake, name_terms
from samplercheck.reports.naming import COLUMN
from samplercheck.reports.occurrence import describe_when
from samplercheck.reports.proposed import describe_proposal, name_fault, name_harm
from samplercheck.reports.standing import Plain, proposal_of
from samplercheck.reports.whens import say_when_in_short
from samplercheck.values.layout import printable, row, wrap

HOW_TO_SEE = "Add --select {} for that one alone, --verbose for all in full."


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
