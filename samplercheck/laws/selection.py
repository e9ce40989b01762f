"""Which laws are run: from what a user selects and skips to laws, and to reasons.

Called by the engine and the command line. Laws are named by code, name, label or family; what is
unknown is an error that lists its neighbours. Imports the package's values and laws alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from samplercheck.laws import ALL_LAWS
from samplercheck.laws.history import HISTORY_LAWS
from samplercheck.laws.law import Law
from samplercheck.laws.own import own_laws
from samplercheck.values.errors import LawError

NEIGHBOURS = 4


def all_laws() -> tuple[Law, ...]:
    """Return the kit's laws, then the user's own."""
    return (*ALL_LAWS, *own_laws())


def select_laws(
    select: Iterable[str] = (), skip: Mapping[str, str] | Iterable[str] = ()
) -> tuple[tuple[Law, ...], dict[str, tuple[Law, str]]]:
    """Return the laws to run and, by code, each law that is skipped with its reason.

    Selecting nothing selects all. An entry is a code ("SC104"), a name ("equal-steps"), a label
    ("SC104-equal-steps") or a family ("SC1"). What is skipped needs a reason: a mapping, or
    entries like "SC104=evaluation keeps its tail".
    """
    if isinstance(select, str):
        raise LawError(f"select={select!r} is a string: write select=[{select!r}].")
    wanted = {one.code for entry in select for one in _find_laws(entry)}
    laws = [one for one in all_laws() if not wanted or one.code in wanted]
    codes = {one.code for one in laws}
    skipped = {
        one.code: (one, reason)
        for entry, reason in _reasons(skip)
        for one in _find_laws(entry)
        if one.code in codes
    }
    chosen = tuple(one for one in laws if one.code not in skipped)
    if not chosen:
        raise LawError(f"Skipping {', '.join(sorted(skipped))} leaves no law to run: skip less.")
    return chosen, skipped


def find_law(text: str) -> Law:
    """Return the one law with this code, name or label, also of histories."""
    for one in (*all_laws(), *HISTORY_LAWS):
        if _key(text) in _keys(one):
            return one
    raise _unknown(text)


def _find_laws(entry: str) -> list[Law]:
    """Return the laws that an entry means: one, or a family."""
    if not isinstance(entry, str):
        raise LawError(f"{entry!r} names no law: use text, like 'SC104', 'equal-steps' or 'SC1'.")
    family = [one for one in all_laws() if one.code[:-2].casefold() == _key(entry)]
    found = family or [find_law(entry)]
    if found[0] in HISTORY_LAWS:
        label = found[0].label
        raise LawError(f"Law {label} is about training jobs, and no run judges it: samplercheck audit does.")
    return found


def _reasons(skip: Mapping[str, str] | Iterable[str]) -> Iterator[tuple[str, str]]:
    if isinstance(skip, str):
        raise LawError(f"skip={skip!r} is a string: write skip=[{skip!r}].")
    if isinstance(skip, Mapping):
        pairs = list(skip.items())
    else:
        pairs = [(entry.partition("=")[0], entry.partition("=")[2]) for entry in map(str, skip)]
    for entry, reason in pairs:
        if not str(reason or "").strip():
            raise LawError(f"Skipping {entry} needs a reason, which the report shows: --skip {entry}=reason.")
        yield entry, str(reason).strip()


def _key(text: str) -> str:
    return text.strip().casefold()


def _keys(one: Law) -> list[str]:
    """Return how a law may be written: code, name, both together, and the same with its former name."""
    code, names = one.code.casefold(), [name for name in (one.name, one.former) if name]
    return [code, *names, *(f"{code}-{name.casefold()}" for name in names)]


def _unknown(text: str) -> LawError:
    key = _key(text)
    labels = {spelled: one.label for one in all_laws() for spelled in _keys(one)}
    close = get_close_matches(key, labels, n=len(labels), cutoff=0.5)
    # A code is mistyped at its end: what begins alike comes first, however many digits agree elsewhere.
    close.sort(key=lambda spelled: _agreeing(spelled, key), reverse=True)
    near = list(dict.fromkeys(labels[spelled] for spelled in close))[:NEIGHBOURS]
    guess = f"Did you mean {', '.join(near)}? " if near else ""
    return LawError(f"Law {text!r} does not exist. {guess}`samplercheck laws` lists all of them.")


def _agreeing(text: str, other: str) -> int:
    """Return the number of characters before the first that differs."""
    pairs = zip(text, other, strict=False)
    return next((at for at, (mine, its) in enumerate(pairs) if mine != its), min(len(text), len(other)))


def in_order(code: str) -> tuple[int, str]:
    """Return the place of a law among all of them, by its code."""
    return len(code), code
