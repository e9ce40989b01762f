"""Stand-ins for worlds of process groups: the simulated world carries the cases out, and tests tamper.

``Worlds`` is what ``carry_out`` takes as its opener.
"""

from __future__ import annotations

from torch.utils.data import DistributedSampler

from samplercheck.engine import Plan, carry_out
from samplercheck.values.errors import TargetError
from samplercheck.values.record import Record
from samplercheck.values.trace import Trace
from samplercheck.worlds import open_world

FEW = ("SC104", "SC402", "SC901", "SC902")


def judged(opener, target=DistributedSampler, *, profile="quick", select=FEW, **plan):
    """The report of a run whose process groups are fakes."""
    return carry_out(Plan(target=target, profile=profile, select=select, **plan), open_world=opener)


def outcomes(report):
    return {one.code: one.outcome.value for one in report.results}


def reason(report, code):
    return next(one.reason for one in report.results if one.code == code)


class Worlds:
    """Opens the simulated world itself and fakes for process groups; remembers what it has opened."""

    def __init__(self, tamper=None, **manner):
        self.tamper = tamper or (lambda trace, world: None)
        self.manner = manner
        self.home = None
        self.groups = []

    def __call__(self, name, **settings):
        if name == "simulated":
            self.home = open_world(name, **settings)
            return self.home
        group = FakeGroups(name, self, settings)
        self.groups.append(group)
        return group

    def group(self, name, *, fresh=False):
        """The world with this name that was opened first, the fresh one or the other."""
        found, *_ = [one for one in self.groups if one.name == name and one.is_fresh is fresh]
        return found


class FakeGroups:
    """Ranks of a real group, as far as the engine can tell."""

    def __init__(self, name, worlds, settings):
        self.name = name
        self.settings = settings
        self.is_fresh = "hash_seed" in settings
        self.most_ranks = worlds.manner.get("most_ranks", 4)
        self.unavailable = worlds.manner.get("unavailable", {}).get(name, "")
        self.prepared = []
        self.cases = []
        self.is_open = False
        self._worlds = worlds

    def __enter__(self):
        self.is_open = True
        return self

    def __exit__(self, *_):
        self.is_open = False

    def prepare(self, binding):
        if "stuck" in self._worlds.manner:
            raise TargetError(self._worlds.manner["stuck"])
        self.prepared.append(binding.name)

    def hurry(self, deadlines):
        self.deadlines = deadlines

    def trace(self, binding, case, experiments, kind=""):
        assert self.is_open
        assert not self.unavailable
        assert case.world_size <= self.most_ranks
        assert self.prepared == [binding.name]
        self.cases.append(case)
        carried = self._worlds.manner.get("binding", binding)
        made = self._worlds.home.trace(carried, case, experiments, kind, spare="none")
        trace = Trace(
            case,
            binding.contract,
            {name: list(records) for name, records in made.records.items()},
            kind=kind,
            faults=made.faults,
            named=binding.named,
            deadlock=made.deadlock,
            not_carried=made.not_carried,
            world=self.name,
        )
        if "in_step" in trace.records:
            trace.records["in_step"] = _in_step(trace)
        self._worlds.tamper(trace, self)
        return trace


def _in_step(trace):
    """The epochs again, up to the first step in which the ranks are uneven."""
    records = [Record(passes=list(record.passes)) for record in trace.of("epochs")]
    for epoch, together in enumerate(zip(*[record.passes for record in records], strict=False)):
        steps = [one.steps for one in together]
        if len(set(steps)) > 1:
            uneven = (epoch, min(steps), tuple(number > min(steps) for number in steps))
            for record in records:
                record.notes["uneven"] = uneven
            break
    return records
