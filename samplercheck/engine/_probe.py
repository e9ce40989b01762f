"""Probe: what a target is, learned from a first look: what it yields and which methods it has.

Called by the engine before the search, and before process groups are compared with simulation. A target
that fails here is not judged here: the search finds its smallest failing case.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from samplercheck.engine._own_sizes import Look, find_kind, find_own_size
from samplercheck.engine.plan import Plan, target_of
from samplercheck.laws.law import MOVES, OF_ONE_EPOCH, READS, Scope
from samplercheck.search.axes import case_for, stretch
from samplercheck.targets.binding import Binding
from samplercheck.targets.features import ASKED, feature
from samplercheck.targets.names import depends_on_hashes
from samplercheck.targets.splitters import Split
from samplercheck.values.case import Case, Options
from samplercheck.values.owed import MANY_EPOCHS, far_epochs
from samplercheck.values.sizes import OF_ONE, OwnBatch
from samplercheck.values.trace import Trace
from samplercheck.worlds import World

LOOKS = ((8, 1, 2), (12, 2, 2), (30, 2, 3), (1, 1, 1), (3, 1, 1))
LATE_EPOCHS = 16
"""So many epochs are taken of unlike lengths where none has yielded anything: a curriculum may begin so."""
LARGE_LOOK, SMALL_LOOK = (30, 2, 3), (1, 1, 1)
DEALT_OUT, ONE_ORDER = "dealt_out", "one_order"
"""Traits: one rank yields all, and two ranks two parts; all epochs have one order, not the dataset's."""
MANY_LABELS = 5
UNLIKE: dict[str, list[float]] = {"lengths": [1, 2, 4], "labels": [0, 1, 0], "weights": [1.0, 2.0, 4.0]}
"""What samples are like in turn, to see whether the size of batches depends on it."""


def probe(world: World, binding: Binding, options: Options) -> Scope:
    """Return what is known of a target before any case is run; its binding knows its own batches, too."""
    ASKED.clear()
    binding.own_batch = OF_ONE
    traits = {"finds_place"} if binding.can_find_its_place else set()
    is_generator = inspect.isgeneratorfunction(inspect.unwrap(binding.factory))
    traits |= {OF_ONE_EPOCH} if is_generator and "epoch" in binding.named else set()
    kind, seen, hung, shares = "", False, False, []
    for trace in _look(world, binding, options):
        traits |= _traits_seen(trace)
        shares.append(_is_dealt_out(trace))
        seen = seen or trace.is_whole
        hung = _has_not_ended(trace)
        kind = trace.kind if trace.has_steps else kind
    if seen and not hung:
        kind = (
            kind
            or _kind_in_late_epochs(world, binding, options)
            or find_kind(_look_by(world, binding, options))
        )
        binding.own_batch = _own_size_of(world, binding, options, kind)
        shares = _shares_of_whole_batches(world, binding, options) or shares
        traits |= _traits_when_built_again(world, binding, options)
        traits |= _traits_in_far_epochs(world, binding, options)
        manner = _find_manner(world, binding, options)
        traits |= {"resumes", manner} if manner else set()
    if len(shares) > 1 and all(shares[:2]):
        traits.add(DEALT_OUT)
    if not seen:
        traits |= {"set_epoch", "len"}  # nothing could be seen, so nothing is ruled out
    if isinstance(binding.factory, Split):  # the kit puts its parts into lists, and it has no length itself
        traits.discard("len")
    traits |= {READS + name for name in ASKED}
    named, known, own = binding.named, frozenset(traits), binding.own_batch
    return Scope(contract=binding.contract, named=named, kind=kind, traits=known, own_batch=own)


def correct_guess(plan: Plan, scope: Scope) -> Plan:
    """Return the plan with the contract corrected by what was seen, where nobody gave it.

    Ranks that share what was taken for one process's have the default one; an object with a set_epoch that
    the code of its factory does not show is told its epochs. Under any contract a walk without an end that
    goes on with each iterator has one epoch alone where it has no set_epoch.
    """
    what = target_of(plan)
    walks = what.contract.endless and what.contract.is_one_walk and what.contract.epochs == "set_epoch"
    if walks and "set_epoch" not in scope.traits and "epoch" not in scope.named:
        return replace(plan.resolve(), target=replace(what, contract=what.contract.but(epochs="fixed")))
    if not what.is_assumed:
        return plan
    if DEALT_OUT in scope.traits:
        return replace(plan.resolve(), target=what.with_default())
    if "set_epoch" in scope.traits and scope.kind and what.contract.advances:
        contract = what.contract.but(epochs="set_epoch")
        return replace(plan.resolve(), target=replace(what, contract=contract))
    return plan


