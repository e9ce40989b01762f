"""The experiments of scripts: what a rank does, and what comes of it.

Copied into scripts as they stand, like the functions of ``_setup``. An experiment returns passes, faults, or
results: what it is, what was found and what should have been found.
"""

from __future__ import annotations

import pickle
import random
import sys
from itertools import chain, islice
from typing import Any

import torch

from samplercheck.storage.scripts._setup import Setup, plain, samples

ENOUGH = 48
"""So many epochs, or seeds, that luck is out of the question."""


def take_epochs(setup: Setup, rank: int, number: int | None = None) -> Any:
    """Return the passes of all epochs of the case, or of so many."""
    return setup.passes(rank, number or setup.case["epochs"])


def take_together(setup: Setup, rank: int, **changes: Any) -> Any:
    """Return many epochs as one pass, perhaps with an argument changed."""
    return [list(chain(*setup.passes(rank, ENOUGH, **changes)))]


def change_argument(setup: Setup, rank: int, name: str) -> Any:
    """Return many epochs as one pass, as they are and with an argument changed."""
    value = setup.case[name]
    changed = value + 1 if name == "batch_size" else not value
    return take_together(setup, rank) + take_together(setup, rank, **{name: changed})


def change_seed(setup: Setup, rank: int) -> Any:
    """Return the first pass under many seeds, the case's own first."""
    seed = setup.case["seed"]
    seeds = [*range(seed, seed + ENOUGH - 1), (seed + 104_729) % 2**31]
    return [setup.passes(rank, 1, seed=other)[0] for other in seeds]


def jump(setup: Setup, rank: int) -> Any:
    """Visit the last epoch and then the first."""
    last, subject, results = setup.case["epochs"] - 1, setup.build(rank), []
    visits = setup.visits(last + 1)
    straight = dict(zip(visits, setup.passes(rank, last + 1), strict=False))
    near = (10, 7, 4) if len(visits) > last + 1 else ()
    for epoch in (*(far for far in visits[:last:-1] if far in straight), *near, last, 0):
        subject = setup.begin(rank, subject, epoch)
        results.append((f"epoch {epoch}, visited out of order,", setup.take(subject), straight[epoch]))
    return results


def start(setup: Setup, rank: int) -> tuple[Any, Any]:
    """Return an object in its first epoch, and two passes of another: the first twice, or two epochs."""
    advances = setup.promise["epochs"] == "advance"
    due = setup.passes(rank, 2) if advances else setup.passes(rank, 1) * 2
    return setup.begin(rank, setup.build(rank), 0), due


def build_again(setup: Setup, rank: int) -> Any:
    """Build a second object and take its first pass or, where every pass is a new epoch, two."""
    subject, due = start(setup, rank)
    number = 2 if setup.promise["epochs"] == "advance" else 1
    return [(f"pass {epoch} of a second object", setup.take(subject), due[epoch]) for epoch in range(number)]


def take_twice(setup: Setup, rank: int) -> Any:
    """Take the first epoch twice."""
    subject = setup.begin(rank, setup.build(rank), 0)
    first = setup.take(subject)
    return [(f"the {which} pass", setup.take(subject), first) for which in ("second", "third")]


