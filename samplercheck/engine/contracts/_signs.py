"""Signs: what the passes of a target say it is, whatever it was asked to be.

Read where a contract is proposed. Each names the fields of a contract that would declare what was seen.
What passes look like decides alone, in cases that are large enough to show it, and never which laws
would then hold: so a bug is not declared away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from samplercheck.engine._judging import has_hung
from samplercheck.engine.contracts._coverage import (
    BATCH,
    GROUPS,
    RANKS,
    UNEVEN,
    find_coverage,
    find_draws_without_an_end,
    with_ends,
)
from samplercheck.engine.contracts._orders import (
    Look,
    add_order,
    samples_of,
    uneven_length,
    usual_length,
    without_rare_labels,
)
from samplercheck.engine.contracts._places import find_placeless, is_dealt_in_turn, shares_places
from samplercheck.engine.contracts._sign import (
    DROPS,
    DROPS_BATCHES,
    DROPS_GROUPS,
    DROPS_ROUNDS,
    DROPS_STEPS,
    ENDLESS,
    FILLS_BATCHES,
    FILLS_GROUPS,
    FILLS_LAST,
    FILLS_SHARES,
    FILLS_STEPS,
    GOES_ON,
    IN_TURN,
    KEEPS,
    KEEPS_BATCHES,
    KEEPS_SHARES,
    REPLICAS,
    VARIES,
    Sign,
)
from samplercheck.engine.contracts._walks import look_at_ends
from samplercheck.laws.law import Scope
from samplercheck.targets.alone import OWN_PLACE
from samplercheck.targets.features import groups_of
from samplercheck.values.contract import Contract
from samplercheck.values.trace import Trace

GLOBAL_BATCH = RANKS * BATCH
FEWEST, ROUNDS_AND_MORE = 20, 28
"""Of the uneven number, rounds of batches leave out as many as rounds of samples do; of the latter more."""
BATCHING = frozenset({"batch_size", "batch_sampler"})
PLACE = OWN_PLACE | {"world_size"}


def find_signs(look: Look, given: Contract, scope: Scope) -> list[Sign]:
    """Return the signs that a target gives, those of its order last; none where its passes fail."""
    look = without_rare_labels(look, given, scope)
    alone, contract, found = look_at_ends(look, given, scope)
    if has_hung(alone):
        return []
    if not found and shares_places(look, contract, scope):  # that may refuse odd worlds, so one rank too
        contract = contract.but(**REPLICAS.fields)
        alone, together = look(contract, usual_length(scope), 1), look(contract, uneven_length(scope), RANKS)
        tails = _tails(look, contract, together, scope) if together.is_whole else []
        return add_order(look, contract, alone, scope, [REPLICAS, *tails])
    if not (alone.is_whole and alone.is_readable and alone.has_steps):
        return []
    together, passes = look(contract, uneven_length(scope), RANKS), samples_of(alone, 0)
    if not together.is_whole:
        return []
    if found:
        plain = IN_TURN if is_dealt_in_turn(together) else ENDLESS
        found = [find_draws_without_an_end(alone, scope) or plain, GOES_ON]
    coverage = None if found else find_coverage(look, contract, alone, scope)
    # Where an epoch is so many steps, few samples alone are dealt out to their end.
    lengths = (*(together.case.length + more for more in range(1, RANKS)), RANKS + 1, RANKS + 2)
    others = (one for length in lengths if (one := look(contract, length, RANKS)).is_whole)
    varies = scope.kind == "batches" and (_varies(alone) or _is_cut_at_will(look, contract, scope))
    found += with_ends(coverage, chain([together], others), scope, varies=varies)
    if not found and not varies:
        found += _tails(look, contract, together, scope)
    if not OWN_PLACE & scope.named and "finds_place" not in scope.traits:
        found += find_placeless(look, contract, together, passes)
    if varies:
        found += [VARIES] if found else [VARIES, *_varying_tail(look, contract, scope)]
    return add_order(look, contract, alone, scope, found)


def _tails(look: Look, contract: Contract, together: Trace, scope: Scope) -> list[Sign]:
    """Return what happens to what does not divide: by samples, batches, steps or groups."""
    if contract.sharding == "none":
        return _tails_of_one(look, contract, scope)
    found = _tail_of_own_batches(look, contract, scope) or list(_tail(together, scope))
    more = (look(contract, together.case.length + more, RANKS) for more in range(1, RANKS))
    found = [KEEPS_SHARES] if found == [KEEPS] and any(_are_unlike(one, scope) for one in more) else found
    if found == [DROPS] and _drops_batches(look(contract, ROUNDS_AND_MORE, RANKS), GLOBAL_BATCH):
        found = [DROPS_BATCHES]
    if found in ([], [DROPS], [DROPS_BATCHES]) and (BATCHING & scope.named or scope.kind == "samples"):
        found = _tail_of_steps(look, contract, scope) or found
    if not GROUPS & scope.named:
        return found
    return [*found, *(_tail_of_groups(look, contract, scope) or [FILLS_SHARES] * _fills_shares(together))]


def _tails_of_one(look: Look, contract: Contract, scope: Scope) -> list[Sign]:
    """Return whether a process alone fills up its last batch, or leaves out what fills none; or of groups."""
    if scope.kind != "batches" or not (BATCHING & scope.named or scope.own_batch.size > 1):
        return []
    size = BATCH if BATCHING & scope.named else scope.own_batch.size
    lengths = (UNEVEN - 1, UNEVEN) if size == BATCH else (4 * size + 1, 5 * size - 1)
    looks = [look(contract, length, 1) for length in lengths]
    is_cut = "drop_last" not in scope.named and all(_keeps_rounds(one, size) for one in looks)
    groups = _tail_of_groups(look, contract, scope, places=1) if GROUPS & scope.named else []
    return groups or [DROPS_BATCHES] * is_cut or [FILLS_LAST] * all(_fills_rounds(one, size) for one in looks)


def _tail_of_own_batches(look: Look, contract: Contract, scope: Scope) -> list[Sign]:
    """Return that batches of a size of their own are filled up or left out on all ranks together."""
    if scope.own_batch.size == 1:
        return []
    whole = RANKS * scope.own_batch.on(RANKS)
    little, much = (look(contract, length, RANKS) for length in (4 * whole + 2, 5 * whole - 2))
    if not (little.is_whole and much.is_whole):
        return []
    if _keeps_rounds(little, whole) and _drops_batches(much, whole) and "drop_last" not in scope.named:
        return [DROPS_BATCHES]
    return [FILLS_BATCHES] if _fills_rounds(little, whole) and _fills_rounds(much, whole) else []


def _tail(together: Trace, scope: Scope) -> Iterator[Sign]:
    """Yield what happens to what does not divide, where nothing else is lost or repeated."""
    if any(len(epoch.ranks) < RANKS for epoch in together.epochs):
        return
    totals, length, apart = {epoch.total for epoch in together.epochs}, together.case.length, _apart(together)
    if totals == {-(-length // GLOBAL_BATCH) * GLOBAL_BATCH} and not apart and BATCHING & scope.named:
        yield FILLS_BATCHES
    if any(epoch.different < epoch.total for epoch in together.epochs):
        return
    if totals == {length} and apart:
        # Labels and datasets decide who gets what, and streams deal out whole shards.
        kept = KEEPS if apart == 1 or "batch_size" not in scope.named else KEEPS_BATCHES
        yield KEEPS_SHARES if apart > BATCH and _are_unlike(together, scope) else kept
    if totals == {length - length % RANKS} and not apart and "drop_last" not in scope.named:
        yield DROPS


def _are_unlike(together: Trace, scope: Scope) -> bool:
    """Whether labels, datasets or shards decide who gets what, and some ranks get several samples more."""
    decided = bool(GROUPS & scope.named) or "stream" in scope.traits
    return decided and together.is_whole and _apart(together) > 1


def _apart(together: Trace) -> int:
    """Return by how many samples shares differ at most."""
    return max(max(epoch.samples) - min(epoch.samples) for epoch in together.epochs)


def _fills_shares(together: Trace) -> bool:
    """Whether ranks go through shares of their own again until all are equal, a whole round or more."""
    if max(epoch.total for epoch in together.epochs) < together.case.length + RANKS:
        return False
    counts = [Counter(one.items).values() for epoch in together.epochs for one in epoch.passes if one.items]
    is_even = all(epoch.different == epoch.length and len({*epoch.samples}) == 1 for epoch in together.epochs)
    return is_even and all(max(often) - min(often) <= 1 for often in counts)


def _tail_of_groups(look: Look, contract: Contract, scope: Scope, places: int = RANKS) -> list[Sign]:
    """Return that labels or datasets are filled up or cut each by itself, which is not what all are."""
    traces = [look(contract, length, places) for length in range(UNEVEN, ROUNDS_AND_MORE + 1)]
    if not all(one.is_whole for one in traces):
        return []
    unit = BATCH * places if scope.kind == "batches" else places
    parts = [Counter(groups_of(one.case, scope.named)).values() for one in traces]
    filled = [sum(-(-size // unit) * unit for size in sizes) for sizes in parts]
    cut = [sum(size // unit * unit for size in sizes) for sizes in parts]
    epochs = [(number, epoch) for number, one in enumerate(traces) for epoch in one.epochs]
    if all(epoch.different == epoch.length and epoch.total == filled[at] for at, epoch in epochs):
        return [FILLS_GROUPS]
    once = all(epoch.different == epoch.total == cut[at] for at, epoch in epochs)
    return [DROPS_GROUPS] if once and "drop_last" not in scope.named else []


def _keeps_rounds(together: Trace, size: int) -> bool:
    """Whether whole rounds of so many samples are all that is left."""
    total = together.case.length // size * size
    return together.is_whole and all(one.total == one.different == total for one in together.epochs)


def _fills_rounds(together: Trace, size: int) -> bool:
    """Whether every sample comes, and so many of them again that whole rounds come."""
    total, epochs = -(-together.case.length // size) * size, together.epochs
    return together.is_whole and all(one.total == total and one.different == one.length for one in epochs)


def _drops_batches(together: Trace, size: int) -> bool:
    """Whether whole rounds are left, or shares that fill up with samples of others to whole batches."""
    case, epochs = together.case, together.epochs
    filled = -(-case.length // case.world_size) * case.world_size
    fills = filled % size == 0 and all(one.total == filled and one.different == case.length for one in epochs)
    return _keeps_rounds(together, size) or (together.is_whole and fills)


def _tail_of_steps(look: Look, contract: Contract, scope: Scope) -> list[Sign]:
    """Return that ranks take a multiple of 2, 3 or 4 steps, as gradients of so many are added up."""
    drops, unit = (DROPS_STEPS, GLOBAL_BATCH) if BATCHING & scope.named else (DROPS_ROUNDS, RANKS)
    traces = [look(contract, unit * number, RANKS) for number in (5, 6, 7, 9)]
    for sign, is_whole in (drops, _keeps_rounds), (FILLS_STEPS, _fills_rounds):
        if any(all(is_whole(one, unit * steps) for one in traces) for steps in (2, 3, 4)):
            return [sign]
    return []


def _varying_tail(look: Look, contract: Contract, scope: Scope) -> Iterator[Sign]:
    """Yield that batches of several sizes are left out, where that makes the numbers of steps equal.

    How many batches there are, samples alone do not say: of several lengths one leaves some out. Nobody means
    that without drop_last where it can be asked for.
    """
    if "drop_last" in scope.named:
        return
    traces = [look(contract, length, RANKS) for length in range(FEWEST, ROUNDS_AND_MORE + 1)]
    epochs = [(trace.case.length, epoch) for trace in traces if trace.is_whole for epoch in trace.epochs]
    even = all(len(set(epoch.steps)) == 1 and epoch.different == epoch.total for _, epoch in epochs)
    if even and any(epoch.total < length for length, epoch in epochs):
        yield DROPS


def _is_cut_at_will(look: Look, contract: Contract, scope: Scope) -> bool:
    """Whether a short batch comes anywhere, where no rank waits for it or lengths decide its size, too."""
    is_shared = bool(PLACE & scope.named) or "finds_place" in scope.traits
    if "batch_size" in scope.named and is_shared and "lengths" not in scope.named:
        return False
    # Of two datasets either may be the one that ends first, or the first one end in a short batch.
    lengths = (UNEVEN - 1, UNEVEN + 1, UNEVEN - 4) if "datasets" in scope.named else (UNEVEN - 1,)
    uneven = [look(contract, length, 1) for length in lengths]
    return any(one.is_whole and one.is_readable and _varies(one) for one in uneven)


def _varies(alone: Trace) -> bool:
    """Whether batches before the last are of several sizes."""
    return any(one.sizes is not None and len(set(one.sizes[:-1])) > 1 for one in alone.of("epochs")[0].passes)
