"""Scripts: a failing case as a few lines of plain Python, which need torch and the user's module alone.

Called by the store. A script builds the target in each rank, prints what the ranks yield and says what is
wrong of it; it ends with 1 while one of its laws is broken, at the place where each was seen to be. Several
laws of a case share a script where that is short.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice

from samplercheck.laws import plain_state, runs, terminates
from samplercheck.laws.law import Law
from samplercheck.storage.scripts._file import Part, format_file
from samplercheck.storage.scripts._filling import Filling
from samplercheck.storage.scripts._texts import RECIPES, STEPS, Recipe
from samplercheck.storage.templates import holds
from samplercheck.targets.provenance import Provenance
from samplercheck.values.case import Case
from samplercheck.values.owed import has_long_passes
from samplercheck.values.report import LawResult
from samplercheck.values.wording import HISTORY, join_words
from samplercheck.worlds import SIMULATED

MOST_LINES = 20
"""So many lines of a script do something, so that a person reads it, unless one law alone takes more."""

FAILS, HANGS = runs.LAW.code, terminates.LAW.code
"""The laws of a target that fails, or never ends: any experiment may show them."""
BUILT_OTHERWISE = ("knobs", "nonsense")
"""Experiments whose objects have other arguments than the case, with those of which nothing hangs."""
ALONE = plain_state.LAW.code
"""The law that compares with a fresh process, and needs no group of them."""
UNSHOWN = "resumed"
"""The kind of evidence that takes a state, a loader and a pass without one: more than a script is worth."""
LARGE, ROUNDS = 24, 6
ASKS = r"\bis_initialized\(|\bget_rank\(|\bget_world_size\("
"""What a target says that looks for a process group by itself."""
SEED_OF_WORKER = r"\binitial_seed\(|\binfo(\(\))?\.seed\b"
"""What says that a target seeds by the worker that it runs in, which torch gives another seed each time."""
CERTAIN = 1e-13
QUOTES = '"""'


def scripts_of(
    provenance: Provenance, case: Case, broken: Sequence[LawResult]
) -> list[tuple[tuple[str, ...], str]]:
    """Return the scripts of a case, each with the codes of the laws that it shows: one, if that is short."""
    whole = script_of(provenance, case, broken)
    if not whole:
        return []
    shown = [one for one in broken if f"\n{one.code} " in whole.split(QUOTES)[1]]
    groups = [shown] if count_lines(whole) <= MOST_LINES else _divide(provenance, case, shown)
    codes = [tuple(one.code for one in group) for group in groups]
    others = [[code for some in codes if some != own for code in some] for own in codes]
    return [
        (own, script_of(provenance, case, group, beside))
        for own, group, beside in zip(codes, groups, others, strict=True)
    ]


def _divide(provenance: Provenance, case: Case, shown: Sequence[LawResult]) -> list[list[LawResult]]:
    """Return the laws of a case in groups whose scripts are short, in their order."""
    groups: list[list[LawResult]] = []
    for one in shown:
        if groups and count_lines(script_of(provenance, case, [*groups[-1], one])) <= MOST_LINES:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def count_lines(script: str) -> int:
    """Return how many lines of a script do something: no docstring, no imports, nothing empty."""
    lines = filter(str.strip, script.split(QUOTES)[2].splitlines())
    return sum(not line.startswith(("import ", "from ", "sys.path.")) for line in lines)


def script_of(
    provenance: Provenance, case: Case, broken: Sequence[LawResult], others: Sequence[str] = ()
) -> str:
    """Return one script of a case; empty where no script can show any of its laws broken.

    What follows from another of them is shown only where that cannot be. ``others`` have scripts of their
    own. What fails only behind others in its process has none.
    """
    broken = [one for one in broken if one.failure is None or not one.failure.cause.startswith(HISTORY)]
    if not provenance.place or not broken:
        return ""
    if has_long_passes(case, provenance.binding.contract):  # which a script would keep in lists, and print
        return ""
    codes = {result.code for result in broken}
    first = [one for one in broken if one.failure is not None and one.failure.follows not in codes]
    parts = _fill_parts(provenance, case, first) or _fill_parts(provenance, case, broken)
    results = [part.result for part in parts]
    hangs = any(result.code == HANGS for result in results)
    return format_file(_docstring(provenance, case, results, others), parts, hangs=hangs) if parts else ""


