"""The page: reports, or a certificate, as one HTML file that needs no network, and no script to be read.

Called by ``samplercheck report`` and ``certify`` with plain data. Each kind of part has room of its own, so
that no flood of one crowds out another; all of it together stays under a megabyte. Pure; imports jinja2, and
neither torch nor numpy; imported where a page is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from samplercheck.reports import pictures
from samplercheck.reports.page._environment import environment, shorten
from samplercheck.reports.page._report import describe_report, failures_of
from samplercheck.reports.standing import Plain, name_versions
from samplercheck.reports.terminal import chance
from samplercheck.values.contract import Contract
from samplercheck.values.scene import Scene

if TYPE_CHECKING:
    from samplercheck.explain.pictures.shown import Shown

WITHOUT_MAP: dict[str, Any] = {"maps": []}
BARE: dict[str, Any] = {"is_bare": True}
STOPPED = "The run that was stopped, below the uninterrupted one"
DRAWN = (
    ("Where each sample went", pictures.fates),
    ("What each rank yielded, step by step", pictures.grid),
)
MOST = 300
HOLDS = "holds"


class Room:
    """A number of bytes that is used up."""

    def __init__(self, size: int) -> None:
        self._left = size

    def takes(self, text: str) -> bool:
        """Whether the text fits in; if so its room is used up."""
        size = len(text.encode())
        fits = size <= self._left
        self._left -= size if fits else 0
        return fits


class Rooms:
    """What is left of the page, in bytes."""

    def __init__(self) -> None:
        self.reports = Room(380_000)
        self.failures = Room(320_000)
        self.brief = Room(160_000)
        self.index = Room(80_000)


def render(reports: Sequence[Plain]) -> str:
    """Return the page of these reports; what has no room is counted and named.

    The first headings are of the only report, or of all of them.
    """
    rooms, level = Rooms(), 1 if len(reports) == 1 else 2
    described = [_describe(report, number) for number, report in enumerate(reports)]
    parts = dict(_parts(described, level, rooms))
    rows = (_fill("index_row", {"one": one, "is_shown": one["anchor"] in parts}) for one, _ in described)
    index = list(takewhile(rooms.index.takes, rows)) if level > 1 else []
    return _fill(
        "page",
        {
            "reports": [one for one, _ in described],
            "index": list(map(_safe, index)),
            "parts": [_safe(parts[one["anchor"]]) for one, _ in described if one["anchor"] in parts],
            "left_out": len(described) - len(parts),
            "not_in_index": len(described) - len(index),
        },
    )


def _describe(report: Plain, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    failures = failures_of(report, number)
    return describe_report(report, number, failures), failures


def _parts(
    described: Sequence[tuple[Plain, list[dict[str, Any]]]], level: int, rooms: Rooms
) -> Iterator[tuple[str, str]]:
    """Yield the reports for which there is room with their anchors; those with failures choose first.

    A report that is too large by itself goes without the maps of single laws, then without any map, or else
    without all that it lists.
    """
    for report, failures in sorted(described, key=lambda pair: not pair[1]):
        fewer = ({"maps": report["maps"][:most]} for most in (7, 4, 1))
        for form in ({}, *fewer, WITHOUT_MAP, BARE):
            values = {"one": {**report, **form}, "level": level}
            opening, closing = _fill("opening", values), _fill("closing", values)
            if rooms.reports.takes(opening + closing):
                yield report["anchor"], opening + _failures(failures, level, rooms) + closing
                break


def _failures(failures: list[dict[str, Any]], level: int, rooms: Rooms) -> str:
    """Return failures in full, then those that are only named, then the number of all others."""
    if not failures:
        return ""
    full: list[Markup] = []
    brief: list[Markup] = []
    for failure in failures:
        filled = _fill("failure", {"one": failure, "level": level + 2})
        if rooms.failures.takes(filled):
            full.append(_safe(filled))
            continue
        named = _fill("brief", {"one": failure})
        if rooms.brief.takes(named):
            brief.append(_safe(named))
    left = len(failures) - len(full) - len(brief)
    return _fill("failures", {"full": full, "brief": brief, "level": level + 1, "left_out": left})


def _fill(name: str, values: Plain) -> str:
    return environment().get_template(f"{name}.html.jinja").render(values)


def _safe(filled: str) -> Markup:
    return Markup(filled)  # noqa: S704  (a template that was filled in escapes its values)


def render_shown(shown: Shown) -> str:
    """Return the page of one case, for ``samplercheck show --html``.

    Its pictures show as much as a scene holds, its text as much as the terminal.
    """
    values: dict[str, Any] = {
        "target": shown.target,
        "facts": shown.facts,
        "pictures": list(_pictures(shown.scene)),
        "epochs": [(heading, "\n".join(lines)) for heading, lines in shown.epochs],
        "troubles": ["\n".join(lines) for lines in shown.troubles],
    }
    return _fill("show", values)


def _pictures(scene: Scene) -> Iterator[tuple[str, Markup]]:
    timeline = pictures.timeline(scene)
    drawn = [(STOPPED, timeline)] if timeline else [(caption, draw(scene)) for caption, draw in DRAWN]
    for caption, drawing in drawn:
        if drawing:
            yield caption, Markup(drawing)  # noqa: S704  (pictures escape whatever they say)


def render_certificate(statement: Plain) -> str:
    """Return the page of the statement about a certificate's scope."""
    scope = statement["predicate"]
    holding = [one for one in scope["laws"] if one["outcome"] == HOLDS]
    cases = sum(one["cases"] for one in scope["phases"])
    planted = scope["sensitivity"]
    values: dict[str, Any] = {
        "target": shorten(scope["target"], 200),
        "claim": (
            f"{len(holding)} laws hold in {cases:,} cases, and {planted['caught']} of {planted['planted']} "
            "planted faults were detected."
        ),
        "facts": [(label, shorten(text)) for label, text in _facts(scope)],
        "phases": scope["phases"],
        "not_tried": [shorten(one) for one in scope.get("not_tried", ())][:MOST],
        "notes": [shorten(one) for one in scope.get("notes", ())][:MOST],
        "laws": [_law(one) for one in holding],
        "files": [(one["name"], f"sha256:{one['digest']['sha256']}") for one in statement["subject"][:MOST]],
    }
    return environment().get_template("certificate.html.jinja").render(values)


def _law(one: Plain) -> dict[str, Any]:
    faults = f"{one['caught']} of {one['planted']}" if one.get("planted") else ""
    return {**one, "advice": one.get("advice", ""), "faults": faults}


def _facts(scope: Plain) -> Iterator[tuple[str, str]]:
    yield "made", scope["made"]
    usual = {one.name: one.default for one in fields(Contract)}
    declared = {name: value for name, value in scope["contract"].items() if value != usual.get(name)}
    yield "contract", ", ".join(f"{name}={value}" for name, value in declared.items()) or "the default"
    yield "profile", f"{scope['profile']}, seed {scope['seed']}{', strict' if scope.get('strict') else ''}"
    yield "chance of a false alarm", chance(scope["false_alarm_bound"])
    yield "commit", scope["tree"]["commit"] or "none"
    if scope["tree"]["changed"]:
        yield "not in the commit", ", ".join(scope["tree"]["changed"])
    yield "versions", name_versions(scope)
