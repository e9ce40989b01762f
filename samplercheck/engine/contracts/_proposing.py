"""Proposing: which contract a target seems to keep that breaks the one it was judged by.

Called at the end of a run, on traces of a few cases: signs are read, declared together, and judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import Any

from samplercheck.engine._own_cases import is_cheap
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.engine.contracts._choosing import DRAWN, choose_signs, means_to_draw
from samplercheck.engine.contracts._inference import InferenceVerdict
from samplercheck.engine.contracts._judge import ContractJudge
from samplercheck.engine.contracts._recorded import RecordedWorld, TakesLongError, look_by
from samplercheck.engine.contracts._sign import SHUFFLES, Sign
from samplercheck.engine.contracts._signs import find_signs
from samplercheck.engine.contracts._telling import PLAIN, telling_cases
from samplercheck.explain.causes import COMES_FROM
from samplercheck.explain.lines import OwnCode
from samplercheck.laws import terminates
from samplercheck.laws.selection import all_laws, in_order
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import Show
from samplercheck.targets.target import Target, as_target
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.errors import ContractError
from samplercheck.values.finding import Failure
from samplercheck.values.layout import case_in_brief
from samplercheck.values.report import Proposal
from samplercheck.worlds import HomeWorld

UNSURE = frozenset({"loses data", "repeats data", "would hang"})
LineOf = Callable[[Contract, str, Case], str]
MOST_LEFT, MOST_VISITS, MOST_SECONDS = 3, 2_000, 10.0  # it takes about one


def _name_no_line(_contract: Contract, _code: str, _case: Case) -> str:
    return ""


def propose_after(
    search: Search, world: HomeWorld, what: Target, seed: int, own: OwnCode | None = None
) -> Proposal | None:
    """Return the proposal that follows from a search, or None; ``world`` is that in this process.

    Lines are looked for in the target's ``own`` code.

    What hung or died is not run again for it, nor what is like it; empty datasets never are. What takes long
    is given up: some passes grow with all that ran before in the process.
    """
    broken = [page for page in search.ledger.broken if not page.law.whatever_promised]
    if not broken or (search.hung and search.avoided.region is None):
        return None
    smallest = [one.case for page in broken if (one := page.smallest) is not None and one.is_simulated]
    light = [one for one in smallest if one.length * one.world_size * one.epochs <= MOST_VISITS]
    alone, apart = ([one for one in light if bool(one.workers) is has_some] for has_some in (False, True))
    recorded = RecordedWorld(
        world, MOST_SECONDS, waits=search.waits > 1, avoids=search.avoided.holds_of if search.hung else None
    )
    try:
        line_of = partial(_find_line, world, what, own) if own else _name_no_line
        found = propose(recorded, what, alone, seed, may_hide=True, is_long=is_cheap(search), line_of=line_of)
    except TakesLongError:
        return None
    if found is None or not found.contract.items() - what.contract.changes().items():
        return None
    meant = replace(search.scope, contract=what.contract.but(**found.contract))
    codes = {page.law.code for page in search.ledger.broken if page.law.applies(meant)}
    beside = {page.law.code for page in broken} - codes - {*found.hides}
    if apart:  # of laws that other cases break as well these tell nothing
        by_workers = {page.law.code for page in broken if page.smallest and page.smallest.case in apart}
        beside |= codes & by_workers & ContractJudge(recorded, what, few=1).held_in(meant.contract, apart)
    settled = ({*found.settled} | beside) - ({terminates.LAW.code} if search.hung else set())
    # What only fresh processes, real groups or large cases have shown was not looked at again: it stays.
    left = {*found.left, *codes} - settled
    if {page.law.code for page in broken} <= left:
        return None
    return replace(
        found, settled=tuple(sorted(settled, key=in_order)), left=tuple(sorted(left, key=in_order))
    )


def propose(
    world: HomeWorld | RecordedWorld,
    what: Target,
    cases: Iterable[Case] = (),
    seed: int = 0,
    *,
    may_hide: bool = False,
    is_long: bool = False,
    show: Show | None = None,
    line_of: LineOf = _name_no_line,
) -> Proposal | None:
    """Return the contract that a target seems to keep; None where it gives no sign, or nothing is gained.

    ``cases`` are those in which it breaks its own, beside few others and, if ``is_long``, long ones.
    What its contract sets stays. One that excuses what is wrong for another reason is returned only if it
    ``may_hide`` that. ``show`` hears of each case. ``line_of`` finds the line that breaks a law in a case.
    """
    recorded = world if isinstance(world, RecordedWorld) else RecordedWorld(world)
    given = what.contract
    options = combinations(what.axes, seed)
    scope = probe(recorded, what.bind(), options[0])
    look = look_by(recorded, what, scope, options[0])
    signs = list(_beside(what, find_signs(look, given, scope)))
    hides = any(one.hides for one in signs)
    if not signs or (hides and not may_hide):
        return None
    judge = ContractJudge(recorded, what, cases, seed=seed, show=show)
    judged = partial(_judge, judge, given)
    signs = choose_signs(judged, signs, scope, given)
    is_weighted = means_to_draw(signs, scope)
    before, after = judged([]), judged(signs)
    firm = judged([one for one in signs if not one.allows or (is_weighted and one.words in DRAWN)])
    if before is None or after is None or firm is None:
        return None
    meant = given.but(**_join_fields(signs))
    declared = as_target(what, meant)
    telling = telling_cases(declared, scope, options, is_dear=judge.is_dear, is_long=is_long)
    try:
        deeper = judge.closely(meant, telling)
    except TakesLongError:  # what the few cases have shown is true all the same
        deeper, telling = {}, []
    allowed = firm.failures.keys() - after.failures.keys()
    most = len(before.failures) if is_weighted else MOST_LEFT
    tried, counted = judge.cases + len(telling), judge.count(meant, after.failures)
    found = _proposal(signs, before, after, deeper, counted, allowed=allowed, cases=tried, most_left=most)
    failures = {**after.failures, **{code: one for code, (one, *_) in counted.items()}, **deeper}
    found = found and replace(found, lines=_find_lines(found, failures, partial(line_of, meant)))
    plain = [case.but(batch_size=scope.own_batch.on(case.world_size)) for case in PLAIN]
    return _tell_hidden(found, judge.closely(given, plain)) if found and hides else found


def _find_lines(
    found: Proposal, failures: Mapping[str, Failure], line_of: Callable[[str, Case], str]
) -> dict[str, str]:
    lines = {code: line_of(code, failures[code].case) for code in found.found}
    return {code: line for code, line in lines.items() if line}


def _find_line(
    world: HomeWorld, what: Target, own: OwnCode, contract: Contract, code: str, case: Case
) -> str:
    """Return the line of a target's code from which that comes which breaks a law under a contract."""
    if case.workers or case.length * case.world_size * case.epochs > MOST_VISITS:
        return ""
    run = partial(world.trace, as_target(what, contract).bind(), case, ("epochs",))
    lines = (own.telling_line(tells, run) for tells in COMES_FROM.get(code, ()) if tells != "yields")
    return next(filter(None, lines), "")


