"""Brevity: a row of the headline in fewer and fewer words, each time something that is true by itself.

Asked by the headline where a row has too few lines. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from samplercheck.reports.whens import ASIDE, say_when_in_short
from samplercheck.values.layout import NEXT_SENTENCE, sentence, split_case
from samplercheck.values.wording import pluralise

_COMMA = re.compile(
    r"[,;] (?=[a-z])(?!and [\d\[n]|not |fails |yields |says |in |which |stopped |went |the |interrupted )"
    r"(?!but |rank \d)|: (?=\d)"
)
_EPOCH = re.compile(
    r" (?:in|of) epoch 0|^In epoch 0 (?=\w)|(?<= by a new iterator) after a break$| over [\d,]+ passes"
)
_PHASE = re.compile(r"(?<= raises )(.+?) (?:before it yields|while it is|in set_epoch|in len\(\)).*")
_MESSAGE, _CLAUSE = re.compile(r"(?<= raises )(\w+): .+"), re.compile(r"[;:] |, (?:then|and|such as) ")
_ASIDE_OF_CAUSE = re.compile(r", (?:where|which|or|so) ")
_HALT = re.compile(r", stopped after [^,]+,(?= yields )")
_CLAUSES, _SAYS = re.compile(r"(?:[;:,]|,? or) "), re.compile(r"\w+ \S+ \S+")
_AND_WHEN, _CODE = re.compile(r"([^;]+? \(SC\d+\)), ([^;]+)"), re.compile(r" \(SC\d+\)$")

IN_TINY = "in tiny datasets"
_NUMBERED, _FAULT = re.compile(r"epochs?\b|\bpass"), re.compile(r"([^:(]+): .+ \((\w+)\)")
_FIRST = re.compile(r"([^:(]+: [^:(]+): .+ \((\w+)\)")
_COUNTED = re.compile(r"(\d+ more mistakes?: )(.+)")


def say_seen_in_short(text: str) -> Iterator[str]:
    """Yield what was seen in fewer words, each time with its case and without; no half of a comparison."""
    seen, case = split_case(text.removesuffix("."))
    case = f" ({case})." if case else "."
    bare = seen if len(_NUMBERED.findall(seen)) > 1 else _EPOCH.sub("", seen)
    named = _MESSAGE.sub(r"\1", raised := _PHASE.sub(r"\1", seen))
    less = ASIDE.sub("", bare)
    for some in dict.fromkeys((seen, bare, ASIDE.sub("", seen), less, raised, named, _HALT.sub("", less))):
        for end in (None, *(comma.start() for comma in reversed([*_COMMA.finditer(some)]))):
            if (part := sentence(some[:end]).removesuffix(".")).count("(") == part.count(")"):
                yield from dict.fromkeys((f"{part}{case}", f"{part}."))


def drop_sentences(text: str) -> Iterator[str]:
    """Yield a text without its last sentence, without its last two, and so on; then clauses of the first."""
    ends = [found.start() for found in NEXT_SENTENCE.finditer(text)]
    yield from (text[:end] for end in reversed(ends))
    yield (bare := ASIDE.sub("", text[: ends[0]] if ends else text))
    clauses = (found.start() for found in _CLAUSE.finditer(bare))
    ends = [*clauses, *[bare.find(", or ")] * (bare.count(",") == 1)]
    yield from (f"{part}." for end in reversed(ends) if _SAYS.search(part := bare[:end]))


def say_least_seen(text: str) -> str:
    """Return what was seen in the fewest words."""
    *_, least = say_seen_in_short(text)
    return least.removesuffix(".")


def say_remedy_in_short(text: str) -> Iterator[str]:
    """Yield what to do in a clause, fewer and fewer words of it; nothing that is no more than a place."""
    first = next((text[: found.start()] for found in NEXT_SENTENCE.finditer(text)), text).removesuffix(".")
    yield first
    for found in reversed([*_CLAUSES.finditer(first)]):
        if _SAYS.search(part := first[: found.start()]):
            yield part


def say_cause_in_short(text: str) -> Iterator[str]:
    """Yield a cause without a second sentence or clause, and without what it adds to its first one."""
    yield from drop_sentences(text)
    yield from (f"{text[: one.start()]}." for one in reversed([*_ASIDE_OF_CAUSE.finditer(text)]))


def drop_fault(text: str) -> Iterator[str]:
    """Yield what a mistake does without what to do, fewer words on when, its law or what is wrong."""
    text, semicolon, _ = text.partition("; ")
    if semicolon:
        yield text
    if told := _AND_WHEN.fullmatch(text):
        yield from (f"{told[1]}, {when}" for when in say_when_in_short(told[2]))
        text = told[1]
        if told[2] == IN_TINY:  # where it is no trouble of most users is not left out before the law is
            yield _CODE.sub("", text).replace(": ", f" {IN_TINY}: ", 1)
    yield from (text, ASIDE.sub("", text), _CODE.sub("", text))
    if counted := _COUNTED.fullmatch(text):
        harms = counted[2].split(", ")
        yield from (
            f"{counted[1]}{', '.join(harms[:most])} and more" for most in range(len(harms) - 1, 0, -1)
        )
    if found := _FIRST.fullmatch(text):
        yield f"{found[1]} ({found[2]})"
    if found := _FAULT.match(text):
        yield f"{found[1]} ({found[2]})"


def drop_faults(text: str) -> Iterator[str]:
    """Yield what happens in training with fewer of its faults, each of them whole, or the first in brief."""
    faults = text.split("; ")
    fewer = range(len(faults) - 1, 0, -1)
    yield from ("; ".join([*faults[:most], pluralise(len(faults) - most, "more fault")]) for most in fewer)
    yield from drop_sentences(faults[0])


def drop_code(text: str) -> Iterator[str]:
    """Yield what is wrong without the law that says so, then with fewer of the faults."""
    for some in zip(*map(_drop_code_or_faults, (text, _EPOCH.sub("", text))), strict=False):
        yield from some


def _drop_code_or_faults(text: str) -> Iterator[str]:
    if "; " not in text:
        yield _CODE.sub("", text)
    yield from drop_faults(text)


def name_fewer_signs(text: str) -> Iterator[str]:
    """Yield what may be meant in fewer words, never without any, and with the whole contract."""
    meant, flag, contract = text.partition(": --contract ")
    bare = ASIDE.sub("", meant)
    yield from (f"{one}{flag}{contract}" for one in (bare, *_drop_signs(bare)) if flag)


def _drop_signs(meant: str) -> Iterator[str]:
    first, *more = re.split(r", | and (?=[a-z]+ )", meant)
    yield from (f"{', '.join([first, *more[:most]])}, and more" for most in range(len(more) - 1, -1, -1))


SHORTENED: dict[str, Callable[[str], Iterator[str]]] = {
    "when": say_when_in_short,
    "found": say_seen_in_short,
    "cause": say_cause_in_short,
    "and": drop_fault,
    "training": drop_code,
    "even so": drop_code,
    "if meant": name_fewer_signs,
    "seems": name_fewer_signs,
}
