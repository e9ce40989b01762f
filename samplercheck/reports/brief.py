"""The first screen of a run: the verdict, a short block for each mistake, what was tried and what was not.

Called by the command line and ``Report``, with the plain data of a report. For a target with one mistake it
has at most 40 lines of 80 columns; everything is in the blocks that ``terminal.full`` shows. Pure, ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from samplercheck.reports.foot import list_foot
from samplercheck.reports.headline import verdict_lines
from samplercheck.reports.mistakes import (
    MOST_NAMED,
    Mistake,
    is_harmless,
    is_settled,
    list_harms,
    name_terms,
)
from samplercheck.reports.occurrence import describe_region
from samplercheck.reports.proposed import describe_proposal, list_hidden, name_fault
from samplercheck.reports.standing import Plain, consequence_of, detail_of, fault_of, shown_case
from samplercheck.reports.verdict import COLUMN, USUALLY, name_more, name_remedy, verdict_of
from samplercheck.values.layout import (
    after_colon,
    case_text,
    cut,
    frame,
    hint_label,
    printable,
    row,
    sentence,
    shorten_line,
)
from samplercheck.values.site import page_of

SCREEN = 40
LEAST_BLOCK = 15
MOST_BLOCK = 28
MOST_BLOCKS = 3
MOST_PICTURE = 8
MOST_TRACEBACK = 4
NARROWEST, NARROW, WIDEST = 72, 80, 120
DRAWN = "coverage=sampled"
INDENT = 8
LENGTHY = 2
MOST_HARM = 18
THAT_CONTRACT = "with that contract"
FRAME = re.compile(r"^Traceback|:\d+ in ", re.MULTILINE)


def brief(report: Plain, *, width: int = NARROW) -> str:
    """Return the first screen of one report, for a terminal of this many columns."""
    text_width = width - 2
    verdict = verdict_of(report)
    mistakes, head = [*verdict.found], verdict_lines(verdict.above_blocks, width=text_width)
    foot = list_foot(report, text_width, verdict)
    room = SCREEN - len(head) - len(foot) - 2
    most = max(LEAST_BLOCK, room) if len(mistakes) == 1 else MOST_BLOCK
    hidden = list_hidden(report)[:MOST_BLOCKS]
    first, retold = () if verdict.comes_first else mistakes[:1], {one["code"] for one in hidden}
    mistakes = [one for one in mistakes if one in first or one.lead["code"] not in retold]
    told = _choose(report, mistakes)
    terms = [name_terms(report, one) for one in told]
    attempts = (verdict.attempt, *("" for _ in told))
    site = report.get("documentation", "")
    pages = [page_of(site, one.lead["code"]) for one in told]
    each = zip(told, terms, attempts, pages, strict=False)
    above = " ".join(" ".join(head).split())
    blocks = [_block(*one, text_width, most, above) for one in each]
    at = 0 if verdict.comes_first else 1
    blocks[at:at] = [_tell_hidden(report, one, text_width) for one in hidden]
    left = [one for one in mistakes if one not in told]
    named = [line for one in left for line in _head(one.lead, name_terms(report, one), text_width)]
    bare = [one for one in report["results"] if one["outcome"] == "broken" and not one["failure"]]
    named += [line for one in bare for line in _head(one, "", text_width)]
    named += _name_that_contract(report, named, above, text_width)
    parts = [head, *blocks, *([named] if named else []), foot]
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts)


def fit_width(columns: int) -> int:
    """Return how wide text on a terminal of this many columns is to be, as far as it is easy to read."""
    return min(WIDEST, max(NARROWEST, columns))


def index_line(report: Plain, *, width: int = NARROW) -> str:
    """Return the line of one target among several: the verdict and what happens in training."""
    verdict = verdict_of(report)
    words = ", ".join(list_harms(verdict.found)) or verdict.claim.partition(". ")[0].rstrip(".")
    target = cut(verdict.target.partition(" in ")[0], (width - COLUMN) // 2)
    return row(verdict.word, f"{target}  {words}", indent=0, column=COLUMN, width=width, most=1)[0].rstrip()


def _choose(report: Plain, mistakes: Sequence[Mistake]) -> list[Mistake]:
    """Return the mistakes that get a block: the first, and those that no proposed contract settles.

    Where that is one alone, also the first that loses or repeats data, or lets ranks wait, if not meant.
    """
    told = [one for one in mistakes if one is mistakes[0] or not is_settled(report, one)][:MOST_BLOCKS]
    if not told:
        return []
    doubted = [one for one in mistakes if one not in told and not is_harmless(report, one)]
    return told if len(told) > 1 or is_settled(report, told[0]) else [*told, *doubted[:1]]


def _block(
    mistake: Mistake, terms: str, attempt: str, page: str, width: int, most: int, above: str
) -> list[str]:
    """Return the block in the most lines that fit: what is said ``above`` goes first, then other words."""
    one = mistake.lead
    lines: list[str] = []
    for lengthy, drawn, said in (
        (3, MOST_PICTURE, ""),
        (3, MOST_PICTURE, above),
        (2, MOST_PICTURE, above),
        (2, 6, above),
        (1, 6, above),
        (1, 5, above),
        (1, 0, above),
    ):
        picture = _picture(one["failure"], drawn, width)
        lines = [
            *_head(one, terms, width),
            *_row("found", sentence(one["failure"]["message"]), width, lengthy),
            *(["", *picture, ""] if picture else []),
            *_explain(mistake, width, lengthy, said, terms),
            *_row("", page if len(page) <= width - COLUMN else "", width),
            *_row("try", attempt, width),
        ]
        if len(lines) <= most:
            break
    return lines


def _tell_hidden(report: Plain, one: Plain, width: int) -> list[str]:
    """Return what was seen of a law that is broken under the proposed contract alone, and where to look."""
    proposal, code = report["proposal"], one["code"]
    standing = f"broken with --contract {printable(proposal['words'])}"
    return [
        *_head(one, "", width, standing, name_fault(report, one)),
        *_row("found", sentence(proposal["found"].get(code, "")), width, LENGTHY),
        *_row(hint_label(""), sentence(proposal.get("hints", {}).get(code, "")), width, LENGTHY),
        *_row("more", name_more(one), width),
    ]


def _name_that_contract(report: Plain, named: Sequence[str], above: str, width: int) -> list[str]:
    """Return the proposed contract where lines speak of it and the head had no room for it."""
    if not any(line.endswith(THAT_CONTRACT) for line in named):
        return []
    is_said = report["proposal"]["words"] in above.replace(" ", "")
    text = "" if is_said else describe_proposal(report, is_brief=True)
    return row("if meant", text, indent=0, column=COLUMN, width=width)


def _row(label: str, text: str, width: int, most: int | None = None) -> list[str]:
    return row(label, text, column=COLUMN, width=width, most=most)


def _head(one: Plain, terms: str, width: int, standing: str = "", fault: str = "") -> list[str]:
    """Return what is wrong and what it does to training, with the law that it breaks in the second line.

    ``terms`` are the contract under which that law holds; of others ``standing`` says more, and ``fault``
    what is wrong where the result does not say it.
    """
    harm = cut(printable(consequence_of(one)), MOST_HARM)
    fault = cut(f"BROKEN  {sentence(fault or fault_of(one)).rstrip('.')}", width - MOST_HARM - 2)
    standing = f"holds with --contract {terms}" if terms else standing
    law = printable(", ".join(filter(None, (f"{one['code']} {one['name']}", standing))))
    if len(law) > width - INDENT:  # the contract stands above
        law = cut(re.sub(r"with --contract .+", THAT_CONTRACT, law, flags=re.DOTALL), width - INDENT)
    return [f"{fault:<{width - len(harm)}}{harm}", f"{'':<{INDENT}}{law}"]


def _explain(mistake: Mistake, width: int, lengthy: int, said: str, terms: str) -> Iterator[str]:
    """Yield the rows below the picture; none says what usually helps where a contract is proposed.

    What is ``said`` already is left out, but for the case and when it fails.
    """
    one = mistake.lead
    failure, why = one["failure"], mistake.explained
    again = [printable(line) for line in failure.get("again", ())]
    shown, smallest = case_text(shown_case(failure)), case_text(failure["case"])
    yield from _row("case", shown if shown != smallest else f"{smallest} ({failure['id']})", width, 2)
    if shown != smallest and not again:
        yield from _row("smallest", f"{smallest} ({failure['id']})", width, 2)
    yield from _row("when", describe_region(one), width, lengthy)
    line = "" if FRAME.search(detail_of(failure)) else shorten_line(failure.get("line", ""))
    place = line.partition(" ")[0].rstrip(":;")
    is_said = f"{place}: " in said or f"{place} (" in said
    yield from _row("where", "" if is_said else line, width, max(lengthy, 2))
    yield from _row("cause", after_colon(why["cause"]) if why["cause"] else "", width, lengthy)
    tested = f"tested: {why['evidence']}" if why["evidence"] else ""
    yield from _row("", printable(tested), width, max(1, lengthy - 1))
    label, hint = name_remedy(why)
    if why["cause"] or not (DRAWN in terms or (terms and label == USUALLY)):
        yield from _row(label, "" if said and hint in said else hint, width, lengthy)
    yield from _list_rest(mistake, width, MOST_NAMED if lengthy > LENGTHY else 1)
    yield from (f"  {'' if number else 'again':<{COLUMN - 2}}{line}" for number, line in enumerate(again))
    more = name_more(one)
    yield from _row("more", more if more not in again else "", width)


def _list_rest(mistake: Mistake, width: int, most: int) -> Iterator[str]:
    """Say what else is wrong for the same cause or because of another law, each with its law.

    Up to ``most`` have their case, too; those of all others are in the full report.
    """
    failure = mistake.lead["failure"]
    others = failure["failing"] - failure.get("alike", 0)
    also = f"in {others:,} other small cases {failure['other']}" if failure.get("other") else ""
    yield from _row("also", printable(also), width)
    codes = {mistake.lead["code"], *(one["code"] for one in mistake.rest)}
    named: dict[str, list[Plain]] = {"for the same cause": []}
    for one in mistake.rest:
        after = one["failure"].get("follows")
        named.setdefault(f"follows from {after}" if after in codes else "for the same cause", []).append(one)
    for words, laws in named.items():
        has_cases = len(laws) <= most
        cases = [f", case {one['failure']['id']}" if has_cases else "" for one in laws]
        texts = [f"{fault_of(one)} ({one['code']}{case})" for one, case in zip(laws, cases, strict=True)]
        yield from _row("also", printable(f"{'; '.join(texts)}: {words}") if laws else "", width)


def _picture(failure: Plain, most: int, width: int) -> list[str]:
    """Return the picture, of a long one the lines that are marked, or else the end of a traceback."""
    if not most:
        return []
    seen = detail_of(failure)
    detail = [line for line in seen.splitlines() if line.strip()][-min(most, MOST_TRACEBACK) :]
    if detail and (FRAME.search(seen) or not failure["grid"]):
        return [f"    {frame(line, width - 4)}" for line in detail]
    lines = [printable(line) for line in failure["grid"]]
    return [f"    {cut(line, width - 4)}" for line in _shorten(lines, most)]


def _shorten(lines: list[str], most: int) -> list[str]:
    """Leave lines out that are not marked, those at the end first; dots stand where some are missing."""
    if len(lines) <= most:
        return lines
    head = next((at for at, line in enumerate(lines) if line.lstrip().startswith("step")), 0)
    marked = [at for at, line in enumerate(lines) if "<-" in line and at > head]
    ends = [*marked[:1], *marked[-1:]]  # who waits comes first, and who left often last
    wanted = [*range(head + 1), *ends, *marked, *(at for at in range(len(lines)) if at > head)]
    ordered = list(dict.fromkeys(wanted))
    shown: list[str] = []
    for number in range(most - 1, head, -1):
        shown, before = [], -1
        for at in (*sorted(ordered[:number]), len(lines)):
            shown += [*(["..."] if at > before + 1 and shown[-1:] != ["..."] else []), *lines[at : at + 1]]
            before = at
        if len(shown) <= most:
            break
    return shown