def _tell_hidden(found: Proposal, failures: Mapping[str, Failure]) -> Proposal | None:
    """Return a proposal that settles none of the laws which fail where its sign has nothing to do."""
    hides = tuple(code for code in found.settled if code in failures)
    settled, doubted = (tuple(x for x in some if x not in hides) for some in (found.settled, found.doubted))
    left = tuple(sorted({*found.left, *hides}, key=in_order))
    told = replace(found, settled=settled, doubted=doubted, left=left, hides=hides)
    return told if settled and hides else None


def _beside(what: Target, signs: list[Sign]) -> Iterator[Sign]:
    """Yield what signs set beside a target's contract, where they contradict no field that it sets.

    An order is declared together with other fields, and may differ. Where the contract is assumed, what they
    set beside it. Of what never ends nothing was assumed about epochs; that weights are drawn by, of their
    name alone.
    """
    said = what.contract.changes()
    fixed = said.keys() - ({"coverage"} if what.is_assumed else set())
    for sign in signs:
        free = fixed - {"epochs"} if "endless" in sign.fields else fixed
        shared = fixed & sign.fields.keys() - {"order"}
        agrees = all(said[name] == sign.fields[name] for name in shared)
        more = sign.fields.keys() - (free if what.is_assumed else fixed)
        if not fixed & sign.fields.keys():
            yield sign
        elif more and (agrees or what.is_assumed):
            left = {name: sign.fields[name] for name in sign.fields if name in more}
            yield SHUFFLES if left == SHUFFLES.fields else replace(sign, fields=left)


def _proposal(
    signs: list[Sign],
    before: InferenceVerdict,
    after: InferenceVerdict,
    deeper: Mapping[str, Failure],
    counted: Mapping[str, tuple[Failure, str, str]],
    *,
    allowed: AbstractSet[str],
    cases: int,
    most_left: int,
) -> Proposal | None:
    """Return what is gained by declaring the signs; None where it is too little.

    ``deeper`` is what breaks that contract in larger cases alone, ``counted`` what does so in few cases, with
    how many. ``allowed`` are the laws that are broken no more because the contract lets samples be lost, or
    the like.
    """
    broken, left = ({*one.failures, *one.anyway} for one in (before, after))
    # What no contract excuses says nothing against one, and neither do passes of a target that are unlike.
    counted_left = (left - broken or {*after.failures}) - {one.code for one in all_laws() if one.compares}
    if not before.failures.keys() - after.failures.keys() or len(counted_left) > most_left:
        return None
    deeper = {code: failure for code, failure in deeper.items() if code not in left}
    left |= deeper.keys()
    settled = sorted(broken - left, key=in_order)
    if not settled:
        return None
    told = {code: after.failures[code] for code in after.list_changed(before)}
    told |= {code: failure for code, (failure, *_) in counted.items() if code in told} | deeper
    # A pass that is long for one contract and ends under another has not hung.
    unsure = {one.code for one in all_laws() if one.consequence in UNSURE} - {terminates.LAW.code}
    return Proposal(
        contract=_join_fields(signs),
        signs=tuple(one.words for one in signs),
        settled=tuple(settled),
        left=tuple(sorted(left, key=in_order)),
        doubted=tuple(code for code in settled if code in unsure & allowed),
        cases=cases,
        often={code: often for code, (_, often, _) in counted.items() if code in told},
        follows={code: other for code, (*_, other) in counted.items() if code in left and other in left},
        **_describe(told),
    )


def _describe(told: Mapping[str, Failure]) -> dict[str, Any]:
    """Return what is said of failures, law by law, as a proposal has it."""
    return {
        "found": {
            code: f"{failure.message} ({case_in_brief(failure.case.to_dict())})"
            for code, failure in told.items()
        },
        "hints": {code: failure.hint for code, failure in told.items()},
        "faults": {code: fault for code, failure in told.items() if (fault := failure.violation.fault)},
        "harms": {code: harm for code, failure in told.items() if (harm := failure.violation.consequence)},
    }


def _judge(judge: ContractJudge, given: Contract, signs: list[Sign]) -> InferenceVerdict | None:
    try:
        return judge.briefly(given.but(**_join_fields(signs)))
    except ContractError:
        return None


def _join_fields(signs: list[Sign]) -> dict[str, Any]:
    return {name: value for one in signs for name, value in one.fields.items()}
