"""What stands for the names in steps and checks that are a number, a condition or an expression of a case.

Asked by ``Filling``, ``t`` below, for one violation.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from samplercheck.laws.shares import shares_in
from samplercheck.targets.features import groups_of
from samplercheck.targets.provenance import place_of
from samplercheck.values.batch_rules import READY
from samplercheck.values.owed import LAPS, MANY_EPOCHS, MANY_LAPS, compute_owed, heeds_drop_last, quarter_of

STATES = {"torch": "torch.get_rng_state().tolist()", "numpy": "str(numpy.random.get_state())"}
SIGMAS = 6
VALUES: dict[str, Callable[[Any], Any]] = {
    # Which experiment it is, and what is known of the case.
    "alike": lambda t: (
        t.exact or (t.seen.experiment == "again" and t.contract.epochs == "fixed")
        or (t.seen.experiment == "pickled" and t.contract.ambient_rng == "independent")
    ),
    "members": lambda t: not t.alike and (len(t.ranks) > 1 or t.contract.ambient_rng == "shared"),
    "as_many": lambda t: t.members and t.total != t.appearances,
    "three_times": lambda t: t.case.epochs >= MANY_EPOCHS and t.alike,
    "late": lambda t: t.case.epochs >= MANY_EPOCHS and not t.endless,
    "begins_later": lambda t: t.late and t.gives_up_often and t.seen.evidence.kind == "begins again",
    "one_walk": lambda t: t.contract.is_one_walk,
    "gives_up_often": lambda t: t.contract.counts_breaks and t.given_up > 1,
    "given_up": lambda t: t.case.epochs - 1,
    "quarter": lambda t: quarter_of(t.case, t.contract) + 1,  # one more shows that there is more
    "open_left": lambda t: str(t.cap - 2) if t.endless else "",
    "beside": lambda t: int(t.contract.epochs == "set_epoch"),
    "goes_further": lambda t: t.epoch > int(t.contract.epochs == "set_epoch"),
    "copied_in": lambda t: int(t.sets_epochs and t.case.epochs > 1),
    "parts": lambda t: t.is_loader and t.seen.step is None,
    "raw": lambda t: "" if t.seen.indices else f"list({t.name})",
    "capped": lambda t: t.read(t.name, str(t.cap + (not t.endless))),
    "set_epoch": lambda t: t.epoch if t.sets_epochs else 0,
    "own_place": lambda t: f"{t.rank} // {t.contract.replicas}" if t.contract.replicas > 1 else t.rank,
    "by_batch": lambda t: t.contract.tail_unit == "batch",
    "cut": lambda t: t.batched and t.drops and not t.by_batch,
    "state": lambda t: STATES.get(t.argument, "random.getstate()"),
    "drawn": lambda t: t.is_loader and t.argument == "torch",
    # What an epoch owes: how often samples come, and what a tail may change.
    "all": lambda t: t.joined("passes"),
    "all_epochs": lambda t: t.joined("chain(*passes)"),
    "all_first": lambda t: t.joined("[one for one, _ in pairs]"),
    "all_second": lambda t: t.joined("[other for _, other in pairs]"),
    "all_worlds": lambda t: t.joined("[*before, *after]"),
    "due": lambda t: t.each(t.repeats),
    "most_here": lambda t: t.each(-(-t.repeats // t.places)),
    "allowed": lambda t: t.each(t.owed.most or t.repeats),
    "by_group": lambda t: t.total is None and t.drops,
    "round_spare": lambda t: t.wide - 1,
    "wide": lambda t: t.places * t.size,
    "may_lack": lambda t: t.losable if t.drops else 0,
    "lap": lambda t: t.appearances // (t.places * t.step_size) * t.step_size,
    "step_size": lambda t: t.size if t.batched else 1,
    "padded": lambda t: t.owed.most is None and not t.endless and t.contract.coverage != "sampled",
    "padded_groups": lambda t: t.padded and t.contract.tail_unit == "group",
    "padded_batches": lambda t: t.padded and t.contract.batches == "variable" and not t.contract.top_up,
    "topped_up": lambda t: t.padded and t.contract.batches == "variable" and t.contract.top_up,
    "too_often": lambda t: " and ".join((
        *([f"max(more.values(), default=0) >= {t.wide}"] if t.padded_groups else []),
        *([f"(left{t.or_whole})"] if t.padded_batches else []),
        *([f"sum(map(len, passes)) > {t.appearances + t.places - 1}"] if t.topped_up else []),
    )) or (f"often.total() > {t.padding}" if t.padded else "often"),
    "or_whole": lambda t: f" or again.total() >= {t.places}" * (t.contract.coverage == "subset"),
    "repeated_batches": lambda t: (
        "(again := Counter(tuple(sorted(one)) for one in chain(*passes))) - Counter({*again})" if t.batched
        else "Counter((sample,) for sample in often.elements())"
    ),
    "counted": lambda t: t.total is not None,
    "grouped": lambda t: not t.counted and t.contract.tail_unit == "group" and t.fixed,
    "by_steps": lambda t: not t.counted and not t.grouped,
    "whole": lambda t: t.by_steps and not t.contract.top_up,
    "more": lambda t: "more" if t.owed.tail == "pad" else "less",
    "less": lambda t: "less" if t.owed.tail == "pad" else "more",
    "surplus": lambda t: f"(seen - {t.due})",
    "lack": lambda t: f"({t.due} - seen)",
    "spread": lambda t: t.places > 1 and t.contract.layout != "contiguous",
    "fills_all": lambda t: (
        t.keeps and t.contract.coverage == "once" and t.contract.batches == "fixed"
        and t.n >= t.places * t.owed.unit
    ),
    "uneven_samples": lambda t: (
        f"-(max(samples) // -{t.owed.unit}) + min(samples) // -{t.owed.unit} > 1" if t.keeps
        else "len(set(samples)) > 1"
    ),
    "but_last": lambda t: "[:-1]" if t.keeps else "",
    "cycle": lambda t: t.contract.cycle,
    "cycle_may_drop": lambda t: t.owed.droppable(t.cycle),
    # Orders.
    "course_length": lambda t: len(t.epochs_of("course")),
    "seeds": lambda t: str((*range(t.seed_value, t.seed_value + 3), t.far_seed)),
    "other_seeds": lambda t: f"(*range({t.seed_value + 1}, {t.seed_value + t.case.epochs}), {t.far_seed})",
    "many_laps": lambda t: str(t.cap // LAPS * MANY_LAPS),
    "laps_compared": lambda _: MANY_EPOCHS,
    "most_shown": lambda t: 3 * t.n,
    "in_turn": lambda t: t.contract.layout == "strided" and not t.batched,
    "seed_value": lambda t: t.case.seed,
    "far_seed": lambda t: (t.seed_value + 104_729) % 2**31,
    "dealt": lambda t: not t.later and len(t.seen.indices) == 1,
    "unsorted": lambda t: not t.later and not t.dealt and t.plain_order,
    "plain_order": lambda t: not t.padding and t.total is not None and t.repeats == 1,
    "strays": lambda t: not t.later and not t.dealt and not t.plain_order,
    "once": lambda t: t.contract.coverage == "once",
    "may_stray": lambda t: f"max({t.padding}, padded)" if t.once or t.padding else 0,
    "falls": lambda t: f"sum(b < a for a, b in pairwise(items)) - {t.repeats - 1}",
    "again_in_laps": lambda t: t.repeats > 1,
    "blocks": lambda t: t.drops and t.contract.layout == "contiguous",
    "placed": lambda t: [name for name in ("rank", "world_size", "batch_size") if name in t.named],
    "offered_values": lambda t: "{" + ", ".join(f'"{name}": {name}' for name in t.placed) + "}",
    # What a wrapper wraps.
    "wrapped": lambda t: "sampler" if "sampler" in t.named else "batch_sampler",
    "inner_alone": lambda t: t.inner("sampler", {}, is_watched=True),
    "build_around": lambda t: t.build(**{t.wrapped: "inner"}),
    "settings": lambda _: "{key: one for key, one in vars(inner).items() if key not in ('epoch', 'batches')}",
    "goes_by_itself": lambda t: t.contract.epochs == "advance",
    "untold": lambda t: (  # what says that no epoch comes through tells the inner sampler none
        not (t.goes_by_itself or t.keeps_epoch) and not (t.sets_epochs and "set_epoch" in t.traits)
    ),
    "inside": lambda t: "inner" if t.wrapped == "sampler" else "inner.sampler",
    "or_spoilt": lambda t: " or inner.batches != list(BatchSampler.__iter__(inner))" * (t.inside != "inner"),
    # Batches and lengths.
    "torch_length": lambda t: (
        t.torch_samples if t.torch_unit == 1
        else (t.torch_samples + t.torch_up) // t.torch_unit * (1 if t.batched else t.torch_unit)
    ),
    "torch_samples": lambda t: t.n // t.world if t.drops else -(-t.n // t.world),
    "torch_unit": lambda t: t.size if t.batched else t.owed.unit,
    "torch_up": lambda t: 0 if t.drops and t.owed.unit == t.size else t.torch_unit - 1,
    "short": lambda t: (
        f"any(0 < one < {t.size} for one in row{'' if t.all_full else '[:-1]'})" if not t.parted
        else f"sum(0 < one < {t.size} for one in row) > {t.part_number}"
    ),
    "all_full": lambda t: (t.case.drop_last and heeds_drop_last(t.contract)) or (t.by_batch and not t.keeps),
    "parted": lambda t: not t.all_full and (t.contract.tail_unit == "group" or t.endless),
    "part_number": lambda t: (
        len(set(groups_of(t.case, t.named))) if t.contract.tail_unit == "group"
        else f"-(-sum(row) // {max(1, t.appearances // t.places)})"
    ),
    "readings": lambda t: (
        f"list({t.all})" if t.contract.layout != "strided"
        else f"[one for row in itertools.zip_longest(*{t.opened_passes}) for one in row if one is not None]"
        + ", list(chain(*chain(*itertools.zip_longest(*passes, fillvalue=[]))))" * t.batched
    ),
    "opened_passes": lambda t: "[list(chain(*taken)) for taken in passes]" if t.batched else "passes",
    "opened_pass": lambda t: t.flat("taken") if not t.ordered or t.seen.experiment != "wrapped" else "taken",
    "in_order": lambda t: " or ".join((
        *([f"order == [at // {t.repeats} for at in range(len(order))]"] if t.repeats > 1 else []),
        f"order == [at % {t.n} for at in range(len(order))]",
        *(["order == sorted(order)"] if t.blocks else []),
    )),
    # Whether a script can say what is needed.
    "knows_rule": lambda t: type(t.contract.batch_rule) in READY or place_of(t.contract.batch_rule),
    "can_run_in_turn": lambda t: t.is_placed and not t.provenance.collectives,
    "is_placed": lambda t: {"rank", "world_size"} <= t.named or t.contract.sharding == "none",
    "knows_shares": lambda t: t.promised is not None,
    # Resumed runs: what follows a resumed epoch, and other worlds.
    "epoch_told": lambda t: "0" if not t.by_argument else "epoch" if t.counts_epochs else str(t.epoch),
    "skips": lambda t: not t.sets_epochs and t.later,
    "saved": lambda t: t.seen.experiment == "saved" and not t.consumes,
    "plain_state": lambda t: not t.consumes and not t.saved,
    "one_epoch": lambda t: not (t.needs_next or t.at_once or t.goes_on),
    "here": lambda t: "whole" if t.one_epoch else f"whole[{t.epoch}]",
    "counts_epochs": lambda t: t.sets_epochs and (t.consumes or t.names_next),
    "names_next": lambda t: t.contract.at_end == "next",
    "epoch_first": lambda t: t.way == "epoch first" and not t.by_argument,
    "counted_first": lambda t: t.way == "counted first" and "len" in t.traits,
    "twice": lambda t: t.way == "twice",
    "target_epoch": lambda t: t.epoch + t.at_once,
    "way": lambda t: t.seen.evidence.way,
    "stops": lambda t: t.seen.evidence.stops or (1,), "stop": lambda t: t.stops[-1],
    "was_stopped": lambda t: bool(t.seen.evidence.stops),
    "moves_alone": lambda t: not t.by_argument,
    "changed": lambda t: (
        {t.way: getattr(t.case, t.way) + 1} if t.way in ("length", "batch_size", "seed") else {}
    ),
    "elsewhere": lambda t: t.of(t.case.but(**t.changed)).build(rank="rank", world_size=str(t.new_world)),
    "saved_by": lambda t: "0" if t.way == "rank" else f"rank % {t.world}",
    "saved_again": lambda t: t.way == "saved again", "step": lambda t: t.seen.step,
    "at_end": lambda t: t.way == "end seen",
    "disturbed": lambda t: t.way == "disturbed",
    "looked_at": lambda t: t.way == "looked at",
    "afresh": lambda t: t.way == "afresh", "at_once": lambda t: t.way == "at once",
    "silent": lambda t: not (t.next or t.says),
    "other": lambda t: t.silent and not t.at_once,
    "consumes": lambda t: t.contract.resume == "consumed",
    "goes_on": lambda t: not t.sets_epochs or t.consumes or t.names_next,
    "by_argument": lambda t: t.sets_epochs and "epoch" in t.named and "own_set_epoch" not in t.traits,
    "is_first": lambda t: t.goes_on and not t.stop and t.later,
    "needs_next": lambda t: t.next or t.says or t.is_first,
    "next_epoch": lambda t: t.epoch + 1,
    "whole_epochs": lambda t: t.epoch + 1 + (t.needs_next or t.at_once) + t.goes_on,
    "left": lambda t: "" if not t.endless else f"{t.cap} - len(done)",
    "asks_length": lambda t: t.way in ("plain", "end seen") and not t.seen.indices and "len" in t.traits,
    "begun": lambda t: "done" if t.way == "chain" else f"{t.here}[:{t.stop}]",
    "after_steps": lambda t: " and ".join(map(str, t.stops)),
    "course": lambda t: f"sum(whole[{t.epoch}:], [])",
    "differs": lambda t: (
        f"any(one != due for one, due in zip({t.begun} + rest, {t.course})) or not rest" if t.one_walk
        else f"{t.begun} + rest != {t.here}" if not t.goes_on
        else f"rest != ({t.here}[{t.stop}:] or whole[{t.epoch + 1}])" if t.names_next
        else f"{t.begun} + rest not in (whole[{t.epoch}], whole[{t.epoch}] + whole[{t.epoch + 1}])"
        + f" and (rest, following) != ([], whole[{t.epoch}])" * t.is_first
    ),
    "due_next": lambda t: (
        f"{t.course}[len({t.begun} + rest):][:len(following)]" if t.one_walk
        else f"whole[{t.epoch + 1}]" if not t.goes_on
        else f"whole[{t.epoch + 1} + ({t.stop} == len({t.here}) > 0)]" if t.names_next
        else f"whole[{t.epoch + 1} if rest == whole[{t.epoch}][{t.stop}:] else "
        f"{t.epoch + (2 if t.stop else 0)}]"
    ),
    "new_world": lambda t: t.seen.evidence.world_size or 1,
    "case_there": lambda t: t.case.but(world_size=t.new_world, **t.changed),
    "there": lambda t: compute_owed(t.case_there, t.contract, batched=t.batched),
    "spare_there": lambda t: t.there.places * t.there.unit - 1,
    "spare_in_both": lambda t: t.spare_there + t.places * t.owed.unit - 1,
    "may_lose": lambda t: t.drops * t.spare_in_both,
    "may_repeat": lambda t: t.spare_there if t.owed.tail == "pad" else 0,
    "may_repeat_elsewhere": lambda t: t.spare_in_both if t.owed.tail == "pad" else 0,
    # Workers and frequencies.
    "first_stop": lambda t: t.case.stop or 1,
    "workers": lambda t: 1 if t.way == "spawned" else t.case.workers,
    "ahead": lambda t: {2: 4 if t.way == "kept" else 1}.get(t.workers, 2),
    "how": lambda t: (
        f"num_workers={t.workers}, prefetch_factor={t.ahead}, persistent_workers={t.way == 'kept'}"
        + ', multiprocessing_context="spawn"' * (t.way == "spawned")
    ),
    "torch_loader": lambda t: t.is_loader and "own_loader" not in t.traits,
    "hidden_loader": lambda t: t.is_loader and not (t.torch_loader or "num_workers" in t.named),
    "streams": lambda t: not t.is_loader and t.is_stream,
    "wraps_batches": lambda t: not t.is_loader and not t.streams and t.batched,
    "opened": lambda t: "chain(*loader)" if t.loads_samples else "loader",
    "loads_samples": lambda t: not (t.is_loader or t.batched or t.is_stream),
    "loaded_epochs": lambda t: max(2, t.epoch + 1) if t.way == "kept" else t.epoch + 1,
    "spare": lambda t: t.owed.spare(t.case.workers),
    "may_pad": lambda t: t.spare if t.owed.tail == "pad" else 0, "may_drop": lambda t: t.spare * t.drops,
    "several": lambda t: len(t.ranks) > 1,
    "may_differ": lambda t: t.keeps * t.case.workers * t.owed.unit,
    "sample": lambda t: t.seen.indices[0], "fellow": lambda t: t.seen.indices[-1],
    "promised": lambda t: shares_in(t.case, t.contract, t.named) if t.n > 1 else None,
    "share": lambda t: float(t.promised[t.sample]) if t.is_promised else 1 / t.n,
    "is_promised": lambda t: t.seen.rank is None and t.promised is not None,
    "deviations": lambda t: round(SIGMAS * sqrt(1 - t.share), 3),
    "items": lambda t: (
        f"[one for taken in passes[{t.at}] for one in {t.flat('taken')}]" if t.step is None
        else f"[one for taken in passes[{t.at}] for one in {t.flat('taken')}[{t.step} : {t.step + 1}]]"
    ),
    "joined_epochs": lambda t: f"[list({t.joined('one')}) for one in zip(*passes)]",
    "every_pass": lambda t: f"[{t.flat('one')} for one in passes[{t.at}]]",
    "first_pass": lambda t: t.flat(f"passes[{t.at}][0]"),
    "at": lambda t: t.ranks.index(t.rank_value),
    "where": lambda t: "in all passes" if t.step is None else f"at place {t.step}",
}