def _look(world: World, binding: Binding, options: Options) -> Iterator[Trace]:
    """Yield what a target does in a case or two; of one that hangs a small case tells how long to wait."""
    for look in LOOKS:
        trace = world.trace(binding, case_of(binding, look, options), ("epochs", "lengths", "workers"))
        yield trace
        if _has_not_ended(trace):
            world.trace(binding, case_of(binding, LOOKS[-1], options), ("epochs",))
            return
        # One rank alone may do without collectives: a second look has two.
        if look != LOOKS[0] and trace.has_steps and trace.is_whole:
            return


def _has_not_ended(trace: Trace) -> bool:
    return any(fault.kind != "raised" for fault in trace.faults)


def _traits_seen(trace: Trace) -> set[str]:
    """Return the methods and habits that a trace shows."""
    epochs, lengths = trace.of("epochs"), trace.of("lengths")
    shown = {
        "set_epoch": any(record.notes.get("has_set_epoch") for record in epochs),
        "collectives": bool(trace.deadlock) or any(record.notes.get("collectives") for record in epochs),
        "len": any(not answer.refused for record in lengths for answer in record.lengths),
    }
    passes = [one.items for record in epochs[:1] for one in record.passes]
    shown[ONE_ORDER] = passes[1:] == passes[:-1] != [] and [*passes[0]] != sorted(passes[0])
    roles = {role for record in trace.of("workers") for role in record.notes.get("roles", ())}
    moved = {MOVES + name for record in epochs for _, name in record.notes.get("moved", ())}
    return roles | moved | {name for name, is_shown in shown.items() if is_shown}


def _is_dealt_out(trace: Trace) -> bool:
    """Whether the ranks yield each sample once, all of them together, and none of them nothing."""
    passes = [record.passes[0].items for record in trace.of("epochs") if record.passes]
    every = len(passes) == trace.case.world_size and all(passes)
    return every and sorted(chain.from_iterable(passes)) == list(range(trace.case.length))


def _kind_in_late_epochs(world: World, binding: Binding, options: Options) -> str:
    """Return whether samples or batches come where lengths and weights rise and epochs are many; else ""."""
    case = case_of(binding, LOOKS[0], options)
    rising = {name: list(range(1, case.length + 1)) for name in binding.named & {"lengths", "weights"}}
    late = case.but(epochs=LATE_EPOCHS, features={**dict(case.features), **rising})
    trace = world.trace(binding, late, ("epochs",))
    return trace.kind if trace.has_steps else ""


def _find_manner(world: World, binding: Binding, options: Options) -> str:
    """Return how the target is resumed: by "state_dict", or by "consumed" where its contract says so."""
    trace = world.trace(binding, case_of(binding, SMALL_LOOK, options), ("resumed",))
    return next((manner for record in trace.of("resumed") if (manner := record.notes.get("manner"))), "")


def _own_size_of(world: World, binding: Binding, options: Options, kind: str) -> OwnBatch:
    """Return the size of a target's own batches or rounds, or none where it depends on the data."""
    if "batch_size" in binding.varied or binding.contract.batches != "fixed":
        return OF_ONE
    ways = (False, True) if binding.named & UNLIKE.keys() else (False,)
    looks = [_look_by(world, binding, options, unlike=unlike) for unlike in ways]
    sizes = {find_own_size(look, kind, binding.contract) for look in looks}
    return sizes.pop() if len(sizes) == 1 else OF_ONE


def _shares_of_whole_batches(world: World, binding: Binding, options: Options) -> list[bool]:
    """Return whether one rank and two deal out whole batches of a target's own; few samples fill none."""
    look, size = _look_by(world, binding, options), binding.own_batch.size
    return [_is_dealt_out(look(4 * size, ranks)) for ranks in (1, 2)] if size > 1 else []


