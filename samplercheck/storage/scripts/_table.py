"""The laws that scripts can judge: for each the experiment, the judge, and what these are told.

Read by ``script_of``. The one place of this package that names laws.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from samplercheck.storage.scripts import _frequencies, _judges, _loading, _passes, _resuming, _running

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Recipe:
    """How a script judges a law: what the ranks do, and who says whether the law is still broken.

    ``asks`` and ``settings`` are arguments of the judge and of the experiment; without what it ``needs``
    of the promise a script cannot judge.
    """

    experiment: Callable[..., Any]
    judge: Callable[..., Any]
    asks: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    needs: str = ""


epochs, equal, faults = _passes.take_epochs, _judges.judge_equal, _judges.judge_faults
counts, changes, batches = _judges.judge_counts, _judges.judge_change, _judges.judge_batches
many = {"number": _passes.ENOUGH}
CHECKS: dict[str, Recipe] = {
    "SC001": Recipe(_passes.use, faults),
    "SC002": Recipe(_passes.use, faults),
    "SC003": Recipe(_passes.offer_nonsense, faults),
    "SC101": Recipe(epochs, counts, {"what": "strange"}),
    "SC102": Recipe(epochs, counts, {"what": "missing"}, needs="may_lack"),
    "SC103": Recipe(epochs, counts, {"what": "repeated"}, needs="most"),
    "SC103 sampled": Recipe(epochs, _judges.judge_draws),
    "SC104": Recipe(epochs, _judges.judge_steps),
    "SC105": Recipe(epochs, counts, {"what": "total"}, needs="total"),
    "SC106": Recipe(_passes.take_together, counts, {"what": "never seen"}, needs="total"),
    "SC107": Recipe(epochs, counts, {"what": "copies"}, needs="total"),
    "SC201": Recipe(_passes.compare_lengths, equal),
    "SC202": Recipe(_passes.ask_often, equal),
    "SC203": Recipe(_passes.compare_lengths, equal, {}, {"with_torch": True}, needs="torch_length"),
    "SC301": Recipe(epochs, changes, {}, many),
    "SC301 laps": Recipe(_frequencies.walk_on, _frequencies.judge_laps),
    "SC302": Recipe(epochs, _judges.judge_order),
    "SC303": Recipe(_passes.change_seed, changes),
    "SC304": Recipe(_passes.jump, equal),
    "SC305": Recipe(epochs, changes, {"view": "the samples of each rank"}, many),
    "SC306": Recipe(epochs, changes, {"view": "the samples of each batch"}, many),
    "SC307": Recipe(_passes.ask_torch, equal, needs="torch_length"),
    "SC309": Recipe(_passes.change_argument, changes),
    "SC401": Recipe(epochs, counts, {"what": "repeated"}, needs="most"),
    "SC401 again": Recipe(_passes.build_again, equal),
    "SC402": Recipe(_passes.build_again, equal),
    "SC402 groups": Recipe(epochs, _running.judge_elsewhere, {"where": "processes with another hash seed"}),
    "SC403": Recipe(_passes.watch_generators, faults),
    "SC404": Recipe(epochs, _judges.judge_replicas),
    "SC501": Recipe(_passes.take_twice, equal, {"exact": "exact_twice"}),
    "SC502": Recipe(_passes.interleave, equal, {"exact": "exact"}),
    "SC502 beside": Recipe(_passes.stand_beside, equal, {"exact": "exact"}),
    "SC503": Recipe(_passes.give_up, equal, {"exact": "exact"}),
    "SC504": Recipe(_passes.copy_by_pickle, equal, {"exact": "exact_copy"}),
    "SC505": Recipe(_passes.wrap, _judges.judge_inner),
    "SC601": Recipe(epochs, batches, {"what": "size"}),
    "SC602": Recipe(epochs, batches, {"what": "empty"}),
    "SC603": Recipe(epochs, _judges.judge_sizes),
    "SC604": Recipe(epochs, batches, {"what": "rule"}, needs="rule"),
    "SC701": Recipe(_resuming.resume_once, equal),
    "SC702": Recipe(_resuming.go_to_the_next, equal),
    "SC703": Recipe(_resuming.resume_often, equal),
    "SC704": Recipe(_resuming.save_to_file, equal),
    "SC704 groups": Recipe(_resuming.save_to_file, _resuming.judge_saved),
    "SC705": Recipe(_resuming.change_world, _resuming.judge_worlds),
    "SC801": Recipe(_loading.compare_ways, equal),
    "SC802": Recipe(_loading.take_ways, _loading.judge_workers),
    "SC803": Recipe(_loading.watch_kept_workers, faults),
    "SC804": Recipe(_loading.resume_loader, equal),
    "SC901": Recipe(epochs, _running.judge_elsewhere, {"where": "one process, in turn"}),
    "SC902": Recipe(_running.step_together, faults),
    "SC903": Recipe(_running.leave_place_to_group, equal),
    "SC904": Recipe(_running.reach_the_end, faults),
    "SC1001": Recipe(_frequencies.take_many_draws, _frequencies.judge_weights, needs="shares"),
    "SC1002": Recipe(_frequencies.take_many_draws, _frequencies.judge_places),
}
"""By a law's code and, where it is judged in several ways, what was recorded: experiment, draws, groups."""
ENDLESS = ("SC001", "SC002")
"""The laws of a target that fails, or never ends."""
