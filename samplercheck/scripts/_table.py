"""The laws that scripts can judge: for each the experiment, the judge, and what these are told.

Read by ``script_of``. The one place of this package that names laws.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from samplercheck.scripts import _frequencies, _judges, _loading, _passes, _resuming, _running

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Check:
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
CHECKS: dict[str, Check] = {
    "SC001": Check(_passes.use, faults),
    "SC002": Check(_passes.use, faults),
    "SC003": Check(_passes.offer_nonsense, faults),
    "SC101": Check(epochs, counts, {"what": "strange"}),
    "SC102": Check(epochs, counts, {"what": "missing"}, needs="may_lack"),
    "SC103": Check(epochs, counts, {"what": "repeated"}, needs="most"),
    "SC103 sampled": Check(epochs, _judges.judge_draws),
    "SC104": Check(epochs, _judges.judge_steps),
    "SC105": Check(epochs, counts, {"what": "total"}, needs="total"),
    "SC106": Check(_passes.take_together, counts, {"what": "never seen"}, needs="total"),
    "SC107": Check(epochs, counts, {"what": "copies"}, needs="total"),
    "SC201": Check(_passes.compare_lengths, equal),
    "SC202": Check(_passes.ask_often, equal),
    "SC203": Check(_passes.compare_lengths, equal, {}, {"with_torch": True}, needs="torch_length"),
    "SC301": Check(epochs, changes, {}, many),
    "SC302": Check(epochs, _judges.judge_order),
    "SC303": Check(_passes.change_seed, changes),
    "SC304": Check(_passes.jump, equal),
    "SC305": Check(epochs, changes, {"view": "the samples of each rank"}, many),
    "SC306": Check(epochs, changes, {"view": "the samples of each batch"}, many),
    "SC307": Check(_passes.ask_torch, equal, needs="torch_length"),
    "SC309": Check(_passes.change_argument, changes),
    "SC401": Check(epochs, counts, {"what": "repeated"}, needs="most"),
    "SC401 again": Check(_passes.build_again, equal),
    "SC402": Check(_passes.build_again, equal),
    "SC402 groups": Check(epochs, _running.judge_elsewhere, {"where": "processes with another hash seed"}),
    "SC403": Check(_passes.watch_generators, faults),
    "SC404": Check(epochs, _judges.judge_replicas),
    "SC501": Check(_passes.take_twice, equal, {"exact": "exact_twice"}),
    "SC502": Check(_passes.interleave, equal, {"exact": "exact"}),
    "SC503": Check(_passes.give_up, equal, {"exact": "exact"}),
    "SC504": Check(_passes.copy_by_pickle, equal, {"exact": "exact_copy"}),
    "SC505": Check(_passes.wrap, _judges.judge_inner),
    "SC601": Check(epochs, batches, {"what": "size"}),
    "SC602": Check(epochs, batches, {"what": "empty"}),
    "SC603": Check(epochs, _judges.judge_sizes),
    "SC604": Check(epochs, batches, {"what": "rule"}, needs="rule"),
    "SC701": Check(_resuming.resume_once, equal),
    "SC702": Check(_resuming.go_to_the_next, equal),
    "SC703": Check(_resuming.resume_often, equal),
    "SC704": Check(_resuming.save_to_file, equal),
    "SC704 groups": Check(_resuming.save_to_file, _resuming.judge_saved),
    "SC705": Check(_resuming.change_world, _resuming.judge_worlds),
    "SC801": Check(_loading.compare_ways, equal),
    "SC802": Check(_loading.take_ways, _loading.judge_workers),
    "SC803": Check(_loading.watch_kept_workers, faults),
    "SC804": Check(_loading.resume_loader, equal),
    "SC901": Check(epochs, _running.judge_elsewhere, {"where": "one process, in turn"}),
    "SC902": Check(_running.step_together, faults),
    "SC903": Check(_running.leave_place_to_group, equal),
    "SC904": Check(_running.reach_the_end, faults),
    "SC1001": Check(_frequencies.take_many_draws, _frequencies.judge_weights, needs="shares"),
    "SC1002": Check(_frequencies.take_many_draws, _frequencies.judge_places),
}
"""By a law's code and, where it is judged in several ways, what was recorded: experiment, draws, groups."""
IN_GROUPS_ALONE = ("SC903", "SC904")
ENDLESS = ("SC001", "SC002")
"""The laws of a target that fails, or never ends."""