def _look_by(world: World, binding: Binding, options: Options, *, unlike: bool = False) -> Look:
    """Return what takes the usual epochs of so many samples, which may be unlike one another."""

    def look(length: int, ranks: int) -> Trace:
        case = case_of(binding, (length, ranks, 1), options)
        if unlike:
            case = case.but(features={name: (UNLIKE[name] * length)[:length] for name, _ in case.features})
        return world.trace(binding, case, ("epochs",))

    return look


def case_of(binding: Binding, look: tuple[int, int, int], options: Options, *, shuffle: bool = False) -> Case:
    """Return the case of a look: so many samples, ranks and samples in a batch, and plain features."""
    length, ranks, batch = look
    length = stretch(binding, length, batch)
    features = _plain_features(binding, length)
    return case_for(
        binding, length, ranks, batch, shuffle=shuffle, epochs=2, features=features, options=options
    )


def _traits_when_built_again(world: World, binding: Binding, options: Options) -> set[str]:
    """Return whether a target yields otherwise when built again, or talks to other ranks, shuffled or not.

    The dataset is large enough to leave nothing to luck. What objects share, such as an account of the passes
    that were given up, may tell the first two apart and no others: those are judged by their passes.
    """
    traits: set[str] = set()
    for case in large_cases(binding, options):
        trace = world.trace(binding, case, ("epochs", "again"))
        traits |= {name for name in _traits_seen(trace) if name == "collectives" or name.startswith(MOVES)}
        if _differs_when_built_again(trace) and _differs_when_built_again(
            world.trace(binding, case, ("epochs", "again"))
        ):
            traits.add("undetermined")
    return traits


def _traits_in_far_epochs(world: World, binding: Binding, options: Options) -> set[str]:
    """Return whether a target takes too long to get to an epoch that is set and lies far ahead."""
    case = case_of(binding, SMALL_LOOK, options, shuffle="shuffle" in binding.named).but(epochs=MANY_EPOCHS)
    if not far_epochs(case, binding.contract):
        return set()
    trace = world.trace(binding, case, ("jumps",))
    return {"near_epochs"} if any(record.notes.get("too_far") for record in trace.of("jumps")) else set()


def _differs_when_built_again(trace: Trace) -> bool:
    """Whether the second object of some rank yields something else than the first."""
    pairs = zip(trace.of("epochs"), trace.of("again"), strict=False)
    return trace.is_whole and any(not one.passes[0].same_as(two.passes[0]) for one, two in pairs)


def large_cases(binding: Binding, options: Options, most_ranks: int = sys.maxsize) -> Iterator[Case]:
    """Yield a case that leaves nothing to luck, in order and shuffled where that can be asked for."""
    length, ranks, batch = LARGE_LOOK
    look = length, min(ranks, most_ranks // binding.contract.replicas), batch
    for shuffle in (False, True) if "shuffle" in binding.named else (False,):
        yield case_of(binding, look, options, shuffle=shuffle)


def cases_of_texts(
    world: World, binding: Binding, options: Options, most_ranks: int = sys.maxsize
) -> Iterator[Case]:
    """Yield large cases with texts as labels, for a target that takes such and asks for hashes or makes sets.

    The hashes of texts differ from process to process, those of numbers do not.
    """
    if "labels" not in binding.named or not depends_on_hashes(binding.factory):
        return
    for case in large_cases(binding, options, most_ranks):
        labels = tuple(f"class{label}" for label in feature(case, "labels"))
        others = {name: values for name, values in case.features if name != "labels"}
        of_texts = case.but(features={**others, "labels": labels})
        if not world.trace(binding, of_texts, ("epochs",)).is_whole:
            return
        yield of_texts


def _plain_features(binding: Binding, length: int) -> dict[str, list[float]]:
    """Return features that give no target trouble: a probe looks, it does not search.

    Most targets are at ease with one label, and those that balance labels yield nothing then: the larger
    looks have two, and the largest as many as tell whether their order is that of a set.
    """
    labels = 1 if length <= LOOKS[0][0] else 2 if length < LARGE_LOOK[0] else MANY_LABELS
    plain: dict[str, list[float]] = {
        "lengths": [1] * length,
        "labels": [position % labels for position in range(length)],
        "weights": [1.0] * length,
    }
    return {name: values for name, values in plain.items() if name in binding.named}