def stand_beside(setup: Setup, rank: int) -> Any:
    """Take a pass while an object of another length is in another epoch."""
    epoch, own, most = int(setup.promise["epochs"] == "set_epoch"), setup.case, setup.promise["most_steps"]
    due = setup.passes(rank, epoch + 1)[epoch]
    subject = setup.begin(rank, setup.build(rank), epoch)
    setup.case = {**own, "length": own["length"] // 2 + 1, "features": {}}
    other = setup.begin(rank, setup.build(rank), 0)
    opened = iter(subject)
    found = [plain(step) for step in islice(opened, 1)]
    setup.take(other)
    setup.case = own
    found += [plain(step) for step in islice(opened, most)]
    return [("the pass beside another object", found, due)]


def interleave(setup: Setup, rank: int) -> Any:
    """Take two passes of one object that are open at once."""
    subject, due = start(setup, rank)
    opened, found, most = [iter(subject), iter(subject)], ([], []), setup.promise["most_steps"]  # type: ignore[var-annotated]
    for number, steps in ((0, 1), (1, 1), (0, 1), (1, 1), (1, most), (0, most)):
        found[number].extend(plain(step) for step in islice(opened[number], steps))
    return [(f"pass {number} of two that are open at once", found[number], due[number]) for number in (0, 1)]


def give_up(setup: Setup, rank: int) -> Any:
    """Give a pass up on its way, and take a whole one."""
    subject, due = start(setup, rank)
    share = setup.case["length"] * setup.promise["repeats"] // setup.case["world_size"]
    given_up, found = setup.take(subject, max(1, share // 4)), setup.take(subject)
    was_whole = not given_up or given_up == due[0]  # then it was not given up on its way
    return [("the pass after one that was given up", due[1] if was_whole else found, due[1])]


def copy_by_pickle(setup: Setup, rank: int) -> Any:
    """Take the pass of an object's copy made by pickle, and the object's own."""
    epoch = 1 if setup.promise["epochs"] == "set_epoch" and setup.case["epochs"] > 1 else 0
    subject = setup.begin(rank, setup.build(rank), epoch)
    found = setup.take(pickle.loads(pickle.dumps(subject)))
    return [("the pass of a copy made by pickle", found, setup.take(subject))]


def ask_torch(setup: Setup, rank: int) -> Any:
    """Take the passes, and those of torch's DistributedSampler; what each may cut off is not compared."""
    from torch.utils.data import DistributedSampler

    promise, case, results = setup.promise, setup.case, []
    drops, places = promise["tail"] == "drop", case["world_size"] // promise["replicas"]
    how = {"shuffle": promise["shuffled"], "seed": case["seed"], "drop_last": drops}
    reference: Any = DistributedSampler(setup.dataset, places, rank // promise["replicas"], **how)
    for epoch, steps in enumerate(setup.passes(rank, case["epochs"])):
        reference.set_epoch(epoch if promise["epochs"] == "set_epoch" else 0)
        found, due = samples(steps), list(reference)
        if promise["tail_unit"] == "batch":
            due, found = due[: len(found)], found[: len(due)]
        elif promise["batched"] and drops and found != due:
            due = due[: len(due) // case["batch_size"] * case["batch_size"]]
        results.append((f"epoch {epoch}, beside that of torch's sampler,", found, due))
    return results


def ask_length(subject: Any) -> int | None:
    """Return len(), None where there is none."""
    try:
        return len(subject)
    except (TypeError, NotImplementedError):
        return None


def compare_lengths(setup: Setup, rank: int, *, with_torch: bool = False) -> Any:
    """Compare what len() says with the steps of the pass, or with the length of torch's sampler."""
    subject, results = setup.build(rank), []
    said = {"when it is built": ask_length(subject)}
    for epoch in range(min(4, setup.case["epochs"])):
        subject = setup.begin(rank, subject, epoch)
        said["before it"] = ask_length(subject)
        due = len(setup.take(subject))
        if setup.promise["epochs"] != "advance":
            said["after it"] = ask_length(subject)
        said = {"before it": said["before it"]} if with_torch else said
        due = setup.promise["torch_length"] if with_torch else due
        results += [
            (f"len() of epoch {epoch} {when}", said[when], due) for when in said if said[when] is not None
        ]
        said = {}
    return results


def ask_often(setup: Setup, rank: int) -> Any:
    """Take the first epochs with len() asked around each pass, and without asking."""
    subject, results = setup.build(rank), []
    ask_length(subject)
    for epoch, due in enumerate(setup.passes(rank, min(4, setup.case["epochs"]))):
        subject = setup.begin(rank, subject, epoch)
        before, again = ask_length(subject), ask_length(subject)
        found, after = setup.take(subject), ask_length(subject)
        moves = before is None or setup.promise["epochs"] == "advance"
        lengths = [again, before if moves else after]
        results.append((f"epoch {epoch}, its length asked or not,", [found, *lengths], [due, before, before]))
    return results


def use(setup: Setup, rank: int) -> list[str]:
    """Do what a training script may: iterate, ask len(), iterate again, give up; it must not fail."""
    setup.passes(rank, setup.case["epochs"])
    subject = setup.begin(rank, setup.build(rank), 0)
    ask_length(subject)
    setup.take(subject, 1)
    setup.take(subject)
    first, second = iter(subject), iter(subject)
    next(first, None), next(second, None)
    list(islice(second, setup.promise["most_steps"]))
    setup.passes(rank, 1, subject)
    return []


def offer_nonsense(setup: Setup, rank: int) -> list[str]:
    """Return the impossible ranks, worlds and batch sizes that are accepted."""
    offers, accepted = (
        {"rank": (-1, setup.case["world_size"]), "world_size": (0, -1), "batch_size": (0, -1)},
        [],
    )
    for name, value in [(key, value) for key in offers if key in setup.names for value in offers[key]]:
        try:
            setup.build(rank, **{name: value})
            accepted.append(f"is built without an error with {name}={value}")
        except Exception:  # noqa: BLE001, S112  (refused, as it should be)
            continue
    return accepted


def watch_generators(setup: Setup, rank: int) -> list[str]:
    """Return which global generators building and iterating move; a DataLoader draws a seed of torch's."""
    before = read_generators()
    subject = setup.build(rank)
    built = read_generators()
    setup.passes(rank, setup.case["epochs"], subject)
    after = read_generators()
    exempt = "torch" if hasattr(subject, "batch_sampler") else ""
    moved = [f"moves {name} when it is built" for name in before if before[name] != built[name]]
    return moved + [
        f"moves {name} when iterated" for name in built if built[name] != after[name] and name != exempt
    ]


def read_generators() -> dict[str, Any]:
    """Return the states of the global random generators, numpy's where it is used."""
    found = {"random": random.getstate(), "torch": torch.default_generator.get_state().tolist()}
    if "numpy" in sys.modules:
        _, keys, *rest = sys.modules["numpy"].random.get_state()
        found["numpy"] = (keys.tolist(), *rest)
    return found


def wrap(setup: Setup, rank: int) -> Any:
    """Return what a wrapper does to the sampler inside, and its passes as places in that one's order."""
    name = "sampler" if "sampler" in setup.names else "batch_sampler"
    shuffle = {"shuffle": setup.case["shuffle"] or setup.promise["wraps_a_shuffle"]}
    inner, bare = setup.value(name, rank, shuffle), setup.value(name, rank, shuffle)
    before, passes, reached = inner.settings(), [], []
    subject = setup.build(rank, **{name: inner})
    moves_on = setup.promise["epochs"] == "advance"
    told = setup.promise["epochs"] == "set_epoch" and hasattr(subject, "set_epoch")
    for epoch in range(setup.case["epochs"]):
        if not (told or moves_on):
            inner.set_epoch(epoch)
        subject, at = setup.begin(rank, subject, epoch), inner.epoch
        steps = samples(setup.take(subject))
        reached.append(at if moves_on else inner.epoch)
        places = {sample: place for place, sample in enumerate(bare.order_of(reached[-1]))}
        passes.append([places.get(sample, len(places)) for sample in steps])
    faults = ["has other settings than before"] * (inner.settings() != before)
    faults += ["keeps batches that hold something else than before"] * (not inner.is_intact)
    sets_epochs = setup.promise["epochs"] == "set_epoch" and hasattr(subject, "set_epoch")
    faults += [f"was at the epochs {reached}"] * (sets_epochs and reached != list(range(len(reached))))
    return {"faults": faults, "passes": passes}