def _fill_parts(provenance: Provenance, case: Case, broken: Sequence[LawResult]) -> list[Part]:
    """Return the part of each law that a script can show broken."""
    parts: list[Part] = []
    in_groups = bool(broken) and _needs_processes(provenance, case, broken)
    for result in sorted(broken, key=lambda one: one.code in (FAILS, HANGS)):
        assert result.failure is not None
        seen = result.failure.violation
        text = Filling(provenance, case, seen, in_groups=in_groups)
        if _is_luck(text, result.law):
            text = Filling(provenance, _enlarge(case), seen, in_groups=in_groups)
        recipe = _find_recipe(text, result.code)
        if recipe is not None:
            parts.append(Part.fill(result, text, STEPS[recipe.steps], recipe.check))
    return parts


def _needs_processes(provenance: Provenance, case: Case, broken: Sequence[LawResult]) -> bool:
    """Whether ranks must be real: seen in a group, with collectives, or with a place that they look up."""
    failures = [result.failure for result in broken if result.failure is not None]
    text = Filling(provenance, case, failures[0].violation)
    if provenance.collectives or not text.is_placed:
        return True
    if all(result.code == ALONE for result in broken):
        return False
    is_real = any(failure.world not in ("", SIMULATED) for failure in failures)
    return is_real or any(result.law.needs_groups for result in broken) or text.mentions(ASKS)


def _find_recipe(text: Filling, code: str) -> Recipe | None:
    """Return how a script shows a law broken; None where it cannot."""
    seen = text.seen
    if code in (FAILS, HANGS) and seen.experiment in STEPS and not text.splits:
        return Recipe(seen.experiment)
    if code == HANGS and seen.experiment in BUILT_OTHERWISE:
        return None
    told = seen.evidence.kind, seen.evidence.way
    ways = (*["groups"] * text.in_groups, *told, text.contract.coverage, seen.experiment)
    keys = [f"{code} split"] if text.splits else [*(f"{code} {way}" for way in ways if way), code]
    found = next((RECIPES[key] for key in keys if key in RECIPES), None)
    is_known = found is not None and holds(found.needs, text)
    return found if is_known and seen.evidence.kind != UNSHOWN else None


def _is_luck(text: Filling, law: Law) -> bool:
    """Whether a small case may show by luck what it shows, or nothing: what draws on other generators."""
    draws = any(trait.startswith("moves ") for trait in text.traits) or text.mentions(SEED_OF_WORKER)
    is_drawn = not text.owed.is_sequential and (draws or bool(law.twin))
    return text.seen.experiment != "draws" and (text.seen.chance > CERTAIN or text.recurs or is_drawn)


def _enlarge(case: Case) -> Case:
    """Return a larger dataset with the same remainders, in which luck shows nothing; labels stay texts."""
    round_size = case.world_size * case.batch_size
    enough = max(LARGE, ROUNDS * round_size)
    more = max(0, -(-(enough - case.length) // round_size)) * round_size
    length, own = case.length + more, dict(case.features)
    texts = {"labels": islice(cycle(own["labels"]), length)} if case.has_texts else {}
    return case.but(length=length, features=texts) if more else case


def _docstring(
    provenance: Provenance, case: Case, results: Sequence[LawResult], others: Sequence[str]
) -> str:
    found = "\n".join(
        f"{result.code} {result.law.name}: {_escape(result.failure.violation.found)}"
        for result in results
        if result.failure
    )
    found += f"\nIt breaks {join_words(others)}, too, which other scripts show." if others else ""
    versions = ", ".join(f"{name} {number}" for name, number in sorted(provenance.versions.items()))
    return (
        f"{_escape(provenance.place)}, case {case.id} ({_escape(case.token[:500])})\n\n{found}\n\n"
        "Run this in the root of the project. It exits with 1 while the bug is there, else with 0.\n"
        f"Seen with {_escape(versions)}.\n"
    )


def _escape(text: str) -> str:
    """Return text that can stand in a docstring."""
    return text.encode("unicode_escape").decode("ascii").replace('"', "'")
