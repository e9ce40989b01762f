"""A report as a notebook shows it: the verdict, the laws in a table, what is broken with its picture.

Called by ``Report._repr_html_``, with the plain data of a report. Short and self-contained: its style
sheet names its own classes alone, nothing comes from elsewhere and every word is escaped. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samplercheck.reports.headline import verdict_rows
from samplercheck.reports.mistakes import list_mistakes
from samplercheck.reports.pictures import bars, grid, timeline
from samplercheck.reports.pictures.svg import element, escape
from samplercheck.reports.standing import (
    MARKS,
    Plain,
    Standing,
    describe_advice,
    describe_verdict,
    fault_of,
    standing_of,
    tally,
)
from samplercheck.reports.verdict import verdict_of
from samplercheck.values.layout import hint_label
from samplercheck.values.scene import Scene
from samplercheck.values.wording import capitalise, pluralise

MOST_FAILURES = 5
LONGEST = 400
QUIET = (Standing.HOLDS, Standing.NOT_APPLICABLE)
STYLE = (
    ".samplercheck-report{font-family:system-ui,sans-serif;font-size:14px;line-height:1.45}"
    ".samplercheck-report table{border-collapse:collapse;margin:.5em 0}"
    ".samplercheck-report th,.samplercheck-report td{text-align:left;padding:.15em .8em .15em 0;"
    "border-bottom:1px solid rgba(128,128,128,.35)}"
    ".samplercheck-report .samplercheck-verdict{font-size:18px;font-weight:650;margin:.2em 0}"
    ".samplercheck-report .samplercheck-soft{opacity:.75}"
    ".samplercheck-report figure{margin:.6em 0}"
)


def report_html(plain: Plain) -> str:
    """Return a report as one element of HTML."""
    results = [(one, standing_of(plain, one)) for one in plain["results"]]
    rows = [(one, standing) for one, standing in results if standing not in QUIET or one["advice"]]
    broken = [mistake.lead for mistake in list_mistakes(plain)]
    children = [
        element("style", STYLE),
        *_verdict(plain),
        _table(rows) if rows else "",
        *map(_failure, broken[:MOST_FAILURES]),
        _more(len(broken) - MOST_FAILURES),
    ]
    return element("div", *children, class_="samplercheck-report")


def _words(tag: str, words: object, look: str = "") -> str:
    """Return an element with words, of a class if one is named."""
    short = str(words)
    short = short if len(short) <= LONGEST else f"{short[:LONGEST]} ..."
    return element(tag, escape(short), class_=look or None)


def _verdict(plain: Plain) -> Iterator[str]:
    page, counts = describe_verdict(plain), tally([plain])
    yield _words("p", f"{page.mark.sign} {page.word}: {plain['target']}", "samplercheck-verdict")
    yield _words("p", page.claim)
    for label, text in verdict_rows(verdict_of(plain)):
        yield element("div", element("b", escape(label)), " ", _words("span", text))
    listed = ", ".join(f"{counts[standing]} {standing.value}" for standing in Standing if counts[standing])
    yield _words("p", f"{listed}; {plain['profile']}, seed {plain['seed']}", "samplercheck-soft")


def _table(rows: Sequence[tuple[Plain, Standing]]) -> str:
    """Return the laws that there is something to say of; those that just hold are counted above."""
    head = "".join(element("th", escape(words), scope="col") for words in ("law", "name", "outcome", "why"))
    body = []
    for one, standing in rows:
        cells = (one["name"], f"{MARKS[standing].sign} {standing.value}", _why(one))
        data = "".join(_words("td", words) for words in cells)
        body.append(element("tr", element("th", escape(one["code"]), scope="row"), data))
    return element("table", element("thead", element("tr", head)), element("tbody", *body))


def _why(result: Plain) -> str:
    if result["failure"]:
        return str(result["failure"]["message"])
    advice = describe_advice(result)
    said = (result["skipped"] or result["reason"], f"advice: {advice}" if advice else "")
    return "; ".join(filter(None, said))


def _failure(result: Plain) -> str:
    """Return what is broken, in which case, and its picture."""
    failure = result["failure"]
    scene = Scene.from_dict(failure["scene"]) if failure["scene"] else None
    drawing = (timeline(scene) or bars(scene) or grid(scene)) if scene is not None else ""
    case = scene.token if scene is not None else failure["token"]
    label = hint_label(failure["mend"]).capitalize()
    parts = [
        _words("h4", f"{capitalise(fault_of(result))} ({result['code']} {result['name']})"),
        _words("p", failure["message"]),
        _words("p", result["statement"]),
        element("figure", element("figcaption", escape(f"in the case {case}")), drawing) if drawing else "",
        _words("p", f"{label}: {failure['hint']}") if failure["hint"] else "",
    ]
    return element("section", *parts)


def _more(number: int) -> str:
    words = f"... and {pluralise(number, 'more broken law')}"
    return _words("p", words, "samplercheck-soft") if number > 0 else ""
