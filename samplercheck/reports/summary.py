"""``summary.md``: what a reader of a pull request wants to know, in Markdown of less than 60 KB.

Called where reports are published, with plain data; GitHub shows it below a job. What does not fit is
counted. Its Markdown stays what it is, whatever a target or an error message holds: no HTML, links or
mentions. Pure, ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from samplercheck.reports.headline import verdict_rows
from samplercheck.reports.standing import (
    Plain,
    Standing,
    consequence_of,
    describe_advice,
    fault_of,
    list_unjudged,
    name_versions,
    shown_case,
    standing_of,
    tally,
    troubles,
    verdict,
)
from samplercheck.reports.verdict import verdict_of
from samplercheck.values import exits
from samplercheck.values.layout import case_text, cut, printable
from samplercheck.values.site import page_of
from samplercheck.values.wording import pluralise

LARGEST = 58_000
CELL = 100
LONGEST_BLOCK = 60
LONGEST = 300
_SPECIAL = re.compile(r"[&<>`*_{}\[\]#|~\\!@$]|:(?=\S)|^[-+=]|(?<=^\d)[.)]|(?<=www)\.", re.IGNORECASE)
NEVER_A_PROOF = "No law was broken on the cases that were tried. It is not a proof."


class _Page:
    """The lines so far; each section takes no more than its share of the room."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._size = 0

    def add(self, *lines: str) -> None:
        self.lines += lines
        self._size += sum(len(line) + 1 for line in lines)

    def fill(self, parts: Sequence[list[str]], share: int, noun: str, head: Sequence[str] = ()) -> None:
        """Add whole parts while there is room, and then how many were left out; nothing for no part."""
        if not parts:
            return
        self.add(*head)
        end = min(self._size + share, LARGEST - CELL)
        for number, part in enumerate(parts):
            if self._size + sum(len(line) + 1 for line in part) > end:
                self.add("", f"{pluralise(len(parts) - number, f'more {noun}')}: see report.json.")
                break
            self.add(*part)
        self.add("")


def render(reports: Sequence[Plain]) -> str:
    """Return the Markdown text of all reports."""
    page = _Page()
    what = verdict(reports)
    page.add(f"## samplercheck: {what.title}", "")
    page.fill(list(_verdicts(reports)), 8_000, "verdict")
    page.fill([[row] for row in _targets(reports)], 12_000, "target", _head("target", "profile", *_COUNTED))
    page.fill([[row] for row in _list_broken(reports)], 16_000, "broken law", _head(*_BROKEN))
    page.fill([[line] for line in _remarks(reports)], 8_000, "remark")
    page.fill(list(_scopes(reports)), 6_000, "report")
    if what.code == exits.HOLDS:
        page.add(NEVER_A_PROOF, "")
    page.fill(list(_blocks(reports)), LARGEST, "failure")
    return "\n".join(page.lines).rstrip("\n") + "\n"


def _verdicts(reports: Sequence[Plain]) -> Iterator[list[str]]:
    """Yield the verdict on each target, as a list."""
    for report in reports:
        verdict = verdict_of(report)
        head = f"**{verdict.word}** {code(verdict.target, CELL)}: {prose(verdict.claim)}"
        yield [head, "", *(f"- {prose(label)}: {prose(text)}" for label, text in verdict_rows(verdict)), ""]


_COUNTED = {
    "hold": Standing.HOLDS,
    "broken": Standing.BROKEN,
    "undecided": Standing.UNKNOWN,
    "known": Standing.KNOWN,
    "skipped": Standing.SKIPPED,
    "not applicable": Standing.NOT_APPLICABLE,
}
_BROKEN = ("broken law", "in training", "target", "case", "")


def _head(*titles: str) -> list[str]:
    return [table_row(*titles), table_row(*["---"] * len(titles))]


def _targets(reports: Sequence[Plain]) -> Iterator[str]:
    for report in reports:
        numbers = tally([report])
        counts = [str(numbers[standing]) for standing in _COUNTED.values()]
        yield table_row(code(report["target"], CELL), code(report["profile"], CELL), *counts)


def _of(reports: Sequence[Plain], *standings: Standing) -> Iterator[tuple[Plain, Plain]]:
    """Yield the results that come to one of these, each with its report."""
    return (
        (report, one)
        for report in reports
        for one in report["results"]
        if standing_of(report, one) in standings
    )


