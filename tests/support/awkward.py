"""Reports that are hard to render or to merge: hostile texts, hundreds of failures, any that can be drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.laws.law import Law
from samplercheck.values.finding import Failure, Outcome, Violation
from samplercheck.values.report import LawResult, Tried
from samplercheck.values.scope_map import ScopeCell
from tests.support import handmade

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> ]]> &amp; | pipe `tick` ``` ~~~ "
    "</details> [a](javascript:b) ![i](https://evil.example/i.png) @everyone :bug: $x$ www.evil.example "
    "\x00\x07\x1b[31m\x7f\x85\u2028\u202e\ufffe\udc80\ud83d\n# title\r\n- item\n\n| a | b |\n"
)
LAWS = tuple(
    Law(code=f"SC10{n}", name=f"law-{n}", statement="A law.", consequence="loses data", judge=lambda _: ())
    for n in range(1, 4)
)


def hostile() -> dict[str, Any]:
    """A report in which everything that a target, a law or a user can name is hostile, and very long."""
    words = HOSTILE * 40
    report = handmade.report(
        handmade.broken(
            replace(handmade.EQUAL_STEPS, statement=words, name=HOSTILE, consequence=words), handmade.uneven()
        ),
        LawResult(law=replace(handmade.RUNS, name=HOSTILE), outcome=Outcome.UNKNOWN, reason=words),
        LawResult(law=handmade.RESHUFFLES, outcome=Outcome.NOT_APPLICABLE, skipped=words),
        LawResult(law=handmade.APART, outcome=Outcome.HOLDS, advice=Violation(found=words)),
        target=words,
        contract=words,
        profile=HOSTILE,
        notes=(words,),
        not_tried=(words,),
        tried=(Tried(phase=words, scope=words, cases=1, planned=2),),
        versions={HOSTILE: words},
    )
    failure = report["results"][0]["failure"]
    failure.update(dict.fromkeys(("message", "hint", "text", "region", "cause"), words), grid=[words])
    failure["violations"][0].update(found=words, consequence=words)
    return report


def many(number: int, target: str = handmade.TARGET) -> dict[str, Any]:
    """A report with so many failures, each with a block of its own."""
    laws = (replace(handmade.EQUAL_STEPS, code=f"MY{n:03}", name=f"own-law-{n}") for n in range(number))
    return handmade.report(*(handmade.broken(law, handmade.uneven()) for law in laws), target=target)


def without_code(markdown: str) -> str:
    """Markdown without its blocks and spans of code."""
    prose = re.sub(r"^(`{3,})text\n.*?^\1$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", prose)


def failures() -> st.SearchStrategy[Failure]:
    """Failures in small cases, with small counts."""
    violation = Violation(found="seen")
    return st.builds(
        Failure,
        case=st.builds(Case, length=st.integers(0, 3), world_size=st.integers(1, 2)),
        violation=st.just(violation),
        violations=st.just((violation,)),
        failing=st.integers(0, 3),
        text=st.sampled_from(["one", "two"]),
    )


@st.composite
def results(draw: st.DrawFn, law: Law) -> LawResult:
    """What a run may say of a law."""
    outcome = draw(st.sampled_from(list(Outcome)))
    skipped = draw(st.sampled_from(["", "why", "issue 12"])) if outcome is Outcome.NOT_APPLICABLE else ""
    return LawResult(
        law=law,
        outcome=outcome,
        reason=draw(st.sampled_from(["", "vacuous", "moved"])),
        failure=draw(failures()) if outcome is Outcome.BROKEN else None,
        advice=draw(st.none() | st.builds(Violation, found=st.sampled_from(["a", "b"]))),
        judged=draw(st.integers(0, 9)),
        broken=draw(st.integers(0, 9)),
        skipped=skipped,
    )


@st.composite
def reports(draw: st.DrawFn) -> dict[str, Any]:
    """Plain reports of one target, contract and profile under the same versions."""
    square = st.builds(
        ScopeCell,
        length=st.integers(0, 1),
        world_size=st.just(1),
        batch_size=st.just(1),
        shuffle=st.just(value=False),
        drop_last=st.just(value=False),
        tried=st.integers(0, 5),
        broken=st.integers(0, 5),
    )
    tried = st.builds(
        Tried,
        phase=st.sampled_from(["small scope", "large"]),
        scope=st.sampled_from(["length 0-12", "length 0-6"]),
        cases=st.integers(0, 5),
        planned=st.integers(0, 5),
    )
    chosen = draw(st.sets(st.sampled_from(LAWS), max_size=3))
    plain = handmade.report(
        *(draw(results(law)) for law in LAWS if law in chosen),
        seed=draw(st.integers(0, 2)),
        tried=tuple(draw(st.lists(tried, max_size=2, unique_by=lambda one: (one.phase, one.scope)))),
        not_tried=tuple(draw(st.sets(st.sampled_from(["nccl", "gloo"])))),
        map=tuple(draw(st.lists(square, max_size=2, unique_by=lambda one: one.length))),
        interrupted=draw(st.booleans()),
        seconds=draw(st.integers(0, 3)),
    )
    broken = [[one["code"], one["failure"]["id"]] for one in plain["results"] if one["failure"]]
    if draw(st.booleans()):
        known = [pair for pair in broken if draw(st.booleans())]
        plain["baseline"] = {"known": known, "stale": [], "undecided": []}
    return plain
