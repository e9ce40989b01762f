"""Which of the zoo's bugs get a fix that holds, by their causes; prints a table.

Run by hand: ``python -m tests.benchmarks.fixes``, or with the names of some bugs. It takes ten seconds
for each bug of the families 1 to 7, and shows each with what became of it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from samplercheck.engine.plan import Plan
from samplercheck.running.fixing import find_fix, list_broken
from samplercheck.values.batch_rules import READY
from samplercheck.values.errors import SamplerCheckError
from tests.zoo.cases import SIMULATED, is_strict, worlds_of, zoo

if TYPE_CHECKING:
    from types import ModuleType

    from samplercheck.running.fixing import Fix

FAMILIES = range(1, 8)
HOLDS, PART, REFUSED, NONE = "holds", "in part", "refused", "none"


def is_counted(module: ModuleType) -> bool:
    """Whether a bug is of a family that wrappers are meant for, and simulated ranks show it."""
    family = min(int(code[2:]) // 100 for code in module.EXPECT)
    return family in FAMILIES and worlds_of(module) == SIMULATED


def as_text(value: Any) -> Any:
    """Return a field of a contract as the command line has it: the process that tries wrappers reads JSON."""
    return str(value) if isinstance(value, READY) else value


def fix(module: ModuleType) -> Fix:
    """Look for a fix as the verb does, in the profile quick."""
    return find_fix(
        Plan(
            target=f"{module.__name__}:bug",
            contract={name: as_text(value) for name, value in module.CONTRACT.items()},
            axes=module.AXES,
            changes=True,
            profile="quick",
            worlds=SIMULATED,
            world_settings={},
            strict=is_strict(module),
        )
    )


def outcome_of(found: Fix) -> str:
    """Say what became of a bug."""
    if found.best is None:
        return REFUSED if found.refused else NONE
    return HOLDS if found.best.holds else PART


def cause_of(found: Fix) -> str:
    """Return the cause of the first broken law that has one."""
    causes = [one["failure"]["cause"] for one in found.before["results"] if one["outcome"] == "broken"]
    return next(filter(None, causes), "no cause is known")


def main(slugs: list[str]) -> None:
    """Look for fixes and print the table."""
    table: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for module in zoo():
        if not (module.SLUG in slugs if slugs else is_counted(module)):
            continue
        try:
            found = fix(module)
        except SamplerCheckError as error:
            table["cannot be run"][NONE].append(module.SLUG)
            print(f"{module.SLUG:36} {error}", flush=True)
            continue
        broken, outcome = list_broken(found.before), outcome_of(found)
        table[cause_of(found)][outcome].append(module.SLUG)
        left = "" if found.best is None else f" left {', '.join(found.best.still)}" * (outcome == PART)
        doc = "" if found.best is None else found.best.text.partition('"""')[2].partition('"""')[0]
        said = f"{outcome:8} {' '.join(broken)}{left} ({found.tried} written) {' '.join(doc.split())}"
        print(f"{module.SLUG:36} {said}", flush=True)
    words = (HOLDS, PART, REFUSED, NONE)
    print(f"\n| cause | bugs | {' | '.join(words)} |\n| --- | --- | --- | --- | --- | --- |")
    for cause, outcomes in sorted(table.items()):
        counts = [len(outcomes[word]) for word in words]
        print(f"| {cause} | {sum(counts)} | {' | '.join(map(str, counts))} |")
    totals = [sum(len(one[word]) for one in table.values()) for word in words]
    print(f"| all | {sum(totals)} | {' | '.join(map(str, totals))} |")


if __name__ == "__main__":
    main(sys.argv[1:])