def _list_broken(reports: Sequence[Plain]) -> Iterator[str]:
    for report, result in _of(reports, Standing.BROKEN):
        failure = result["failure"]
        case = code(failure["id"]) if failure else ""
        seen = f"{failure['failing']} of {failure['tried']}" if failure and failure["failing"] else ""
        law, wrong = f"{result['code']} {result['name']}", f"{consequence_of(result)}: {fault_of(result)}"
        page = page_of(report.get("documentation", ""), result["code"])
        named = f"[{code(law, CELL)}]({page})" if page else code(law, CELL)
        yield table_row(named, prose(wrong, CELL), code(report["target"], 60), case, seen)


def _remarks(reports: Sequence[Plain]) -> Iterator[str]:
    """Say what else needs a look: runs that were cut, laws that are undecided, known to fail or left out."""
    for report in reports:
        for standing, text in troubles(report):
            yield f"- {standing.value}: {code(report['target'], CELL)}: {prose(text)}"
        for text in list_unjudged(report):
            yield f"- judged in part: {code(report['target'], CELL)}: {prose(text)}"
    for report, one in _of(reports, Standing.UNKNOWN, Standing.KNOWN, Standing.SKIPPED):
        standing, law = standing_of(report, one), code(f"{one['code']} {one['name']}", CELL)
        why = one["failure"]["id"] if standing is Standing.KNOWN else one["skipped"] or one["reason"]
        yield f"- {standing.value}: {law} of {code(report['target'], CELL)}: {prose(why)}"
    for report, one in _of(reports, Standing.HOLDS, Standing.UNKNOWN):
        if one["advice"]:
            law = code(f"{one['code']} {one['name']}", CELL)
            yield f"- advice: {law} of {code(report['target'], CELL)}: {prose(describe_advice(one))}"


def _scopes(reports: Sequence[Plain]) -> Iterator[list[str]]:
    """Say for each report what was tried and what was not, and with which versions."""
    for report in reports:
        lines = [f"**{code(report['target'], CELL)}**, {code(report['contract'])}, seed {report['seed']}", ""]
        for one in report["tried"][:20]:
            of = "" if one["cases"] >= one["planned"] else f" of {one['planned']:,}, the rest was cut"
            lines.append(f"- tried: {prose(one['scope'])}: {one['cases']:,} cases{of}")
        lines += [f"- not tried: {prose(one)}" for one in report["not_tried"][:20]]
        lines += [f"- note: {prose(one)}" for one in report["notes"][:20]]
        yield [*lines, f"- with: {prose(name_versions(report))}", ""]


def _blocks(reports: Sequence[Plain]) -> Iterator[list[str]]:
    """Yield the failures, folded up, each as the terminal shows it."""
    for report, result in _of(reports, Standing.BROKEN):
        failure = result["failure"]
        if not failure:
            continue
        law = f"{result['code']} {result['name']}"
        title = f"{fault_of(result)} ({law}) in {report['target']}: {case_text(shown_case(failure))}"
        lines = failure["text"].splitlines()[:LONGEST_BLOCK]
        yield [
            "<details>",
            f"<summary>{prose(title, 200)}</summary>",
            "",
            *block([line[:200] for line in lines] or [failure["message"][:200]]),
            "</details>",
            "",
        ]


def prose(text: object, width: int = LONGEST) -> str:
    """Return words on one line; what Markdown or HTML would read is written as an entity."""
    flat = _line(" ".join(str(text).split()), width)
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", flat)


def code(text: object, width: int = LONGEST) -> str:
    """Return a code span on one line, also fit for a cell of a table."""
    flat = _line(str(text), width).strip() or "-"
    fence = "`" * (_longest_run(flat) + 1)
    room = " " if "`" in (flat[0], flat[-1]) else ""
    return f"{fence}{room}{flat}{room}{fence}".replace("|", "\\|")


def block(lines: Iterable[str]) -> list[str]:
    """Return lines of code, fenced."""
    shown = [printable(line.rstrip()) for line in lines]
    fence = "`" * max(3, _longest_run("\n".join(shown)) + 1)
    return [f"{fence}text", *shown, fence]


def table_row(*cells: str) -> str:
    """Return one row of a table; its cells are Markdown already."""
    return f"| {' | '.join(cells)} |"


def _line(text: str, width: int) -> str:
    """Return a printable line, of a text that may be millions of characters long."""
    return cut(printable(cut(text, 2 * width)), width)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
