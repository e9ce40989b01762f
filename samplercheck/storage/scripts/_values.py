"""What stands for the names in steps and checks that are a number, a condition or an expression of a case.

Asked by ``Filling``, ``t`` below, for one violation. What one line alone asks for stands in that line.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from samplercheck.experiments.arguments import other_seeds
from samplercheck.laws.law import GROUPING
from samplercheck.laws.reference_length import count_steps
from samplercheck.laws.shares import shares_in
from samplercheck.targets.features import feature, groups_of, may_wrap_a_shuffle
from samplercheck.targets.provenance import place_of
from samplercheck.targets.splitters import Split, as_torch_splits
from samplercheck.values.batch_rules import READY
from samplercheck.values.choices import FEATURES
from samplercheck.values.limits import lap_of, lap_sizes, quarter_of
from samplercheck.values.owed import MANY_EPOCHS, MANY_LAPS, changing, heeds_drop_last

STATES = {"torch": "torch.get_rng_state().tolist()", "numpy": "str(numpy.random.get_state())"}
SIGMAS = 6
VALUES: dict[str, Callable[[Any], Any]] = {
    # Which experiment it is, and what is known of the case.
    "alike": lambda t: (
        t.exact
        or (t.seen.experiment == "again" and t.contract.epochs == "fixed")
        or (t.seen.experiment == "pickled" and t.contract.ambient_rng == "independent")
    ),
    "members": lambda t: not t.alike and (len(t.ranks) > 1 or t.contract.ambient_rng == "shared"),
    "late": lambda t: t.case.epochs >= MANY_EPOCHS and not t.endless,
    "one_walk": lambda t: t.contract.is_one_walk,
    "gives_up_often": lambda t: t.contract.counts_breaks and t.case.epochs - 1 > 1,
    "quarter": lambda t: quarter_of(t.case, t.contract) + 1,  # one more shows that there is more
    "beside": lambda t: int(t.contract.epochs == "set_epoch"),
    "parts": lambda t: t.is_loader and t.seen.step is None,
    "own_place": lambda t: f"{t.rank} // {t.contract.replicas}" if t.contract.replicas > 1 else t.rank,
    "by_batch": lambda t: t.contract.tail_unit == "batch",
    "cut": lambda t: t.batched and t.drops and not t.by_batch,
    "state": lambda t: STATES.get(t.argument, "random.getstate()"),
    # The epochs that are taken: up to that of the violation, all of them, as many as an argument needs, few.
    "until": lambda t: t.visits[: t.visits.index(t.epoch) + 1] if t.epoch in t.visits else t.visits[:1],
    "course": lambda t: tuple(one for one in t.visits if one < 2**31) if t.recurs else range(t.case.epochs),
    "turns": lambda t: range(t.case.epochs if t.argument == "shuffle" and t.moves else 1),
    "few": lambda t: range(min(t.case.epochs, 3) if t.moves else 1),
    # What an epoch owes: how often samples come, and what a tail may change.
    "all": lambda t: t.joined("passes"),
    "due": lambda t: t.each(t.repeats),
    "wide": lambda t: t.places * t.size,
    "lap": lambda t: t.appearances // (t.places * t.step_size) * t.step_size,
    "step_size": lambda t: t.size if t.batched else 1,
    "padded": lambda t: t.owed.most is None and not t.endless and t.contract.coverage != "sampled",
    "padded_groups": lambda t: t.padded and t.contract.tail_unit == "group",
    "padded_batches": lambda t: t.padded and t.contract.batches == "variable" and not t.contract.top_up,
    "topped_up": lambda t: t.padded and t.contract.batches == "variable" and t.contract.top_up,
    "limits": lambda t: [
        *[f"max(more.values(), default=0) >= {t.wide}"] * t.padded_groups,
        *[f"(left and often.total() >= {t.places}{t.or_whole})"] * t.padded_batches,
        *[f"sum(map(len, passes)) > {t.appearances + t.places - 1}"] * t.topped_up,
    ],
    "or_whole": lambda t: f" or again.total() >= {t.places}" * (t.contract.coverage == "subset"),
    "changing": lambda t: changing(t.owed, t.contract),
    "counted": lambda t: t.total is not None,
    "grouped": lambda t: not t.counted and t.contract.tail_unit == "group" and t.fixed,
    "by_steps": lambda t: not t.counted and not t.grouped,
    "more": lambda t: "more" if t.pads else "less",
    "less": lambda t: "less" if t.pads else "more",
    "spread": lambda t: t.places > 1 and t.contract.layout != "contiguous",
    # Orders.
    "shorter": lambda t: t.of(t.case.but(length=t.n // 2 + 1, features=())),  # a second dataset, beside
    "many_laps": lambda t: t.read(t.name, lap_of(t.case, t.contract) * MANY_LAPS),
    "sizes": lambda t: str(tuple(lap_sizes(t.case, t.places))),
    "MANY_EPOCHS": lambda _: MANY_EPOCHS,
    "fewest_laps": lambda _: MANY_LAPS * 5 // 6,  # whole ones of a late walk, without its first sixth
    "seeds": lambda t: str((t.case.seed, *other_seeds(t.case.seed, 3))),
    "other_seeds": lambda t: f"(*range({t.case.seed + 1}, {t.case.seed + t.case.epochs}), {t.far_seed})",
    "far_seed": lambda t: other_seeds(t.case.seed, 1)[0],
    "plain_order": lambda t: not t.padding and t.total is not None and t.repeats == 1,
    "as_first": lambda t: t.later and t.contract.coverage != "subset",
    "once": lambda t: t.contract.coverage == "once",
    "orders": lambda t: [
        *[f"order == [at // {t.repeats} for at in range(len(order))]"] * (t.repeats > 1),
        f"order == [at % {t.n} for at in range(len(order))]",
        *["order == sorted(order)"] * (t.drops and t.contract.layout == "contiguous"),
    ],
    # What cannot be, and what a wrapper wraps.
    "placed": lambda t: [name for name in ("rank", "world_size", "batch_size") if name in t.named],
    "offered_values": lambda t: "{" + ", ".join(f'"{name}": {name}' for name in t.placed) + "}",
    "wrapped": lambda t: "sampler" if "sampler" in t.named else "batch_sampler",
    "build_around": lambda t: t.build(**{t.wrapped: "inner"}),
    "settings": lambda _: "{key: one for key, one in vars(inner).items() if key not in ('epoch', 'batches')}",
    "goes_by_itself": lambda t: t.contract.epochs == "advance",
    "untold": lambda t: (  # what says that no epoch comes through tells the inner sampler none
        not (t.goes_by_itself or t.keeps_epoch) and not (t.sets_epochs and "set_epoch" in t.traits)
    ),
    "inside": lambda t: "inner" if t.wrapped == "sampler" else "inner.sampler",
    "or_spoilt": lambda t: " or inner.batches != list(inner)" * (t.inside != "inner"),
    "mixed": lambda t: {"shuffle": t.case.shuffle or may_wrap_a_shuffle(t.contract, t.named)},
    # Batches and lengths.
    "torch_share": lambda t: t.n // t.world if t.drops else -(-t.n // t.world),
    "torch_length": lambda t: count_steps(t.torch_share, t.owed, t.size, batched=t.batched),
    "all_full": lambda t: (t.case.drop_last and heeds_drop_last(t.contract)) or (t.by_batch and not t.keeps),
    "groups": lambda t: (  # so many batches may be short wherever they come
        len(set(groups_of(t.case, t.named)))
        if t.contract.tail_unit == "group"
        else int(not t.endless and t.contract.sharding == "none" and not GROUPING.isdisjoint(t.named))
    ),
    "counts_samples": lambda t: t.fixed and (not t.batched or "batch_size" in t.named),
    # The rule for batches, and whether a script can say what is needed.
    "rule": lambda t: t.contract.batch_rule,
    "rule_kind": lambda t: type(t.rule).__name__ if type(t.rule) in READY else "",
    "rule_place": lambda t: place_of(t.rule).rpartition(":"),
    "rule_features": lambda t: ", ".join(
        (
            *(f'"{name}": {t.list_of(name)}' for name in FEATURES),
            *(f'"{key}": {value!r}' for key, value in t.case.options),
        )
    ),
    "enough": lambda t: min(t.rule.number, len(set(feature(t.case, t.rule.feature)))),
    "most": lambda t: dict(t.case.options).get(t.rule.maximum, t.rule.maximum),
    "knows_rule": lambda t: t.rule_kind or t.rule_place[0],
    "splits": lambda t: isinstance(t.factory, Split),
    "splits_as_torch": lambda t: t.contract.reference is as_torch_splits,
    "splitter": lambda t: f"{t.call}.splitter" if t.is_target else t.call,
    "is_placed": lambda t: {"rank", "world_size"} <= t.named or t.contract.sharding == "none",
    # Resumed runs: what follows a resumed epoch, and other worlds.
    "way": lambda t: t.seen.evidence.way,
    "goes_back": lambda t: t.keeps_epoch and bool(t.seen.event),
    "stops": lambda t: t.seen.evidence.stops or (1,),
    "stop": lambda t: t.stops[-1],
    "after_steps": lambda t: " and ".join(map(str, t.stops)),
    "by_argument": lambda t: t.sets_epochs and "epoch" in t.named and "own_set_epoch" not in t.traits,
    "counts_epochs": lambda t: (
        t.sets_epochs and (t.consumes or t.names_next) and t.way in ("plain", "end seen")
    ),
    "epoch_told": lambda t: t.epoch if t.by_argument else 0,
    "epoch_after": lambda t: "epoch + 1" if t.counts_epochs else t.epoch + 1,
    "skips": lambda t: not t.sets_epochs and t.later,
    "consumes": lambda t: t.contract.resume == "consumed",
    "saved": lambda t: t.seen.experiment == "saved" and not t.consumes,
    "names_next": lambda t: t.contract.at_end == "next",
    "goes_on": lambda t: not t.sets_epochs or t.consumes or t.names_next,
    "is_first": lambda t: t.goes_on and not t.stop and t.later,
    "needs_next": lambda t: t.next or t.says or t.is_first,
    "at_once": lambda t: t.way == "at once",
    "silent": lambda t: not (t.next or t.says),
    "one_epoch": lambda t: not (t.needs_next or t.at_once or t.goes_on or t.one_walk),
    "whole_epochs": lambda t: t.epoch + 1 + (t.needs_next or t.at_once) + t.goes_on,
    "here": lambda t: "whole" if t.one_epoch else f"whole[{t.epoch}]",
    "left": lambda t: "" if not t.endless else f"{t.cap} - len(done)",
    "chain": lambda t: t.way == "chain",
    "or_first": lambda t: f" and (rest, following) != ([], {t.here})" * t.is_first,
    "from_here": lambda t: f"sum(whole[{t.epoch}:], [])",
    "new_world": lambda t: t.seen.evidence.world_size or 1,
    "changed": lambda t: (
        {t.way: getattr(t.case, t.way) + 1} if t.way in ("length", "batch_size", "seed") else {}
    ),
    "there": lambda t: t.of(t.case.but(world_size=t.new_world, **t.changed)),
    "build_there": lambda t: (t.there if t.changed else t).build(
        rank="rank", world_size=t.new_world, epoch=t.epoch_told, consumed=f"states[rank % {t.world}]"
    ),
    "spare_there": lambda t: t.owed.spare_with(t.there.owed),
    # Workers and frequencies.
    "workers": lambda t: 1 if t.way == "spawned" else t.case.workers,
    "ahead": lambda t: {2: 4 if t.way == "kept" else 1}.get(t.workers, 2),
    "torch_loader": lambda t: t.is_loader and "own_loader" not in t.traits,
    "loads_samples": lambda t: not (t.is_loader or t.batched or t.is_stream),
    "loaded_epochs": lambda t: max(2, t.epoch + 1) if t.way == "kept" else t.epoch + 1,
    "spare": lambda t: t.owed.spare(t.case.workers),
    "steps_together": lambda t: len(t.ranks) > 1 and t.contract.even_steps,
    "may_differ": lambda t: t.keeps * t.case.workers * t.owed.unit,
    "sample": lambda t: t.seen.indices[0],
    "fellow": lambda t: t.seen.indices[-1],
    "promised": lambda t: shares_in(t.case, t.contract, t.named) if t.n > 1 else None,
    "is_promised": lambda t: t.seen.rank is None and t.promised is not None,
    "share": lambda t: float(t.promised[t.sample]) if t.is_promised else 1 / t.n,
    "deviations": lambda t: round(SIGMAS * sqrt(1 - t.share), 3),
    "at": lambda t: t.ranks.index(t.rank_value),
    "where": lambda t: "in all passes" if t.seen.step is None else t.place_words,
}
