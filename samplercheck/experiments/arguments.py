"""Experiments with arguments other than the case's: ``seeds``, ``knobs``, ``unplaced`` and their kin.

Run inside a rank. Each builds the target with some bound values changed, and does nothing where the
target does not name them.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from torch.utils.data import BatchSampler

from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped
from samplercheck.targets.features import INNERS, may_wrap_a_shuffle
from samplercheck.targets.inners import InnerSampler, inner_of, name_changes
from samplercheck.values.case import Case
from samplercheck.values.owed import MANY_SEEDS, drop_last_matters, order_of
from samplercheck.values.record import Pass

FAR = 104_729
BEGINNING = 1_000
NO_PLACE: Mapping[str, None] = {"rank": None, "world_size": None}
REFUSALS = ("TypeError", "ValueError", "RuntimeError", "AssertionError")


def vary_seed(seat: Seat) -> None:
    """Experiment ``seeds``: the first epoch under other seeds, then the later epochs under the last of them.

    Read by SC303, SC308 and SC309. More epochs in the case mean more seeds, so that evidence grows with the
    case. Where nothing is to be shuffled no seed has to matter, and none is tried. Where few are and a
    neighbour makes a difference, the far one would say no more, nor would other ranks unless seeds overlap,
    and where any makes one, nor would later epochs.
    """
    if "seed" not in seat.binding.named or order_of(seat.case, seat.contract) != "shuffled":
        return
    seeds = other_seeds(seat.case.seed, seat.case.epochs - 1)
    are_few = len(seeds) < MANY_SEEDS
    if are_few and _is_settled(seat, "seed"):
        return
    seat.record.notes["seeds"] = seeds
    subject, matters, overlaps = None, False, len(seeds) > 1
    for number, seed in enumerate(seeds, 1):
        if matters and are_few and number == len(seeds):
            break
        subject = seat.run_epoch(seat.build(seed=seed), 0)
        matters = matters or _differs(seat, 0)
        overlaps = overlaps and (number == len(seeds) or not _differs(seat, number))
        _cut_unlike(seat)
    if matters and not overlaps and seat.settled is not None:
        seat.settled.add("seed")
    for epoch in range(1, seat.case.epochs if seat.contract.epochs != "fixed" and not matters else 1):
        subject = seat.run_epoch(subject, epoch)
        _cut_unlike(seat)


def _is_settled(seat: Seat, name: str) -> bool:
    """Whether the argument is known to make a difference, which it has to make on one of the ranks."""
    return seat.settled is not None and name in seat.settled


def _differs(seat: Seat, epoch: int) -> bool:
    """Whether the last pass is another than that of a usual epoch, and nothing is to be done in full."""
    usual = seat.usual.pass_of(epoch)
    return seat.settled is not None and usual is not None and not seat.record.passes[-1].same_as(usual)


def _cut_unlike(seat: Seat) -> None:
    """Keep the beginning of the last pass alone, if it is long and no other one begins like it.

    Laws ask which of these passes are the same as another: that no longer needs the rest.
    """
    *others, last = seat.record.passes
    if last.steps <= BEGINNING:
        return
    begun = last.ahead(BEGINNING)
    if not any(one.ahead(BEGINNING).same_as(begun) for one in (*seat.usual.passes, *others)):
        last.share(begun)


def other_seeds(seed: int, number: int) -> tuple[int, ...]:
    """Return ``number`` seeds other than ``seed``: its next neighbours and one far away."""
    near = [seed + 1 + offset for offset in range(max(0, number - 1))]
    return (*near, (seed + FAR) % 2**31) if number > 0 else ()


def turn_knobs(seat: Seat) -> None:
    """Experiment ``knobs``: the first epoch with one argument changed: drop_last, shuffle, batch_size.

    Read by SC309. ``notes["knobs"]`` names the argument of each pass; one that made a difference on a rank
    before, or need not make any, is left out. Without a shuffle epochs are taken until one differs: a few may
    be alike by luck with and without. What raises with that argument alone is no fault of this case, and a
    strange pass: a case of its own has the argument.
    """
    case = seat.case
    may_matter = {"batch_size": True, "drop_last": not _has_even_ends(seat), "shuffle": case.shuffle}
    turned = (name for name, may in may_matter.items() if may and name in seat.binding.named)
    knobs = [name for name in turned if not _is_settled(seat, name)]
    seat.record.notes["knobs"] = tuple(knobs)
    for name in knobs:
        seat.record.notes["turned"] = name
        moves, before = name == "shuffle" and seat.contract.epochs != "fixed", len(seat.record.passes)
        try:
            subject = seat.build(**{name: case.turned(name)})
            for epoch in range(case.epochs if moves else 1):
                subject = seat.run_epoch(subject, epoch)
                if seat.settled is not None and _differs(seat, epoch):
                    seat.settled.add(name)
                    break
        except Stopped as stopped:
            if stopped.fault.kind != "raised" or seat.in_step:
                raise
            seat.record.passes[before:] = [Pass(0, array("q"), strange=stopped.text)]


def _has_even_ends(seat: Seat) -> bool:
    """Whether the rank is seen to yield samples, which leave no rest to be dropped."""
    first = seat.usual.pass_of(0)
    if seat.settled is None or first is None or first.sizes is not None or not first.items:
        return False
    return not drop_last_matters(seat.case, seat.contract, batched=False)


def leave_out_place(seat: Seat) -> None:
    """Experiment ``unplaced``: rank and world size are not passed but read from the process group.

    Read by SC903; done only where the target can do without both arguments. ``notes["refused"]`` says that it
    cannot, whatever their default: nobody trains with what is refused when it is built, or reckons with None.
    """
    if not seat.binding.can_find_its_place:
        return
    try:
        seat.run_epoch(seat.build(**NO_PLACE), 0)
    except Stopped as stopped:
        fault = stopped.fault
        is_refused = fault.phase == "build" and fault.error in REFUSALS
        takes_none = fault.error == "TypeError" and "NoneType" in fault.message and not fault.step
        if fault.kind != "raised" or not (is_refused or takes_none):
            raise
        seat.record.notes["refused"] = stopped.text


def offer_nonsense(seat: Seat) -> None:
    """Experiment ``nonsense``: ranks, world sizes and batch sizes that cannot be, offered when building.

    Read by SC003. ``notes["accepted"]`` lists what was not refused. Rank 0 tries for all; where ranks may
    wait for each other the others try as well, and rank 0 alone notes the answers.
    """
    if seat.rank and not seat.in_step:
        return
    case, named = seat.case, seat.binding.named
    tried = {f"{name}={value}": {name: value} for name, value in impossible_values(case) if name in named}
    accepted = [
        offer
        for offer, changes in tried.items()
        if seat.attempt(seat.binding.build, case, seat.rank, changes)[1] is None
    ]
    if not seat.rank:
        seat.record.notes.update(tried=tuple(tried), accepted=tuple(accepted))


def impossible_values(case: Case) -> tuple[tuple[str, int], ...]:
    """Return ranks, world sizes and batch sizes that cannot be."""
    of_sizes = [(name, value) for name in ("world_size", "batch_size") for value in (0, -1)]
    return ("rank", -1), ("rank", case.world_size), *of_sizes


def wrap_inner(seat: Seat, *, asks: bool = False) -> None:
    """Experiment ``wrapped``: a wrapper around the kit's own inner sampler, which is inspected afterwards.

    Read by SC505 and SC202; done only where the target names ``sampler`` or ``batch_sampler``. A wrapper that
    says nothing of shuffling gets one that shuffles, and that goes to each epoch where nobody tells it to.
    Notes what became of the inner sampler and what it yields by itself.
    """
    name = next((name for name in INNERS if name in seat.binding.named), None)
    if name is None:
        return
    shuffles = may_wrap_a_shuffle(seat.contract, seat.binding.named)
    case = seat.case.but(shuffle=True) if shuffles else seat.case
    inner, bare = inner_of(name, case, seat.contract), inner_of(name, case, seat.contract)
    before, moves_on = inner.settings(), seat.contract.epochs == "advance"
    subject = seat.build(**{name: inner})
    told = seat.sets_epochs and seat.can_set_epoch(subject)
    reached = []
    for epoch in range(case.epochs):
        if not (told or moves_on):
            inner.set_epoch(epoch)
        at = inner.epoch
        subject = seat.run_epoch(subject, epoch)
        reached.append(at if moves_on else inner.epoch)
        if asks:
            seat.ask_length(subject, "after", epoch)
    notes = seat.record.notes
    notes["has_set_epoch"] = hasattr(subject, "set_epoch")
    notes["is_told"] = told
    notes["inner_epochs"] = tuple(reached)
    notes["inner_changed"] = name_changes(before, inner.settings())
    notes["inner_spoilt"] = not inner.is_intact
    notes["inner_orders"] = tuple(tuple(bare.order_of(epoch)) for epoch in reached)
    if told and notes["has_set_epoch"] and not asks:
        notes["back_at"] = _go_back(seat, subject, inner)
        if name == "batch_sampler":
            notes["plain_epoch"] = _go_to_epoch_inside(seat, case)


def _go_back(seat: Seat, subject: Any, inner: Any) -> int:
    """Return where set_epoch(0) takes the inner sampler behind later epochs; 0 where it is refused."""
    _, refused = seat.attempt(lambda: subject.set_epoch(0))
    if refused is None:
        _, refused = seat.attempt(lambda: next(iter(subject), None))  # what is only noted is passed on here
    return 0 if refused is not None else int(inner.epoch)


def count_inner(seat: Seat) -> None:
    """Experiment ``counted``: what ``wrapped`` does, with the wrapper asked for its length after each pass.

    Read by SC202.
    """
    wrap_inner(seat, asks=True)


def _go_to_epoch_inside(seat: Seat, case: Case) -> int:
    """Return where set_epoch(1) takes the sampler in torch's own BatchSampler, which has no set_epoch.

    A wrapper may refuse such a batch sampler, or have its sampler as ``sampler``, where loops set the epoch.
    """
    inside = InnerSampler.of(case, seat.contract)
    plain = BatchSampler(inside, case.batch_size, case.drop_last)
    subject, refused = seat.attempt(lambda: seat.binding.build(case, seat.rank, {"batch_sampler": plain}))
    if refused is None:
        _, refused = seat.attempt(lambda: subject.set_epoch(1))
    if refused is not None or seat.attempt(getattr, subject, "sampler", None)[0] is inside:
        return 1
    seat.attempt(lambda: next(iter(subject), None))  # what is only noted is passed on here
    return inside.epoch
