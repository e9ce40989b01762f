"""Sound samplers composed of sound parts, each written out as a file, with the contract that its parts keep.

Orders, tails, deals, ways to a rank, ways to an epoch, batches and states are drawn by a seed. What comes
out has been written by nobody, so that nobody has fitted the kit to it. Needs the standard library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

HEAD = """import math
import os
import random

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import Sampler


class Composed(Sampler):
"""
MIXED = "random.Random(f'{self.seed} {self.epoch}')"
SHUFFLED = {"order": "shuffled"}
DRAWN = {"coverage": "sampled", **SHUFFLED}
PART = {"coverage": "subset", **SHUFFLED}


@dataclass(frozen=True)
class Order:
    """How an epoch is made: an expression for ``n`` samples, and perhaps lines that it needs."""

    text: str
    contract: dict[str, Any] = field(default_factory=dict)
    feature: str = ""
    lines: str = ""
    seeded: bool = True
    tails: tuple[str, ...] = ("fills", "repeats_last", "drops", "keeps", "asks")
    deals: tuple[str, ...] = ("strided", "contiguous")

    @property
    def asks(self) -> bool:
        """Whether it shuffles only when it is told to."""
        return "self.shuffle" in self.text


def _asked(text: str) -> Order:
    return Order(f"{text} if self.shuffle else list(range(n))")


ORDERS = {
    "torch": _asked(
        "torch.randperm(n, generator=torch.Generator().manual_seed(self.seed + self.epoch)).tolist()"
    ),
    "random": _asked(f"{MIXED}.sample(range(n), n)"),
    "numpy": _asked("np.random.default_rng([self.seed, self.epoch + 1]).permutation(n).tolist()"),
    "always": Order(f"{MIXED}.sample(range(n), n)", SHUFFLED),
    "in_order": Order("list(range(n))", {"order": "sequential"}, seeded=False),
    "chunks": Order(
        "[i for chunk in chunks for i in rng.sample(chunk, len(chunk))]",
        {**SHUFFLED, "shuffles": "chunks"},
        lines=f"""
        rng = {MIXED}
        chunks = [range(at, min(at + 4, n)) for at in range(0, n, 4)]
        rng.shuffle(chunks)
""",
    ),
    "by_length": Order(
        "[i for at in range(0, n, 8) for i in sorted(mixed[at:at + 8], key=lambda i: -self.lengths[i])]",
        SHUFFLED,
        "lengths",
        f"\n        mixed = {MIXED}.sample(range(n), n)\n",
        tails=("fills", "repeats_last", "keeps"),  # the shortest of few samples would be dropped each time
    ),
    "oversampled": Order(
        "rng.sample(drawn, len(drawn))",
        {**DRAWN, "frequencies": "at_least_once"},
        "labels",
        f"""
        rng, groups = {MIXED}, {{}}
        for i, label in enumerate(self.labels):
            groups.setdefault(label, []).append(i)
        most = max(map(len, groups.values()), default=0)
        drawn = [i for one in groups.values() for i in one + rng.choices(one, k=most - len(one))]
""",
        tails=("fills", "repeats_last", "keeps", "asks"),
    ),
    "weighted": Order(f"{MIXED}.choices(range(n), self.weights, k=n) if n else []", DRAWN, "weights"),
    "repeated": Order(
        f"[i for i in {MIXED}.sample(range(n), n) for _ in range(3)]",
        {**SHUFFLED, "repeats": 3},
        deals=("strided",),  # copies are for ranks beside each other
    ),
    "half": Order(
        f"{MIXED}.sample(range(n), (n + 1) // 2)",
        {**PART, "frequencies": "uniform"},
        tails=("fills", "repeats_last", "drops", "keeps"),
    ),
    "split": Order(
        f"{MIXED}.sample(kept, len(kept))",
        {**PART, "frequencies": "fixed"},
        lines="\n        kept = sorted(random.Random(f'split {self.seed}').sample(range(n), n - n // 5))\n",
        tails=("fills", "repeats_last", "drops", "keeps"),
    ),
    "parts": Order(
        "part + mixed[: half - len(part)]",
        {"coverage": "subset", "order": "free", "cycle": 2},
        lines="""
        mixed, half = random.Random(f'{self.seed} {self.epoch // 2}').sample(range(n), n), (n + 1) // 2
        part = mixed[self.epoch % 2 * half :][:half]
