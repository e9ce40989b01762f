"""What changed between two sets of reports: laws that are newly broken, fixed, still broken, no longer tried.

Called by ``samplercheck report --diff``, with plain data. A law is compared for one target and contract,
whatever the profile, seed and versions; of several results the worst counts. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samplercheck.reports.standing import Plain, consequence_of
from samplercheck.reports.summary import code, prose, table_row
from samplercheck.values.finding import Outcome
from samplercheck.values.layout import cut, printable, row

Place = tuple[str, str]

WORDS = ("new", "fixed", "still", "no longer tried")
WHAT = 34
MOST_ROWS = 300
_WAS = {Outcome.BROKEN: "was broken", Outcome.HOLDS: "held"}
_WHY = {
    Outcome.UNKNOWN: "undecided",
    Outcome.NOT_APPLICABLE: "not applicable",
    None: "not in the later reports",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportChange:
    """What became of one law of one target, or of a phase of its search; ``word`` is one of ``WORDS``."""

    word: str
    target: str
    contract: str
    what: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """All changes, in the order of ``WORDS``."""

    changes: tuple[ReportChange, ...]

    def of(self, word: str) -> tuple[ReportChange, ...]:
        """Return the changes of one kind."""
        return tuple(change for change in self.changes if change.word == word)

    @property
    def is_worse(self) -> bool:
        """Whether something is broken that was not."""
        return bool(self.of(WORDS[0]))


def compare(before: Sequence[Plain], after: Sequence[Plain]) -> Diff:
    """Return what changed from the reports ``before`` to those ``after``."""
    earlier, later = _results(before), _results(after)
    changes = [
        change
        for at in sorted({*earlier, *later})
        if (change := _change(at, earlier.get(at), later.get(at))) is not None
    ]
    changes += _phases(before, after)
    return Diff(changes=tuple(sorted(changes, key=lambda change: WORDS.index(change.word))))


def _results(reports: Sequence[Plain]) -> dict[tuple[str, str, str], Plain]:
    """Return the worst result for each target, contract and law."""
    worst: dict[tuple[str, str, str], Plain] = {}
    for report in reports:
        for one in report["results"]:
            at = (report["target"], report["contract"], one["code"])
            if at not in worst or Outcome(one["outcome"]) > Outcome(worst[at]["outcome"]):
                worst[at] = one
    return worst


def _change(at: tuple[str, str, str], earlier: Plain | None, later: Plain | None) -> ReportChange | None:
    old, new = _outcome(earlier), _outcome(later)
    one = later or earlier or {}
    where = {"target": at[0], "contract": at[1], "what": f"{one['code']} {one['name']}"}
    if new is Outcome.BROKEN:
        return ReportChange(word="still" if old is new else "new", note=_case(one), **where)
    if old is Outcome.BROKEN and new is Outcome.HOLDS:
        return ReportChange(word="fixed", **where)
    if old in _WAS and new is not Outcome.HOLDS:
        why = f"skipped: {one['skipped']}" if later and one["skipped"] else _WHY[new]
        return ReportChange(word="no longer tried", note=f"{why}; before, it {_WAS[old]}", **where)
    return None


def _outcome(one: Plain | None) -> Outcome | None:
    return None if one is None else Outcome(one["outcome"])


def _case(one: Plain) -> str:
    failure = one["failure"]
    return f"{consequence_of(one)}, case {failure['id']}" if failure else consequence_of(one)


def _phases(before: Sequence[Plain], after: Sequence[Plain]) -> Iterator[ReportChange]:
    """Yield what the later search of a target left out: phases, and what an interruption cut off."""
    earlier, later = _scopes(before), _scopes(after)
    for (target, contract), scopes in earlier.items():
        where = {"word": WORDS[-1], "target": target, "contract": contract}
        there = later.get((target, contract), scopes)
        for phase in [one for one in scopes if one not in there]:
            yield ReportChange(what=f"phase {phase!r}", note=f"it tried {scopes[phase]}", **where)
    for report in after:
        if report["interrupted"]:
            where = {"word": WORDS[-1], "target": report["target"], "contract": report["contract"]}
            yield ReportChange(what="the rest of the search", note="the later run was interrupted", **where)


def _scopes(reports: Sequence[Plain]) -> dict[Place, dict[str, str]]:
    """Return for each target and contract the phases in which any case was tried, with their scopes."""
    found: dict[Place, dict[str, str]] = {}
    for report in reports:
        phases = found.setdefault((report["target"], report["contract"]), {})
        phases.update({one["phase"]: one["scope"] for one in report["tried"] if one["cases"]})
    return found


def as_text(diff: Diff) -> str:
    """Return the changes for a terminal: ASCII, 80 columns."""
    lines = [_counts(diff)]
    for word in WORDS:
        changes = diff.of(word)
        lines += ["", word.upper()] if changes else []
        for change in changes:
            label = cut(printable(change.what), WHAT - 3)
            lines += row(label, _describe(change), indent=2, column=WHAT, most=4)
    return "\n".join(lines)


def as_markdown(diff: Diff) -> str:
    """Return the changes as a table."""
    lines = [f"## samplercheck: {_counts(diff)}", ""]
    if diff.changes:
        lines += [table_row("", "law", "target", ""), table_row(*["---"] * 4)]
    for change in diff.changes[:MOST_ROWS]:
        place = code(_place(change), 120)
        lines.append(table_row(change.word, code(change.what, 60), place, prose(change.note, 120)))
    if len(diff.changes) > MOST_ROWS:
        lines += ["", f"{len(diff.changes) - MOST_ROWS} more changes."]
    return "\n".join(lines).rstrip("\n") + "\n"


def _place(change: ReportChange) -> str:
    return change.target if change.contract == "Contract()" else f"{change.target} {change.contract}"


def _describe(change: ReportChange) -> str:
    return printable(": ".join(filter(None, (_place(change), change.note))))


def _counts(diff: Diff) -> str:
    if not diff.changes:
        return "nothing is broken in either, and nothing is no longer tried"
    return ", ".join(f"{len(diff.of(word))} {word}" for word in WORDS)
