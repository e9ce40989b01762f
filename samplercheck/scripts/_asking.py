"""For targets that ask torch.distributed: they were judged in a group, so ranks in turn cannot judge them.

Copied into scripts as it stands, like the functions of ``_bench``.
"""

from __future__ import annotations

import faulthandler
import inspect
from typing import TYPE_CHECKING, Any

from samplercheck.scripts._bench import in_turn
from samplercheck.scripts._main import ASKED
from samplercheck.scripts._processes import in_processes

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.scripts._bench import Bench

__all__ = ["PARTS"]

SECONDS_IN_PROCESSES = 300


def listen() -> None:
    """Note from now on what is asked of torch.distributed; called before the target is imported."""
    import torch.distributed as dist

    for name in ("is_initialized", "get_rank", "get_world_size", "get_backend"):
        told = noted(name, getattr(dist, name))
        for module in (dist, dist.distributed_c10d):
            setattr(module, name, told)


def noted(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that does the same, and notes that it was asked; every DataLoader asks as well."""

    def told(*given: Any, **named: Any) -> Any:
        caller = inspect.currentframe().f_back  # type: ignore[union-attr]  # no other interpreter runs torch
        if caller is None or caller.f_globals.get("__name__") != "torch.utils.data.dataloader":
            ASKED.append(name)
        return original(*given, **named)

    return told


def in_turn_unless_asked(bench: Bench, experiment: Callable[[Bench, int], Any], start: int) -> list[Any]:
    """Return what ``in_turn`` finds; once the target has asked for a group, what processes of one find."""
    if not ASKED:
        try:
            found = in_turn(bench, experiment, start)
        except Exception:
            if not ASKED:
                raise
        else:
            if not ASKED:
                return found
        faulthandler.dump_traceback_later(SECONDS_IN_PROCESSES, exit=True)
    return in_processes(bench, experiment, start)


PARTS: tuple[Any, ...] = (listen, noted, in_turn_unless_asked)