""",
        tails=("keeps",),
    ),
}
FILL = "math.ceil(len(order) / UNIT) * UNIT"
TAILS = {
    "fills": ("pad", f"order = (order * UNIT)[: {FILL}]"),
    "repeats_last": ("pad", f"order = order + order[-1:] * ({FILL} - len(order))"),
    "drops": ("drop", "order = order[: len(order) // UNIT * UNIT]"),
    "keeps": ("keep", ""),
    "asks": (
        "",
        f"order = order[: len(order) // UNIT * UNIT] if self.drop_last else (order * UNIT)[: {FILL}]",
    ),
}
DEALS = {
    "strided": "order[self.rank :: self.world_size]",
    "contiguous": "order[size * self.rank // self.world_size : size * (self.rank + 1) // self.world_size]",
}
ASKS_GROUP = "self.rank, self.world_size = dist.get_rank(), dist.get_world_size()"
RANKS = {
    "named": (["rank", "world_size"], "self.rank, self.world_size = rank, world_size"),
    "as_torch": (["num_replicas", "rank"], "self.rank, self.world_size = rank, num_replicas"),
    "or_group": (
        ["num_replicas=None", "rank=None"],
        """self.rank = dist.get_rank() if rank is None else rank
        self.world_size = dist.get_world_size() if num_replicas is None else num_replicas""",
    ),
    "group": ([], ASKS_GROUP),
    "late": ([], ""),
    "environment": (
        [],
        'self.rank, self.world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])',
    ),
    "alone": ([], ""),
}
STATES = {
    "place": '{"place": self.place}',
    "place_and_epoch": '{"place": self.place, "epoch": self.epoch}',
}


def compose(seed: int) -> tuple[str, dict[str, Any]]:
    """Return the text of a module with a sound sampler, ``Composed``, and the contract that it keeps."""
    rng = Random(seed)
    order, batched = ORDERS[rng.choice([*ORDERS])], rng.random() < 0.5
    tail, deal, ranks = rng.choice(order.tails), rng.choice(order.deals), rng.choice([*RANKS])
    ways = ["set_epoch", "set_epoch", "first", "last", "either"] if order.seeded else ["set_epoch"]
    epochs, state = rng.choice(ways), rng.choice(["", *STATES])
    if state:  # a place alone is no state where nobody says which epoch it is a place in
        state = {"set_epoch": state, "last": "place_and_epoch"}.get(epochs, "")
    by_batch = batched and (tail == "asks" or (tail != "keeps" and rng.random() < 0.5))
    fields = {"length": "length"} if rng.random() < 0.5 else {"dataset": "len(dataset)"}
    contract = {**order.contract, **({"tail": TAILS[tail][0]} if TAILS[tail][0] else {})}
    contract |= {"tail_unit": "batch"} if by_batch else {}
    contract |= {"sharding": "none"} if ranks == "alone" else {}
    contract |= {"set_epoch": {}, "first": {"epochs": "advance"}, "either": {"epochs": "either"}}.get(
        epochs, {"epochs": "advance", "after_break": "again"}
    )
    text = HEAD + _init(order, ranks, epochs, fields, tail=tail, batched=batched)
    text += _set_epoch(epochs, state) + _share(order, ranks, tail, deal, by_batch=by_batch)
    units = "[share[at : at + self.batch_size] for at in range(0, len(share), self.batch_size)]"
    text += "\n    def _units(self):\n        share = self._share()\n"
    text += f"        return {units if batched else 'share'}\n"
    text += "\n    def __len__(self):\n        return len(self._units())\n"
    return text + _iter(epochs, state), contract


def _init(order: Order, ranks: str, epochs: str, fields: dict[str, str], *, tail: str, batched: bool) -> str:
    (data, length), (places, placed) = next(iter(fields.items())), RANKS[ranks]
    named = [name for name in (order.feature, "batch_size" if batched else "") if name]
    options = [f"{name}=0" for name in ["seed"] if order.seeded]
    options += [f"shuffle={order.asks}"] * order.asks + ["drop_last=False"] * (tail == "asks")
    plain, defaulted = ([one for one in places if ("=" in one) is late] for late in (False, True))
    lines = [f"self.n = {length}", *(f"self.{name} = {name}" for name in named)]
    lines += [f"self.{name} = {name}" for name in (one.partition("=")[0] for one in options)]
    lines += [placed] * bool(placed)
    lines += [f"self.epoch = {-1 if epochs in ('first', 'either') else 0}"]
    lines += ["self.told = False"] * (epochs == "either")
    lines += ["self.start = self.place = 0"]
    head = ", ".join(["self", data, *plain, *named, *defaulted, *options])
    return f"    def __init__({head}):\n" + "".join(f"        {line}\n" for line in lines)


def _set_epoch(epochs: str, state: str) -> str:
    if epochs not in ("set_epoch", "either"):
        return ""
    lines = (
        ["if epoch != self.epoch:", "    self.start = self.place = 0"] if state == "place_and_epoch" else []
    )
    lines += ["self.epoch = epoch", *["self.told = True"] * (epochs == "either")]
    return "\n    def set_epoch(self, epoch):\n" + "".join(f"        {line}\n" for line in lines)


def _share(order: Order, ranks: str, tail: str, deal: str, *, by_batch: bool) -> str:
    is_alone = ranks == "alone"
    places = "1" if is_alone else "self.world_size"
    unit = f"({places} * self.batch_size)" if by_batch else places
    late = f"        {ASKS_GROUP}\n" if ranks == "late" else ""
    ends = f"        {TAILS[tail][1].replace('UNIT', unit)}\n" if TAILS[tail][1] else ""
    made = f"{late}        n = self.n{order.lines or chr(10)}        order = {order.text}\n{ends}"
    made += "        size = len(order)\n"
    return f"\n    def _share(self):\n{made}        return {'order' if is_alone else DEALS[deal]}\n"


def _iter(epochs: str, state: str) -> str:
    before = {
        "first": "        self.epoch += 1\n",
        "either": "        self.epoch += not self.told\n        self.told = False\n",
    }.get(epochs, "")
    after = "        self.epoch += 1\n" if epochs == "last" else ""
    if not state:
        return f"\n    def __iter__(self):\n{before}        yield from self._units()\n{after}"
    back = '        self.epoch = state["epoch"]\n' if state == "place_and_epoch" else ""
    return f"""
    def __iter__(self):
        units = self._units()
        self.place, self.start = self.start, 0
        for unit in units[self.place :]:
            self.place += 1
            yield unit
        self.place = 0
{after}
    def state_dict(self):
        return {STATES[state]}

    def load_state_dict(self, state):
{back}        self.start = self.place = state["place"]
"""
