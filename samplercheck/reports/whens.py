"""Whens: when a law fails, in fewer and fewer words, each time something that is true by itself.

Asked by ``brevity`` and by what has a line for it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from samplercheck.explain.atom_words import NOT_EMPTY, RATHER
from samplercheck.explain.words import EITHER, EXACT, IN_NO_OTHERS, NOT_ALWAYS, ONLY, SMALL
from samplercheck.reports.occurrence import LONG_RULE, OTHER_CASES, SMALLEST, SUCH_AS
from samplercheck.values.wording import join_words, pluralise

_COUNTS = re.compile(rf" \([\d,]+ of [\d,]+[^()]*\)(?=$|, {ONLY} |{IN_NO_OTHERS})")
_OF_ALL = re.compile(r"\(([\d,]+ of [\d,]+ small cases[^(),]*)(, also [^()]*)?\)")
_WITHIN = re.compile(rf"in ([\d,]+) of the ([\d,]+) (?:small cases|cases tried) (.+){IN_NO_OTHERS}")
OFTEN = {0.9: ("nearly always", "mostly"), 0.75: ("mostly",), 0.6: ("in most cases",)}
SOMETIMES = ("in some cases", "sometimes")
"""The second, which sounds like chance, where there is no room for the first."""
EXAMPLE = ", e.g. "
CURT = {
    "at least as many samples as ranks": "no fewer samples than ranks",
    OTHER_CASES: "others",
}
NOT_ALL = ", not always"
"""Behind a condition without which nothing fails, so that nobody takes it for all that is needed."""
_ALL_SMALL = re.compile(rf"{SMALL} (.+?)(?: \([\d,]+ of [\d,]+\))?; larger ones may differ")
_ALTERNATIVE = re.compile(r", (?:or (?=with|on|where)|(?:sometimes|perhaps) in other cases)")
_ANOTHER = re.compile(r"always .+?, or ([^,]+)")
_FIRST_COUNT = re.compile(r"in [\d,]+ of [\d,]+ small cases")
_WHENEVER = re.compile(r"(whenever [^,]+), or .+")
_PLACE = re.compile(
    r"length=(\d+) world_size=(\d+)(?: batch_size=(\d+))?((?: shuffle| drop_last)*)(?: \w+=\[.*\])?"
)
_NECESSARY = (
    (re.compile(r"always (?!.*, or )(with (?:fewer|no more|less) [^,]+?) where "), "only {}"),
    (re.compile(r"whenever (?!.*, or )(.+?)(?: and | but not )"), "only when {}"),
    (re.compile(rf"always (.+) and {EITHER} "), "only {}"),
    (re.compile(r"always (?!.*, or )(?:on|with|without) .+ (where .+)"), "only {}"),
    (re.compile(r"always (?!.*, or )(on .+?) (?:with|without|where) "), "only {}"),
    (re.compile(r"always (?!.*, or )(with .+?) and (?:with|without) "), "only {}"),
    (re.compile(r"always (?!.*, or )((?:with|without) \w+) where "), "only {}"),
    (re.compile(r"in all .*?cases tried (?!.*, or )(on .+?) (?:with|without|where) "), "seen only {}"),
)
_MADE_UP_VALUES = re.compile(r" \w+=\[.*\]")
_MADE_UP = re.compile(r"^with made-up .*?(?=in \d)")
ASIDE = re.compile(r"(?<! and)(?<! or)(?<! when)(?<! of)(?<! with)(?<! from)(?<![%*]) \([^()]* [^()]*\)")


def _split_kind(text: str) -> tuple[str, str]:
    """Return the kind of situation that a law is broken in, which is never left out, and in which cases."""
    kind, colon, where = text.partition(": ")
    is_kind = colon and ";" not in kind and kind.count("(") == kind.count(")")
    return (f"{kind}: ", where) if is_kind else ("", text)


def names_kind(text: str) -> bool:
    """Whether it is said in which kind of situation a law is broken, such as after a resume."""
    return bool(_split_kind(text)[0])


def leave_out_kind(text: str, said: str) -> str:
    """Return in which cases a law is broken alone, if the kind of situation is said already."""
    kind, where = _split_kind(text)
    return where if kind and kind.removesuffix(": ") in said else text


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
        yield from (f"{often}{SUCH_AS}{case}", f"{ASIDE.sub('', often)}{SUCH_AS}{case}")
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
        yield from (f"{some}, {ONLY} {where}" for some in SOMETIMES)
        yield f"{ONLY} {where}"


def _say_mostly(text: str) -> Iterator[str]:
    """Yield of what fails in a part of some cases, and in no others, whether that is nearly all of them."""
    if found := _WITHIN.fullmatch(text):
        failing, inside = (int(number.replace(",", "")) for number in found.groups()[:2])
        where = found[3].replace(f" {RATHER[NOT_EMPTY]}", "")
        often = next((words for share, words in OFTEN.items() if failing >= share * inside), ())
        told = [f"{one} {where}" for one in often]
        told = told or [f"{some}{only}{where}" for some in SOMETIMES for only in (f", {ONLY} ", " ")]
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
    if text.startswith(EXAMPLE.lstrip(", ")):
        yield _MADE_UP_VALUES.sub("", text)
    if kind:
        yield kind.removesuffix(": ")


def _say_where_in_short(text: str) -> Iterator[str]:
    seldom, smallest, case = text.partition(SMALLEST)
    number = _OF_ALL.search(text)
    if number and number[2]:
        yield from (text, f"in {number[1]}{number[2]}")
    yield from _say_where_in_fewer_words(text)
    often, such_as, example = text.partition(SUCH_AS)
    if such_as:
        yield from (*_give_place(often, example), often)
    if smallest:
        yield from _give_smallest(seldom, case)
    bare = _COUNTS.sub("", seldom)
    head, only, _ = text.partition(f", {ONLY} ")
    if only:
        yield head
    if bare.endswith(OTHER_CASES) and ", or " not in bare:  # one rule, which is said whole
        yield from (one for some in (bare, _say_curtly(bare)) for one in _say_a_part(some))
    if OTHER_CASES in bare and number:  # no half of what is not all
        few = f"in {number[1]}"
        yield from (f"{few}{SUCH_AS}{case}", *_give_place(few, case), few) if smallest else (few,)
    yield from (short := ASIDE.sub("", bare), often := short.partition(", no ")[0], _MADE_UP.sub("", often))
    if found := _WHENEVER.fullmatch(bare):
        yield from (found[1], _say_curtly(found[1]))
    yield from (one for some in (bare, _say_curtly(bare), text) for one in _say_a_part(some))
    if number and text.startswith(EXACT):  # no half of a formula
        yield f"in {number[1]}, {LONG_RULE}"
    if not bare.endswith(OTHER_CASES):
        starts = [(pattern.match(bare), words) for pattern, words in _NECESSARY]
        yield from (one for found, words in starts if found for one in _say_necessary(words.format(found[1])))
    yield from _say_least(bare, text)


def _say_a_part(text: str) -> Iterator[str]:
    """Yield one of several conditions that are enough, the shortest first, and that there are others."""
    heads = [text[: found.start()] for found in _ALTERNATIVE.finditer(text)]
    last = None if f" {EITHER} " in text else _ANOTHER.fullmatch(text)
    if last and heads and len(last[1]) < len(heads[0]):
        yield f"always {last[1]}, and others"
    yield from (f"{head.replace(f' and {EITHER} ', ' and ')}, and others" for head in reversed(heads))


def _say_least(bare: str, text: str) -> Iterator[str]:
    """Yield another of several conditions, as each is enough, or how many small cases fail."""
    if found := _ANOTHER.fullmatch(bare):
        yield f"always {found[1]}"
    if found := _FIRST_COUNT.match(text):
        yield found[0]


def _give_smallest(seldom: str, case: str) -> Iterator[str]:
    """Yield in how many cases a law fails, with the smallest one as it is, which names what is made up."""
    often = seldom.partition(", no ")[0]
    bare = ASIDE.sub("", often)
    yield f"{_MADE_UP.sub('', bare)}{SUCH_AS}{case}"
    # Of two counts one is true by itself; of two conditions that are enough together one is not enough.
    counted = (bare.partition(" and ")[0],) if _FIRST_COUNT.match(bare) else ()
    yield from (one for some in (bare, *counted) for one in _give_place(some, case))
    yield from (seldom, often, ASIDE.sub("", often))


def _give_place(often: str, case: str) -> Iterator[str]:
    """Yield how often a law fails with an example in words, of which made-up features are left out."""
    if found := _PLACE.fullmatch(case):
        length, ranks, batch = (int(number or 1) for number in found.groups()[:3])
        flags = [*([f"batch_size {batch}"] if batch > 1 else []), *(found[4] or "").split()]
        more = f" with {join_words(flags)}" if flags else ""
        yield f"{often}{SUCH_AS}{pluralise(length, 'sample')} on {pluralise(ranks, 'rank')}{more}"
