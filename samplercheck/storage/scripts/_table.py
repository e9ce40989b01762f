"""The laws that scripts can show broken: for each what the ranks do, and what is asked of it.

Read by ``script_of``. The one place of this package that names laws.
"""

from __future__ import annotations

LAWS = """
SC001: take_epoch, failure
SC002: take_to_the_cap, no_end
SC003: offer_nonsense, accepted
SC101: take_raw, strange
SC102: take_epoch, missing
SC102 laps: walk_late, missing
SC102 cycle: take_up_to, missing_of_cycle
SC102 part: take_up_to, other_part
SC103: take_epoch, repeated
SC103 sampled: take_epochs, same_draws
SC104: take_epoch, uneven
SC105: take_epoch, total
SC106: take_many, never_seen
SC107: take_epoch, copies
SC201: ask_length, wrong_length
SC202: ask_often, drifting
SC202 counted: count_inner, unequal
SC203: ask_length, other_length
SC301: take_epochs, still
SC301 turned: take_epochs, turned
SC301 laps: walk_on, same_laps
SC302: take_up_to, disorder
SC303: change_seed, same_orders
SC304: jump, unequal
SC305: take_epochs, same_shares
SC306: take_epochs, same_batches
SC307: compare_with_torch, unequal
SC309: change_argument, ignored
SC401: take_epoch, missing
SC401 again: build_again, unequal
SC402: build_again, unequal
SC402 groups: take_everywhere, afresh
SC403: watch_generator, moved
SC403 inside: watch_open_pass, moved
SC404: take_replicas, unlike
SC501: take_twice, unequal
SC502: interleave, unequal
SC502 beside: stand_beside, unequal
SC503: give_up, unequal
SC503 begins again: give_up, same
SC504: pickle, unequal
SC505: wrap, inner
SC505 plain: wrap_plain, kept_inside
SC601: take_epoch, sizes
SC602: take_epoch, empty
SC603: take_epoch, uneven_steps
SC604: take_epoch, rule
SC701: resume, rest
SC702: resume, rest
SC703: resume_often, rest
SC703 twice: resume, rest
SC704: resume, rest
SC705: change_world, worlds
SC706: move_state, lost_on_the_way
SC707: resume, rest
SC801: use_workers, loaded
SC802: use_workers, shared
SC802 sampled: use_workers, drawn_alike
SC803: use_workers, frozen
SC804: resume_loader, delivered
SC901: take_everywhere, elsewhere
SC902: step_together, waiting
SC903: leave_out_place, unequal
SC904: take_epoch, failure
SC1001: draw, shares
SC1001 ahead: draw, ahead
SC1001 left out: draw, never_seen
SC1002: draw, places
SC1002 near: draw, near
SC1002 pairs: draw, pairs
"""
"""By code and, where it is shown in several ways, what was recorded: experiment, way, draws, groups."""
ROWS = [line.split(": ") for line in LAWS.strip().splitlines()]
RECIPES = {law: tuple(recipe.split(", ")) for law, recipe in ROWS}
FAILS, HANGS = "SC001", "SC002"
"""The laws of a target that fails, or never ends: any experiment may show them."""
REFERENCED = ("SC203", "SC307")
"""The laws about another sampler, which scripts know only if it is torch's."""
UNSHOWN = "resumed"
"""The kind of evidence that takes a state, a loader and a pass without one: more than a script is worth."""
NEEDS = {
    "SC604": "knows_rule",
    "SC706": "moves_alone",
    "SC707": "was_stopped",
    "SC901": "can_run_in_turn",
    "SC1001": "knows_shares",
}
"""What has to be known, or possible, for a script to show them."""
ALONE = ("SC704",)
"""The laws that compare with a fresh process, and need no group of them."""
BY_EXPERIMENT = {
    "lengths": "ask_length",
    "jumps": "jump",
    "again": "take_twice",
    "interleaved": "interleave",
    "beside": "stand_beside",
    "abandoned": "give_up",
    "seeds": "change_seed",
    "pickled": "pickle",
    "unplaced": "leave_out_place",
    "wrapped": "wrap",
    "counted": "count_inner",
    "draws": "draw",
    "workers": "use_workers",
    "in_step": "step_together",
}
"""What is carried out again where a target failed, or did not end, in it; else its epochs."""
