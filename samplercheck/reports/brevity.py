"""Brevity: a row of the headline in fewer and fewer words, each time something that is true by itself.

Asked by the headline where a row has too few lines. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from samplercheck.explain.atom_words import NOT_EMPTY, RATHER
from samplercheck.explain.words import EITHER, EXACT, IN_NO_OTHERS, NOT_ALWAYS, ONLY, SMALL
from samplercheck.reports.occurrence import LONG_RULE, OTHER_CASES, SMALLEST
from samplercheck.values.layout import NEXT_SENTENCE, sentence, split_case
from samplercheck.values.wording import join_words, pluralise

_COUNTS = re.compile(rf" \([\d,]+ of [\d,]+[^()]*\)(?=$|, {ONLY} )")
_OF_ALL = re.compile(r"\(([\d,]+ of [\d,]+ small cases[^(),]*)(, also [^()]*)?\)")
_WITHIN = re.compile(rf"in ([\d,]+) of the ([\d,]+) (?:small cases|cases tried) (.+){IN_NO_OTHERS}")
OFTEN = {0.9: ("nearly always", "mostly"), 0.75: ("mostly",)}
EXAMPLE = ", e.g. "
CURT = {
    "is not a multiple": "is no multiple",
    "at least as many samples as ranks": "no fewer samples than ranks",
    OTHER_CASES: "others",
}
NOT_ALL = ", not always"
"""Behind a condition without which nothing fails, so that nobody takes it for all that is needed."""
_ALL_SMALL = re.compile(rf"{SMALL} (.+?)(?: \([\d,]+ of [\d,]+\))?; larger ones may differ")
_MADE_UP, _FAULT = re.compile(r"^with made-up .*?(?=in \d)"), re.compile(r"([^:(]+): .+ \((\w+)\)")
_COMMA = re.compile(
    r"[,;] (?=[a-z])(?!and [\d\[n]|fails |yields |says |in |which |stopped |went |the |interrupted |but )"
    r"(?!rank \d)|: (?=\d)"
)
_EPOCH = re.compile(r" (?:in|of) epoch 0|^In epoch 0 (?=\w)|(?<= by a new iterator) after a break$")
_ASIDE = re.compile(r"(?<! and)(?<! or)(?<! when)(?<! of)(?<! with)(?<! from)(?<![%*]) \([^()]* [^()]*\)")
_PHASE = re.compile(r"(?<= raises )(.+?) (?:before it yields|while it is|in set_epoch|in len\(\)).*")
_MESSAGE, _CLAUSE = re.compile(r"(?<= raises )(\w+): .+"), re.compile(r"[;:] |, then ")
_HALT = re.compile(r", stopped after [^,]+,(?= yields )")
_CLAUSES, _SAYS = re.compile(r"(?:[;:,]|,? or) "), re.compile(r"\w+ \S+ \S+")
_ALTERNATIVE = re.compile(r", (?:or (?=with|on|where)|(?:sometimes|perhaps) in other cases)")
_WHENEVER, _NUMBERED = re.compile(r"(whenever [^,]+), or .+"), re.compile(r"epochs?\b|\bpass")
_PLACE = re.compile(
    r"length=(\d+) world_size=(\d+)(?: batch_size=(\d+))?((?: shuffle| drop_last)*)(?: \w+=\[.*\])?"
)
_NECESSARY = (
    (re.compile(r"whenever (?!.*, or )(.+?)(?: and | but not )"), "only when {}"),
    (re.compile(rf"always (.+) and {EITHER} "), "only {}"),
    (re.compile(r"always (?!.*, or )(?:on|with) .+ (where .+)"), "only {}"),
    (re.compile(r"always (?!.*, or )(on .+?) (?:with|without|where) "), "only {}"),
)
_AND_WHEN, _CODE = re.compile(r"([^;]+? \(SC\d+\)), ([^;]+)"), re.compile(r" \(SC\d+\)$")


def _split_kind(text: str) -> tuple[str, str]:
    """Return the kind of situation that a law is broken in, which is never left out, and in which cases."""
    kind, colon, where = text.partition(": ")
    return (f"{kind}: ", where) if colon and ";" not in kind else ("", text)


def names_kind(text: str) -> bool:
    """Whether it is said in which kind of situation a law is broken, such as after a resume."""
    return bool(_split_kind(text)[0])


def say_when_in_fewer_words(text: str) -> Iterator[str]:
    """Yield when a law fails with fewer numbers and in fewer words that say the same."""
    kind, where = _split_kind(text)
    yield from (f"{kind}{one}" for one in _say_where_in_fewer_words(where))


def _say_where_in_fewer_words(text: str) -> Iterator[str]:
    yield text
    told, example, _ = text.partition(EXAMPLE)
    if example:
        yield told
        text = told
    seldom, smallest, case = text.partition(SMALLEST)
    often, _, _ = seldom.partition(", no ")
    if smallest:
        yield from (f"{often}, such as {case}", f"{_ASIDE.sub('', often)}, such as {case}")
    bare = _COUNTS.sub("", seldom if OTHER_CASES in seldom else text)
    yield from (bare, _say_curtly(bare))
    if small := _ALL_SMALL.fullmatch(text):
        yield from (
            one for some in (small[1], _say_curtly(small[1])) for one in (f"{SMALL} {some}", f"{ONLY} {some}")
        )
    if bare.startswith("seen only "):  # which says as much
        yield bare.removesuffix(f", {NOT_ALWAYS}")
    yield from _say_mostly(bare)
    _, only, where = bare.partition(f", {ONLY} ")
    if only:
        yield from (f"sometimes, {ONLY} {where}", f"{ONLY} {where}")


def _say_mostly(text: str) -> Iterator[str]:
    """Yield of what fails in a part of some cases, and in no others, whether that is nearly all of them."""
    if found := _WITHIN.fullmatch(text):
        failing, inside = (int(number.replace(",", "")) for number in found.groups()[:2])
        where = found[3].replace(f" {RATHER[NOT_EMPTY]}", "")
        often = next((words for share, words in OFTEN.items() if failing >= share * inside), ())
        told = [f"{one} {where}" for one in often] or [f"sometimes, {ONLY} {where}", f"sometimes {where}"]
        yield from (one for some in told for one in (some, _say_curtly(some)))
        if often:
            part = re.sub(r"^[^,]+ (?=where )", "", where)  # each part is as necessary
            yield from _say_necessary(f"{ONLY} {part}")


def _say_necessary(text: str) -> Iterator[str]:
    """Yield without which condition nothing fails, where there is room also that it is not enough."""
    yield from (f"{one}{end}" for end in (NOT_ALL, "") for one in (text, _say_curtly(text)))


def _say_curtly(text: str) -> str:
    for words, fewer in CURT.items():
        text = text.replace(words, fewer)
    return text


def say_when_in_short(text: str) -> Iterator[str]:
    """Yield when a law fails in fewer and fewer words, in the end a part of it that is true as well."""
    kind, where = _split_kind(text)
    yield from (f"{kind}{one}" for one in _say_where_in_short(where))
    if kind:
        yield kind.removesuffix(": ")


def _say_where_in_short(text: str) -> Iterator[str]:
    seldom, smallest, case = text.partition(SMALLEST)
    number = _OF_ALL.search(text)
    if number and number[2]:
        yield from (text, f"in {number[1]}{number[2]}")
    yield from _say_where_in_fewer_words(text)
    if smallest:
        often = seldom.partition(", no ")[0]
        bare = _ASIDE.sub("", often)
        yield from (one for some in (bare, bare.partition(" and ")[0]) for one in _give_place(some, case))
        yield from (seldom, often, _ASIDE.sub("", often))
    bare = _COUNTS.sub("", seldom)
    head, only, _ = text.partition(f", {ONLY} ")
    if only:
        yield head
    if OTHER_CASES in bare and number:  # no half of what is not all
        few = f"in {number[1]}"
        yield from (f"{few}, such as {case}", *_give_place(few, case), few) if smallest else (few,)
    yield from (short := _ASIDE.sub("", bare), often := short.partition(", no ")[0], _MADE_UP.sub("", often))
    if found := _WHENEVER.fullmatch(bare):
        yield from (found[1], _say_curtly(found[1]))
    for some in (bare, _say_curtly(bare), text):
        ends = [found.start() for found in _ALTERNATIVE.finditer(some)]
        more = ", and others" if OTHER_CASES in some else ""
        yield from (some[:end].replace(f" and {EITHER} ", " and ") + more for end in reversed(ends))
    if number and text.startswith(EXACT):  # no half of a formula
        yield f"in {number[1]}, {LONG_RULE}"
    if not bare.endswith(OTHER_CASES):
        starts = [(pattern.match(bare), words) for pattern, words in _NECESSARY]
        yield from (one for found, words in starts if found for one in _say_necessary(words.format(found[1])))


def _give_place(often: str, case: str) -> Iterator[str]:
    """Yield how often a law fails with an example in words, of which made-up features are left out."""
    if found := _PLACE.fullmatch(case):
        length, ranks, batch = (int(number or 1) for number in found.groups()[:3])
        flags = [*([f"batch_size {batch}"] if batch > 1 else []), *(found[4] or "").split()]
        more = f" with {join_words(flags)}" if flags else ""
        yield f"{often}, such as {pluralise(length, 'sample')} on {pluralise(ranks, 'rank')}{more}"


def say_seen_in_short(text: str) -> Iterator[str]:
    """Yield what was seen in fewer words, each time with its case and without; no half of a comparison."""
    seen, case = split_case(text.removesuffix("."))
    case = f" ({case})." if case else "."
    bare = seen if len(_NUMBERED.findall(seen)) > 1 else _EPOCH.sub("", seen)
    named = _MESSAGE.sub(r"\1", raised := _PHASE.sub(r"\1", seen))
    less = _ASIDE.sub("", bare)
    for some in dict.fromkeys((seen, bare, _ASIDE.sub("", seen), less, raised, named, _HALT.sub("", less))):
        for end in (None, *(comma.start() for comma in reversed([*_COMMA.finditer(some)]))):
            if (part := sentence(some[:end]).removesuffix(".")).count("(") == part.count(")"):
                yield from dict.fromkeys((f"{part}{case}", f"{part}."))


def drop_sentences(text: str) -> Iterator[str]:
    """Yield a text without its last sentence, without its last two, and so on; then clauses of the first."""
    ends = [found.start() for found in NEXT_SENTENCE.finditer(text)]
    yield from (text[:end] for end in reversed(ends))
    yield (bare := _ASIDE.sub("", text[: ends[0]] if ends else text))
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


def drop_fault(text: str) -> Iterator[str]:
    """Yield what a mistake does without what to do, fewer words on when, its law or what is wrong."""
    text, semicolon, _ = text.partition("; ")
    if semicolon:
        yield text
    if told := _AND_WHEN.fullmatch(text):
        yield from (f"{told[1]}, {when}" for when in say_when_in_short(told[2]))
        text = told[1]
    yield from (text, _CODE.sub("", text))
    if found := _FAULT.match(text):
        yield f"{found[1]} ({found[2]})"


def drop_faults(text: str) -> Iterator[str]:
    """Yield what happens in training with fewer of its faults, each of them whole, or the first in brief."""
    faults = text.split("; ")
    fewer = range(len(faults) - 1, 0, -1)
    yield from ("; ".join([*faults[:most], f"{len(faults) - most} more"]) for most in fewer)
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
    bare = _ASIDE.sub("", meant)
    yield from (f"{one}{flag}{contract}" for one in (bare, *_drop_signs(bare)) if flag)


def _drop_signs(meant: str) -> Iterator[str]:
    first, *more = re.split(r", | and (?=[a-z]+ )", meant)
    yield from (f"{', '.join([first, *more[:most]])}, and more" for most in range(len(more) - 1, -1, -1))


SHORTENED: dict[str, Callable[[str], Iterator[str]]] = {
    "when": say_when_in_short,
    "found": say_seen_in_short,
    "and": drop_fault,
    "training": drop_code,
    "even so": drop_code,
    "if meant": name_fewer_signs,
    "seems": name_fewer_signs,
}
