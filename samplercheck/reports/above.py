"""Above: the verdict as it stands above the blocks of a screen, to be read in ten seconds.

The blocks say in full what was seen, when, why and what to do; above them stands what a reader has to know
first. Asked by ``brief``. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product

from samplercheck.reports.brevity import drop_faults, drop_sentences, name_fewer_signs
from samplercheck.reports.headline import CONTRACTS, verdict_lines
from samplercheck.reports.occurrence import ONE_LINE
from samplercheck.reports.remedy import LABELS
from samplercheck.reports.verdict import FOR_THAT, Verdict
from samplercheck.reports.whens import names_kind, say_when_in_fewer_words, say_when_in_short

MOST_WORDS = 52
"""So many are read in ten seconds: what is wrong, when, and what to do."""
MOST_IN_CONDITION, MOST_IN_WHEN, MOST_IN_REMEDY = 16, 12, 16
_COUNTS_ALONE = re.compile(r"in [\d,]+ of [\d,]+ ")
FEWEST = 5
"""Fewer words of what to do are no more than its beginning."""
LONGEST_WHERE = 110
"""A longer line of code is cut to one row."""
WHAT_TO_DO = (*LABELS, *CONTRACTS, FOR_THAT)
Row = tuple[str, str]


def lines_above_blocks(verdict: Verdict, *, width: int) -> list[str]:
    """Return the verdict as the lines above the blocks, which say how to see more."""
    lines = verdict_lines(tell_above_blocks(verdict), width=width)
    if not verdict.usual[1] or any(line.startswith(WHAT_TO_DO) for line in lines):
        return lines
    return verdict_lines(tell_above_blocks(replace(verdict, remedy=verdict.usual)), width=width)


def tell_above_blocks(verdict: Verdict) -> Verdict:
    """Return what is left to say of a run above the blocks of its mistakes, in few words."""
    lean = replace(verdict, more="", advice="" if verdict.mistakes else verdict.advice)
    if not verdict.mistakes:
        return lean
    if lean.comes_first:
        return _tell_hidden(lean)
    line = lean.line if len(lean.line) <= LONGEST_WHERE else lean.place
    seems = lean.declares if lean.is_aside and lean.seems else lean.seems
    lean = replace(lean, line=line, example="" if lean.when else lean.example, seems=seems)
    what_to_do = lean.remedy if lean.remedy[1] else ("if meant", seems)
    _, when, told = _shorten(lean, lean.mistakes[0], ("when", lean.when), what_to_do)
    if what_to_do is not lean.remedy:
        return replace(lean, when=when[1], seems=told[1])
    return replace(lean, cause="", when=when[1], remedy=told)


def _tell_hidden(lean: Verdict) -> Verdict:
    """Return a verdict that tells first what hides behind a contract, in few words."""
    when = next((row for row in lean.seen if row[0] == "when"), ("when", ""))
    still, told, after = _shorten(lean, lean.still, when, lean.after)
    kept = (row for row in lean.seen if row[0] != "found" or not when[1])
    return replace(lean, still=still, seen=tuple(told if row is when else row for row in kept), after=after)


def _shorten(verdict: Verdict, training: str, when: Row, remedy: Row) -> tuple[str, Row, Row]:
    """Return what happens, when, and what to do in fewer words, if they take more than ten seconds else.

    What to do is cut last; for more than its first sentence no condition gives way.
    """
    head = _count_words((verdict.word, verdict.target), ("", verdict.claim))
    trainings = [training, *([next(drop_faults(training))] if "; " in training else [])]
    whens = [(when[0], text) for text in _choose_whens(when[1])]
    remedies = [remedy, *((remedy[0], text) for text in _say_in_short(verdict, *remedy))]
    is_bare = _COUNTS_ALONE.match(whens[-1][1]) or (names_kind(whens[0][1]) and not names_kind(whens[-1][1]))
    named = whens[:-1] if is_bare else []  # a condition says more than numbers, or than what happened before
    whole = [one for one in remedies[:2] if remedy[1].startswith(one[1])]  # sentences
    rows = chain(product(whole, trainings, named), product(remedies, trainings, whens))
    told = [(what, at, do) for do, what, at in rows]
    fitting = (one for one in told if head + _count_words(("training", one[0]), *one[1:]) <= MOST_WORDS)
    return next(fitting, (trainings[-1], whens[-1], remedies[:2][-1]))


def _choose_whens(text: str) -> list[str]:
    """Return when it happens, in one line if that says the same, else without counts, and in fewer words."""
    same = [text, min(say_when_in_fewer_words(text), key=len)]
    alike = [one for one in say_when_in_fewer_words(text) if len(one) <= ONE_LINE]
    few = [one for one in (*alike, *say_when_in_short(text)) if one]
    told = [[one for one in few if len(one.split()) <= most] for most in (MOST_IN_CONDITION, MOST_IN_WHEN)]
    named = [one for one in told[0] if not _COUNTS_ALONE.match(one)]
    return [*(alike[:1] or same), *named[:1], *(told[1] or [min([*few, text], key=len)])[:1]]


def _say_in_short(verdict: Verdict, label: str, text: str) -> Iterator[str]:
    """Yield what to do in fewer words, or the contract to declare."""
    if label in CONTRACTS:
        yield from (verdict.declares, *name_fewer_signs(verdict.declares))
    else:
        yield from (one for one in drop_sentences(text) if FEWEST <= len(one.split()) <= MOST_IN_REMEDY)


def _count_words(*rows: Row) -> int:
    """Return how many words some rows have with their labels, those that have a text."""
    return sum(len(f"{label} {text}".split()) for label, text in rows if text)
