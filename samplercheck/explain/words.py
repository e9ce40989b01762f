"""Words: the conditions of a region as people say them, "whenever length is no multiple of world_size".

Read by reports, which hold a region as text. A condition that has no words here stays a formula. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from samplercheck.explain.atom_words import (
    DIFFER,
    NOT_EMPTY,
    RATHER,
    WITH,
    Said,
    join_clauses,
    oppose,
    say,
    say_all,
)

EXACT = "exactly when"
SUFFICIENT = "at least when"
NECESSARY = "only when"
EVERYWHERE = "in every case"
LUCK = ", except by chance"
"""Behind a region that leaves cases out in which a law holds with some seeds alone."""
UNDECIDED = "; undecided where "
"""Behind the region of a law that fails in every case that could be judged, before what the others are."""
BY_CHANCE = "by chance"
"""The region of what is drawn: another seed would decide otherwise in the same case."""
TRIED = "in all tried cases when"
SINCE = "not before"
IN_A_ROW = "not in {} epochs in a row (seen in epoch {:,})"
"""Of what shows in a far epoch alone: how many were looked at says nothing of the target."""
LATER_ONLY = (SINCE, "not in ")
IN_SOME_ORDERS = "depending on the order of the samples, such as that of epoch {:,}"
IN_FIRST = "in the first "
"""Before a region of a law that later epochs keep, as in "in the first 2 of 40 epochs, exactly when ..."."""
NOT_ALWAYS = "and not always there"
ONLY = "only"
IN_NO_OTHERS = ", and in no others"
SMALL = "in all small cases"
ALWAYS = "always, "
EXCEPT_EMPTY = ", except for an empty dataset"
BUT_EMPTY = f"always{EXCEPT_EMPTY}"
EITHER = "either"
_FIRST_EPOCHS = re.compile(rf"{IN_FIRST}(?:(\d+) )?(?:of (\d+) )?epochs?")
_PARENTHESISED = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")

_ENOUGH = re.compile(r"length >= \d|length >=? (2 \* )?world_size( \* batch_size)?|2 \* length > world_size")
"""What every dataset meets that is not tiny."""
_MULTIPLE = re.compile(r"(.+?),? (is (?:no|a) multiple of .+)")


def say_region(region: str, *, failing: int = 0, tried: int = 0, inside: int = 0) -> str:
    """Say a region, as a run tells it, in words; empty where there are none for it.

    ``failing`` of ``tried`` small cases fail, ``inside`` counts those in the region; 0 where it is not known.
    """
    if region == EVERYWHERE:
        return "always"
    if region.startswith(f"{EVERYWHERE}{UNDECIDED}"):
        others = ", or ".join(one.with_where for one in _say_either(region.partition(UNDECIDED)[2]))
        return BUT_EMPTY if others == RATHER["length == 0"] else f"always; undecided {others}"
    if region == BY_CHANCE:
        return f"{BY_CHANCE}, {say_how_often(failing, tried)}" if failing else BY_CHANCE
    counts = {"failing": failing, "tried": tried, "inside": inside}
    if region.endswith(LUCK):
        text = say_region(region.removesuffix(LUCK), **counts)
        mostly = re.sub(r"^(?=always|whenever)", "nearly ", text)
        return mostly if region.startswith(SUFFICIENT) or not text else f"{text}{LUCK}"
    before, rest = split_epochs(region)
    if before:
        text = say_region(rest, **counts)
        return f"{before}: {text}" if text else "" if rest else before
    claim = next((one for one in _SAYINGS if region.startswith(f"{one} ")), "")
    return _say_claim(claim, region.removeprefix(f"{claim} "), **counts) if claim else region


def _say_claim(claim: str, condition: str, *, failing: int, tried: int, inside: int) -> str:
    """Say for which cases, under a condition, so much is claimed; empty where there are no words."""
    said = _say_either(condition)
    if not said:
        return ""
    if claim == SUFFICIENT and _is_of_all_but_tiny(condition):
        return f"always, but {'for some' if failing > inside > 0 else 'perhaps not for'} tiny datasets"
    exception = _say_exception(condition) if claim == EXACT else ""
    return exception or _SAYINGS[claim](said, failing, tried, inside)


def split_epochs(region: str) -> tuple[str, str]:
    """Return in words in which epochs a law is broken, and the rest of a region; often of all epochs."""
    if not region.startswith((*LATER_ONLY, IN_FIRST)):
        return "", region
    before, _, rest = region.partition(", ")
    if before == f"{SINCE} epoch 1":
        return "from the second epoch on", rest
    if found := _FIRST_EPOCHS.fullmatch(before):
        number, tried = int(found[1] or 1), int(found[2] or 0)
        first = f"first {number}" if number > 1 else "first"
        epochs = f"of {tried} epochs" if tried > number else "epochs" if number > 1 else "epoch"
        return f"only in the {first} {epochs}", rest
    return before, rest


def say_how_often(failing: int, tried: int) -> str:
    """Say in how many small cases a law fails; a word such as "some" would be read as said of training."""
    return f"in {failing:,} of {tried:,} small cases"


def _is_of_all_but_tiny(condition: str) -> bool:
    """Whether a condition asks for several sizes, and any dataset has them that is not tiny."""
    atoms = _split(condition, " and ")
    return len(atoms) > 1 and all(map(_ENOUGH.fullmatch, atoms))


def _say_exception(condition: str) -> str:
    """Say plain alternatives by the cases in which none of them holds; empty where there are no words."""
    parts = _split(_leave_out_empty_atom(condition), " and ")
    nested = [part for part in parts if _split(_bare(part), " or ")[1:]]
    if len(nested) != 1:
        return ""
    either = [_leave_out_empty_atom(_bare(one)) for one in _split(_bare(nested[0]), " or ")]
    none, both = say_all(list(map(oppose, either))), say_all([one for one in parts if one not in nested])
    if none.clauses or both.clauses:
        return ""
    always = f"always {both.with_where}, " if parts[1:] else ALWAYS
    return f"{always}except {none.with_where}"


def _leave_out_empty_atom(condition: str) -> str:
    """Return a condition without that the dataset is not empty, if another one stands beside that."""
    others = [part for part in _split(condition, " and ") if part != NOT_EMPTY]
    return " and ".join(others) or condition


def _say_exact(said: tuple[Said, ...], *_: int) -> str:
    if said == (say(NOT_EMPTY),):
        return BUT_EMPTY
    said = tuple(map(_leave_out_empty, said))
    if len(said) == 1:
        return said[0].after_always
    if by_flag := _say_by_flag(said):
        return by_flag
    if all(one.clauses and not one.rather for one in said):
        return f"whenever {', or '.join(join_clauses(one.clauses) for one in said)}"
    return f"always {_say_in_turn(said)}"


def _say_in_turn(said: tuple[Said, ...]) -> str:
    """Say alternatives one after the other, what all of them ask for before the first."""
    shared = tuple(text for text in said[0].rather if all(text in one.rather for one in said))
    own = [one._replace(rather=tuple(text for text in one.rather if text not in shared)) for one in said]
    if not shared or not all(one.rather or one.clauses for one in own):
        return ", or ".join(one.with_where for one in said)
    return f"{Said(shared, ()).with_where} and {EITHER} {', or '.join(one.with_where for one in own)}"


def _say_by_flag(said: tuple[Said, ...]) -> str:
    """Say two alternatives at once that a flag tells apart, if both are about what is a multiple."""
    pair = {one.rather[0]: one.clauses[0] for one in said if len(one.rather) == len(one.clauses) == 1}
    flag = next((text.removeprefix(WITH) for text in pair if text.startswith(WITH)), "")
    found = [_MULTIPLE.fullmatch(pair.get(text, "")) for text in (f"without {flag}", f"{WITH}{flag}")]
    without, given = (one.groups() if one else ("", "") for one in found)
    if len(said) != len(found) or not without[1] or without[1] != given[1]:
        return ""
    return f"whenever {without[0]} (with {flag}: {given[0]}) {given[1]}"


def _say_sufficient(said: tuple[Said, ...], failing: int, _: int, inside: int) -> str:
    others = "sometimes" if failing > inside > 0 else "perhaps"
    return f"{_say_exact(said)}, {others} in other cases"


def _say_necessary(said: tuple[Said, ...], failing: int, tried: int, inside: int) -> str:
    where = ", or ".join(one.with_where for one in said)
    if failing and where.endswith(DIFFER):
        name = where.removesuffix(f" {DIFFER}").rpartition(" ")[2]
        return f"{ONLY} {where} ({failing:,} of {tried:,} small cases with made-up {name})"
    if failing and failing == inside:
        return f"{SMALL} {where} ({failing:,} of {tried:,}); larger ones may differ"
    if inside > failing > 0 and said != (say(NOT_EMPTY),):
        return f"in {failing:,} of the {inside:,} small cases {where}{IN_NO_OTHERS}"
    where = ", or ".join(_leave_out_empty(one, "with 2 or more samples").with_where for one in said)
    if failing:
        often = say_how_often(failing, tried)
        return often if said == (say(NOT_EMPTY),) else f"{often}, {ONLY} {where}"
    return f"seen only {where}, {NOT_ALWAYS}"


def _say_tried(said: tuple[Said, ...], failing: int, _: int, inside: int) -> str:
    """Say how many cases a condition rests on, where that is known: of few another one may be true."""
    cases = {0: "all cases", 1: "the one case"}.get(seen := inside or failing, f"all {seen:,} cases")
    return f"in {cases} tried {', or '.join(_leave_out_empty(one).with_where for one in said)}"


def _leave_out_empty(said: Said, *also: str) -> Said:
    """Return conditions without the one that the dataset is not empty, and others, if any are left."""
    rather = tuple(text for text in said.rather if text not in (RATHER[NOT_EMPTY], *also))
    return said._replace(rather=rather) if rather or said.clauses else said


_SAYINGS: dict[str, Callable[[tuple[Said, ...], int, int, int], str]] = {
    EXACT: _say_exact,
    SUFFICIENT: _say_sufficient,
    NECESSARY: _say_necessary,
    TRIED: _say_tried,
}


def _say_either(condition: str) -> tuple[Said, ...]:
    """Return what is said of each of the alternatives of a condition, with what all of them share."""
    parts = _split(condition, " and ")
    nested = [part for part in parts if " or " in part and part.startswith("(")]
    if len(nested) > 1:
        return ()
    if not nested:
        return tuple(say_all(_split(_bare(one), " and ")) for one in _split(condition, " or "))
    common = [part for part in parts if part not in nested]
    return tuple(say_all([*common, *_split(_bare(one), " and ")]) for one in _split(_bare(nested[0]), " or "))


def _split(text: str, word: str) -> list[str]:
    """Split a text at a word that is in no parentheses."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth and text.startswith(word, at):
            parts.append(text[start:at])
            start = at + len(word)
    return [*parts, text[start:]]


def _bare(text: str) -> str:
    """Return a text without the parentheses around all of it."""
    whole = text.startswith("(") and _PARENTHESISED.fullmatch(text)
    return text[1:-1] if whole and (" and " in text or " or " in text) else text


def by_places(text: str, *, replicas: int) -> str:
    """Return what is said of ranks in terms of the places in the data, which so many ranks share each."""
    if replicas == 1:
        return text
    dealt = text.replace("rank::world_size", f"rank // {replicas}::world_size // {replicas}")
    return re.sub(r"\bworld_size\b(?! //)", f"(world_size // {replicas})", dealt)
