"""Words of atoms: what each plain condition of a region is called, and how those that hold together are said.

Read by ``words``. A condition that has no words here stays as it is. Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from samplercheck.values.wording import join_words

WITH, WITHOUT = "with ", "without "
DIFFER = "differ between samples"
NOT_EMPTY = "length >= 1"

RATHER = {
    "shuffle": "with shuffle",
    "not shuffle": "without shuffle",
    "drop_last": "with drop_last",
    "not drop_last": "without drop_last",
    "seed == 0": "with seed 0",
    "seed != 0": "with a seed other than 0",
    NOT_EMPTY: "with 1 or more samples",
    "length == 0": "with an empty dataset",
    "length < 1": "with an empty dataset",
    "length == 1": "with a single sample",
    "world_size < 2": "on a single rank",
    "world_size == 1": "on a single rank",
    "batch_size < world_size": "with batch_size below world_size",
    "batch_size >= world_size": "with batch_size at least world_size",
    "length < world_size": "with fewer samples than ranks",
    "length >= world_size": "with at least as many samples as ranks",
    "length > world_size": "with more samples than ranks",
    "length <= world_size": "with no more samples than ranks",
    "2 * length < world_size": "with more than twice as many ranks as samples",
    "2 * length > world_size": "with fewer than twice as many ranks as samples",
    "length < 2 * world_size": "with fewer than two samples per rank",
    "length >= 2 * world_size": "with at least two samples per rank",
    "length < 2 * world_size * batch_size": "with fewer than 2 * world_size * batch_size samples",
    "length >= 2 * world_size * batch_size": "with at least 2 * world_size * batch_size samples",
    "length < world_size * batch_size": "with fewer than world_size * batch_size samples",
    "length >= world_size * batch_size": "with at least world_size * batch_size samples",
    "length > world_size * batch_size": "with more than world_size * batch_size samples",
}
"""Conditions that are said in front of or behind a clause."""
_RATHER = (
    (r"(\d+) <= length <= (\d+)", r"with \1 to \2 samples"),
    (r"(\d+) <= world_size <= (\d+)", r"on \1 to \2 ranks"),
    (r"(\d+) <= batch_size <= (\d+)", r"with batch_size \1 to \2"),
    (r"length >= (\d+)", r"with \1 or more samples"),
    (r"length < (\d+)", r"with fewer than \1 samples"),
    (r"length == (\d+)", r"with \1 samples"),
    (r"world_size >= (\d+)", r"on \1 or more ranks"),
    (r"world_size < (\d+)", r"on fewer than \1 ranks"),
    (r"world_size == (\d+)", r"on \1 ranks"),
    (r"batch_size >= (\d+)", r"with batch_size \1 or more"),
    (r"batch_size < (\d+)", r"with batch_size below \1"),
    (r"batch_size == (\d+)", r"with batch_size \1"),
    (r"(\w+) == (True|False|None|\d+|'[^']*')", r"with \1=\2"),
    (r"world_size > ([a-z_]\w*)", r"on more ranks than \1"),
    (r"world_size <= ([a-z_]\w*)", r"on no more ranks than \1"),
    (r"length < ([a-z_]\w*)", r"with fewer samples than \1"),
    (r"length > ([a-z_]\w*)", r"with more samples than \1"),
    (r"length >= ([a-z_]\w*)", r"with at least as many samples as \1"),
    (r"length == ([a-z_]\w*)", r"with just as many samples as \1"),
)
_DIVIDED = {
    "length": "length",
    r"ceil\(length / world_size\)": "a rank's share, rounded up,",
    "length // world_size": "a rank's share, rounded down,",
    r"ceil\(length / batch_size\)": "the number of batches",
    "length // batch_size": "the number of full batches",
    r"ceil\(length / \(world_size \* batch_size\)\)": "the number of global batches",
}
_LEFT = {
    "!= 0": r"is no multiple of \1",
    "== 0": r"is a multiple of \1",
    "> 1": r"divided by \1 leaves more than 1",
    "<= 1": r"divided by \1 leaves 0 or 1",
    "== 1": r"divided by \1 leaves 1",
}
_COMPARES = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}
REMAINDER = "the remainder of length / world_size"
_CLAUSES = (
    (r"ceil\(length / world_size\) % batch_size == 1", "a rank's last, unfilled batch holds 1 sample"),
    *(
        (rf"{divided} % \(?([\w *]+?)\)? {left}", f"{said} {leaves}")
        for divided, said in _DIVIDED.items()
        for left, leaves in _LEFT.items()
    ),
    (r"2 \* \(length % world_size\) != world_size", f"{REMAINDER} is not half of world_size"),
    (r"2 \* \(length % world_size\) == world_size", f"{REMAINDER} is half of world_size"),
    (r"world_size % 2 != 0", "world_size is odd"),
    (r"world_size % 2 == 0", "world_size is even"),
    (r"(\w+) % (\w+) != 0", r"\1 is no multiple of \2"),
    (r"(\w+) % (\w+) == 0", r"\1 is a multiple of \2"),
    (r"ceil\(length / (\w+)\) % world_size != 0", r"ceil(length / \1) is no multiple of world_size"),
    (r"ceil\(length / (\w+)\) % world_size == 0", r"ceil(length / \1) is a multiple of world_size"),
    (r"length // (\w+) % world_size != 0", r"length // \1 is no multiple of world_size"),
    (r"length // (\w+) % world_size == 0", r"length // \1 is a multiple of world_size"),
    *(
        (rf"ceil\(length / world_size\) \* world_size {sign} (\w+)", rf"length, once padded, is {said} \1")
        for sign, said in _COMPARES.items()
    ),
    (r"ceil\(length / world_size\) > batch_size", "some rank gets more than one batch"),
    (r"ceil\(length / world_size\) >= batch_size", "some rank gets a whole batch"),
    (r"ceil\(length / world_size\) < batch_size", "no rank gets a whole batch"),
    (r"ceil\(length / world_size\) > (\w+)", r"some rank gets more than \1 samples"),
    (r"ceil\(length / world_size\) >= (\w+)", r"some rank gets \1 samples or more"),
    (r"ceil\(length / world_size\) == (\w+)", r"the largest share holds \1 samples"),
    (r"ceil\(length / world_size\) < (\w+)", r"each rank gets fewer than \1 samples"),
    (r"ceil\(length / world_size\) <= (\w+)", r"no rank gets more than \1 samples"),
    (r"len\(set\((\w+)\)\) > 1", rf"\1 {DIFFER}"),
    (r"len\(set\((\w+)\)\) == 1", r"all \1 are alike"),
    (r"min\(map\(.*\), default=0\) < (\w+)", r"a label has fewer than \1 samples"),
    (r"min\(map\(.*\), default=0\) >= (\w+)", r"each label has \1 samples or more"),
    (r"len\(list\(groupby\((\w+)\)\)\) > .*", r"equal \1 do not lie side by side"),
    (r"len\(list\(groupby\((\w+)\)\)\) == .*", r"equal \1 lie side by side"),
    (r"max\(labels\) >= len\(set\(labels\)\)", "a label below the highest has no sample"),
    (r"max\(lengths\) > (\w+)", r"a sample is longer than \1"),
    (r"max\(lengths\) <= (\w+)", r"no sample is longer than \1"),
    (r"sum\(lengths\) > (\w+)", r"all samples together are longer than \1"),
    (r"sum\(lengths\) <= (\w+)", r"all samples together are no longer than \1"),
    (r"max\((\w+)\) > (\w+)", r"a value in \1 is above \2"),
)
"""Conditions that are clauses, whatever has neither words is one too, as it stands."""
NEITHER = ("length is no multiple of world_size", f"{REMAINDER} is not half of world_size")
_MULTIPLE = re.compile(r"(.+?),? is (no|a) multiple of (.+)")
_OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_LOW = re.compile(r"(length|world_size|batch_size) >= (\d+)")
_HIGH = re.compile(r"(length|world_size|batch_size) < (\d+)")
_COMPARED = re.compile(r"([^<>=!]+) (==|!=|<=|>=|<|>) ([^<>=!]+)")


class Said(NamedTuple):
    """Conditions that hold together: what is said with a preposition, and clauses."""

    rather: tuple[str, ...]
    clauses: tuple[str, ...]

    @property
    def after_always(self) -> str:
        """What is said of cases that all fail."""
        if self.rather or not self.clauses:
            return f"always {self.with_where}"
        return f"whenever {join_clauses(self.clauses)}"

    @property
    def with_where(self) -> str:
        """What is said of cases that are counted: no comma, which could be read as "or"."""
        shared = [text.removeprefix(WITH) for text in self.rather if text.startswith(WITH)]
        having = [WITH + join_words(shared)] if shared else []
        having += [text for text in self.rather if text.startswith(WITHOUT)]
        places = [text for text in self.rather if not text.startswith((WITH, WITHOUT))]
        where = [f"where {join_clauses(self.clauses)}"] if self.clauses else []
        return " ".join([*places, *([" and ".join(having)] if having else []), *where])


def join_clauses(clauses: tuple[str, ...]) -> str:
    """Join clauses that hold together; what one thing is a multiple of, and what not, is said at once."""
    if set(clauses) == set(NEITHER):
        return f"{REMAINDER} is neither 0 nor half of world_size"
    found = [_MULTIPLE.fullmatch(clause) for clause in clauses]
    match sorted(one.groups() for one in found if one):
        case [(one, "a", of), (other, "no", not_of)] if one == other and all(found):
            return f"{one} is a multiple of {of} but not of {not_of}"
    return " and ".join(clauses)


def _join_bounds(atoms: list[str]) -> list[str]:
    """Return the conditions with a lower and an upper bound of one number as a single one."""
    for both in (one for one in atoms if " >= " in one and one.replace(" >= ", " <= ") in atoms):
        same = both.replace(" >= ", " == "), both.replace(" >= ", " <= ")
        return _join_bounds([same[0] if one == both else one for one in atoms if one != same[1]])
    for low in (one for one in map(_LOW.fullmatch, atoms) if one):
        for high in (one for one in map(_HIGH.fullmatch, atoms) if one and one[1] == low[1]):
            name, first, last = low[1], int(low[2]), int(high[2]) - 1
            bounds = f"{name} == {first}" if first == last else f"{first} <= {name} <= {last}"
            rest = [atom for atom in atoms if atom != high[0]]
            return [bounds if atom == low[0] else atom for atom in rest] if first <= last else atoms
    return atoms


def _join_rests(atoms: list[str]) -> list[str]:
    """Return the conditions with a remainder that is not 0 and at most 1 as one that is 1."""
    for atom in atoms:
        low = f"{atom.removesuffix(' != 0')} <= 1"
        if atom.endswith(" != 0") and "%" in atom and low in atoms:
            return [low.replace("<=", "==") if one == atom else one for one in atoms if one != low]
    return atoms


def say_all(atoms: list[str]) -> Said:
    """Return what is said of conditions that hold together."""
    said = [say(atom) for atom in _join_rests(_join_bounds(atoms))]
    return Said(
        tuple(text for one in said for text in one.rather),
        tuple(text for one in said for text in one.clauses),
    )


def say(atom: str) -> Said:
    """Return what is said of one condition."""
    if atom in RATHER:
        return Said((RATHER[atom],), ())
    for pattern, words in _RATHER:
        if found := re.fullmatch(pattern, atom):
            return Said((found.expand(words),), ())
    for pattern, words in _CLAUSES:
        if found := re.fullmatch(pattern, atom):
            return Said((), (found.expand(words),))
    return Said((), (atom,))


def oppose(atom: str) -> str:
    """Return the condition that holds where another does not; empty for one that is no comparison."""
    if found := _COMPARED.fullmatch(atom):
        return f"{found[1]} {_OPPOSITES[found[2]]} {found[3]}"
    if atom.removeprefix("not ").isidentifier():
        return atom.removeprefix("not ") if atom.startswith("not ") else f"not {atom}"
    return ""
