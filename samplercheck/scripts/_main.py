"""What every script ends with: it shows what the ranks yield, judges, and says so by its exit status.

Copied into scripts as it stands, like the functions of ``_bench``.
"""

from __future__ import annotations

import faulthandler
import sys
import traceback
from typing import TYPE_CHECKING, Any

from samplercheck.scripts._bench import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.scripts._bench import Bench

__all__ = ["PARTS"]

ASKED: list[str] = []
MOST_SHOWN = 20


def show(bench: Bench, run: Callable[..., list[Any]]) -> None:
    """Print what each rank yields."""
    for rank, passes in enumerate(run(bench, first_epochs, 0)):
        for epoch, steps in enumerate(passes):
            more = "" if len(steps) <= MOST_SHOWN else f" and {len(steps) - MOST_SHOWN} more"
            print(f"epoch {epoch}  rank {rank}  {steps[:MOST_SHOWN]}{more}")  # noqa: T201


def first_epochs(bench: Bench, rank: int) -> Any:
    """Return the passes of the first epochs."""
    return bench.passes(rank, min(3, bench.case["epochs"]))


def complaints_of(
    benches: list[Bench], run: Callable[..., list[Any]], experiment: Any, check: Any, tries: int
) -> list[str]:
    """Return what is wrong in some try of each case: small ones may show it by luck, large ones do not."""
    found: list[str] = []
    for bench in benches:
        for start in range(tries):
            found = list(check(bench, run(bench, experiment, start)))
            if found or ASKED:  # processes take their time, and are tried once
                break
        if not found:
            return []
    return found


def check_import(place: str) -> None:
    """End with 3 where the target cannot be imported: of the fault that says nothing."""
    try:
        load(place)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever the user's module raises)
        print(f"{place} cannot be imported: {type(error).__name__}: {error}")  # noqa: T201
        print("Nothing was judged. Run this script in the project's root, where the target is found.")  # noqa: T201
        sys.exit(3)


def main(benches: list[Bench], run: Callable[..., list[Any]], laws: list[Any], seconds: int) -> int:
    """Judge, and return the exit status: 1 while a law is broken."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    wrong = 0
    try:
        show(benches[0], run)
    except Exception as error:  # noqa: BLE001  (the laws below tell)
        print(f"the ranks cannot be shown: {type(error).__name__}: {error}")  # noqa: T201
    for label, statement, experiment, check, number, tries in laws:
        try:
            found = complaints_of(benches[:number], run, experiment, check, tries)
        except Exception:  # noqa: BLE001  (a target that fails keeps no law)
            found = [traceback.format_exc()]
        print(f"\n{'BROKEN' if found else 'holds'}  {label}\n    {statement}")  # noqa: T201
        for one in found[:3]:
            print(f"    {one}")  # noqa: T201
        wrong += bool(found)
    return 1 if wrong else 0


PARTS: tuple[Any, ...] = (show, first_epochs, complaints_of, check_import, main)
