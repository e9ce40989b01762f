"""What a run left out, and why: phases that were cut, worlds and workers, and what the contract leaves open.

Called at the end of a run, whose report lists it under "not tried": silence would read as a law that holds.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial

from samplercheck.engine._groups import Groups
from samplercheck.engine._kept_place import NOT_ASKED_AGAIN
from samplercheck.engine._search import Search
from samplercheck.engine._unjudged import list_unjudged
from samplercheck.experiments.few_ranks import ranks_that_repeat
from samplercheck.laws import in_range
from samplercheck.laws.law import can_resume, goes_through_a_loader
from samplercheck.search.numbers import own_numbers
from samplercheck.search.profiles import Profile
from samplercheck.targets.meanings import BOUND
from samplercheck.values.wording import LATER_PHASES, join_words, pluralise
from samplercheck.worlds import GROUPS

NOTHING = "laws by few samples: in none of the {} cases of the small scope does a rank yield anything"
NO_STATE = "resuming: the target has no state_dict and load_state_dict"
RESUMABLE = "resuming: {} may say where training goes on; --contract resume=consumed has it tried"
NO_SPAWN = "loader workers that are spawned: they take seconds to start (--profile standard)"
NEVER_SPAWNED = "loader workers that are spawned: the contract says spawn=False"
NO_WORKERS = "loader workers: the loader neither names num_workers nor has any of its own"
AS_BUILT = (
    "other prefetch, and persistent or spawned workers where they are not: a loader of one's own is run as "
    "it is built, with other numbers of workers"
)
UNSEEN = "what the loader's workers do: it was given num_workers, and no DataLoader was seen to have any"
FEW_STOPPED = "resuming on all ranks of worlds of more than 8: of those, four were stopped"
ONE_OF_ALL = "resuming on all ranks of worlds of 3 to 8: as each goes through all data, two were stopped"
TWO_STOPPED = "resuming on all ranks of small worlds of 3 and more: two were stopped, where its law holds"
FEW_REPEATED = (
    "passes taken again, in another order, in turns, given up or copied on all ranks: two of a small case "
    "took them, where its law holds, and up to 10 in worlds of more than 8"
)
AVOIDED = "{} where {}: the target hung in the first of these, and in none of the others before"
NO_PART = "{} on more than {} ranks: batches of so many samples have no part for each rank"
EMPTY = "{} cases of empty datasets, in which the target hung or crashed before"
SLOW = "{} of {:,} samples and more: the target takes time that grows faster than the data, or much for each"
MORE_THAN_TRIED = "more samples than {}={:,}, which --length {} tries, and --axis {}=1,4 in small cases"
DEAR_PASSES = (
    "part of the small scope, and of the epochs for frequencies: a pass of few samples takes about {} "
    "times what is usual, or a case waits for threads"
)
DEAR_CASES = (
    "most laws in part of the small scope: a case takes up to {} times what is usual, so all laws judge one "
    "out of {}, and the others are looked at for what the ranks yield and say of its length"
)
DEAR_SAMPLES = (
    "part of the frontier and of the large cases, which are smaller and fewer: each sample takes up to {} "
    "times what is usual"
)
REFUSED = "{} that the target refuses when it is built, most often by {}: {}"
REPLICAS = "ranks that share a place in the data, as tensor parallel ones do: --contract replicas=2 has them"
OTHERS = "the cases of the other {} of {} shards: `samplercheck report` joins the reports of all"
TOO_FAR = (
    "epoch 2,147,483,648{}: the target takes too long to get there, as it goes through all epochs before"
)
OTHER_SIZES = (
    "every other size, workers, frequencies, smaller failing cases and causes: this run is of one size "
    "(a run without --length has them)"
)
DECIDED = f"{LATER_PHASES}: {{}} broken, so there is no certificate whatever they show"
LONGEST = 80
HELD = re.compile("block|buffer|cache|chunk|pool|queue|shard|window")
"""What parameters are called that say how many samples something holds."""
NO_GROUPS = "real process groups{}"
IN_A_JOB = (
    "simulation, and with it the small scope, workers and frequencies; fresh processes with another hash "
    "seed (SC402, SC704): a run of its own has them (--world auto)"
)
NO_GROUP_OF_RANKS = (
    "process groups (SC901 to SC904), which ranks that gather by files do not have: leave --gather out"
)
NO_FRESH = ", and fresh processes with another hash seed (SC402, SC704)"


def list_not_tried(search: Search, groups: Groups, profile: Profile, *, interrupted: bool) -> tuple[str, ...]:
    """Say what this run left out, and why."""
    why = "the time was up"
    if search.has_given_up:
        why = "the target hung or crashed"
    if interrupted:
        why = "the run was interrupted"
    left = [] if search.shard.is_whole else [OTHERS.format(search.shard.of - 1, search.shard.of)]
    left += [
        f"{one.planned - one.cases} of {one.planned} cases of the phase {one.phase!r}: {why}"
        for one in search.tried
        if not one.is_complete
    ]
    left += [*_list_left_out(search), *_list_beyond(search)]
    left += [*_list_refused(search), *_list_empty(search)]
    told = _name_consumed(search)
    left += [RESUMABLE.format(name) for name in told]
    left += [REPLICAS] if search.binding.deals_by_place and search.binding.contract.replicas == 1 else []
    left += list_unjudged(search.scope)
    more = " and frequencies over thousands of epochs" if profile.patience[2:] else ""
    left += [TOO_FAR.format(more)] if "near_epochs" in search.scope.traits else []
    left += [DEAR_PASSES.format(search.dear_pass)] if search.dear_pass > 1 else []
    left += [DEAR_CASES.format(search.dear_case, search.every)] if search.every > 1 else []
    left += [DEAR_SAMPLES.format(search.dear_sample)] if search.spares_samples else []
    left += _list_groups(search, groups)
    left += [why for why in search.unasked.values() if why == NOT_ASKED_AGAIN]
    pinned = [name for name in ("shuffle", "drop_last", "seed") if name not in search.binding.named]
    if pinned:
        left.append(f"{', '.join(pinned)}: the target has no such parameter")
    if not (told or can_resume(search.scope)) and search.binding.contract.resume != "none":
        left.append(NO_STATE)
    drawn = any(one.phase in ("modest", "large") for one in search.tried)
    left += [FEW_STOPPED] if drawn and can_resume(search.scope) else []
    left += _list_small_stops(search)
    left += [FEW_REPEATED] if _is_left_to_few(search) else []
    return (*left, *_list_workers(search, profile))


def _list_small_stops(search: Search) -> list[str]:
    """Say where two ranks of a small world were stopped for all of them."""
    if not can_resume(search.scope):
        return []
    if search.binding.contract.sharding == "none":
        return [ONE_OF_ALL]
    return [TWO_STOPPED] if search.looks_again and not search.uses_collectives else []


def _name_consumed(search: Search) -> list[str]:
    """Name the parameter that may tell where to go on, where nothing was resumed and no contract says why."""
    if can_resume(search.scope) or search.binding.contract.resume == "none":
        return []
    return [name for name in search.binding.signature.parameters if BOUND.get(name) == "consumed"][:1]


def _list_left_out(search: Search) -> list[str]:
    """Say what a search never began: other sizes or phases, and cases that would hang or take too long."""
    left = [OTHER_SIZES] if search.is_of_one_size else []
    were = f"{join_words([*search.decided_by])} {'are' if search.decided_by[1:] else 'is'}"
    left += [DECIDED.format(were)] if search.decided_by else []
    avoided, own = {*search.avoided.cases}, search.avoided.own
    hanging = sum(own.reaches(case.world_size) for case in avoided)
    left += [AVOIDED.format(pluralise(hanging, "case"), search.avoided.text)] if hanging else []
    partless = len(avoided) - hanging
    left += [NO_PART.format(pluralise(partless, "case"), own.size)] if partless else []
    lengths = [case.length for case in search.left_out if case not in avoided]
    too_long = sorted(filter(None, lengths))
    left += [EMPTY.format(lengths.count(0))] if 0 in lengths else []
    return [*left, SLOW.format(pluralise(len(too_long), "case"), too_long[0])] if too_long else left


def _list_beyond(search: Search) -> list[str]:
    """Name the sizes by default that are larger than any dataset that was tried."""
    longest = max((case.length for case in search.course), default=0)
    sizes = {name: one for name, one in own_numbers(search.binding).items() if HELD.search(name)}
    beyond = {name: one for name, one in sizes.items() if one >= longest > 0}
    return [MORE_THAN_TRIED.format(name, one, one + 1, name) for name, one in beyond.items()]


def _list_refused(search: Search) -> list[str]:
    """Say how many cases a target refused, and in which words."""
    if not search.refused:
        return []
    said = Counter((one.error, " ".join(one.message.split())[:LONGEST]) for one in search.refused)
    ((error, message), _), *_ = said.most_common(1)
    return [REFUSED.format(pluralise(len(search.refused), "case"), error, message)]


def _list_empty(search: Search) -> list[str]:
    """Say that all passes of the small scope ended well, and none of them yielded anything."""
    code = in_range.LAW.code
    page = search.ledger.pages.get(code)
    if page is None or page.unjudged or search.refused:
        return []
    small = [one for one in search.tried if one.phase == "small scope" and one.judged.get(code) == 0]
    return [NOTHING.format(one.cases) for one in small]


def _is_left_to_few(search: Search) -> bool:
    """Whether in some case few of the ranks took the passes that repeat those of the usual epochs."""
    contract = search.binding.contract
    is_left = partial(ranks_that_repeat, contract=contract)
    small = any(is_left(case, by_two=True) for case in search.ledger.small) if search.looks_again else False
    return not search.uses_collectives and (small or any(map(is_left, search.course)))


def _list_workers(search: Search, profile: Profile) -> list[str]:
    """Say which loader workers had no part in a run, of what is a loader or a stream."""
    if not goes_through_a_loader(search.scope):
        return [NO_WORKERS] if search.is_of_loaders else []
    if "own_loader" in search.scope.traits:
        return [AS_BUILT, UNSEEN] if search.unseen else [AS_BUILT]
    if not search.binding.contract.spawn:
        return [NEVER_SPAWNED]
    return [] if profile.spawns else [NO_SPAWN]


def _list_groups(search: Search, groups: Groups) -> list[str]:
    """Say which real process groups saw nothing of the target."""
    names = {one.phase for one in search.tried}
    if groups.places.attached:
        return [IN_A_JOB, NO_GROUP_OF_RANKS] if groups.places.gathers else [IN_A_JOB]
    if not groups.places.cases:
        return [NO_GROUPS.format("" if "fresh" in names else NO_FRESH)]
    absent = [f"{name}: {why.rstrip('.')}" for name, why in sorted(groups.absent.items())]
    missed = [name for name in GROUPS if name not in names and name not in groups.absent]
    return absent + ([f"process groups of {', '.join(missed)}"] if missed else [])
