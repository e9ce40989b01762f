"""Evidence: whether a suspicion that luck could explain stands when more is looked at.

Called by the engine. A violation with a ``chance`` is tried again with more epochs and then on a
larger dataset with the same remainders; it counts only where it is still there and luck is out of
the question. So one run's bound on false alarms holds whatever the number of cases. What is known to be
broken by then needs less to count a further case; large ones, and most of very many, are not looked at again.
"""

from __future__ import annotations

from collections import Counter
from math import inf
from zlib import crc32

from samplercheck.engine._judging import (
    HOLDS,
    LIKE_SMALLER,
    LawVerdict,
    has_hung,
    is_advice,
    judge,
    split_by_grade,
)
from samplercheck.engine._page import Page
from samplercheck.engine._recurring import agree, chance_in_turns, chance_of_two
from samplercheck.laws.law import GROUPING, Law
from samplercheck.search.frontier import cost_of
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome, Violation
from samplercheck.values.limits import NEGLIGIBLE
from samplercheck.values.trace import Trace
from samplercheck.worlds import World

EPOCHS, FEW_EPOCHS, ENOUGH_EPOCHS = 48, 8, 15
SMALL = 1e-4
LARGE = 24
MOST_CASES, DOUBLINGS, MOST_EPOCHS = 9, 3, 3_072
APART, SEEDS = 104_729, 2**31
ROUNDS, FEW_ROUNDS, WIDE, SMALL_BATCH = 6, 2, 32, 2
KEPT = 2
MOST_GIVEN = 1_000
"""Verdicts that are kept: many small cases have the same larger one."""
MOST_IN_LAPS = 16
"""So many larger cases with laps that luck cannot explain settle that others have them, too."""
MOST_HANGS = 2
"""So many larger cases may hang; others of as many samples are not looked at after that."""
LARGEST = 4_000
"""A case in which ranks meet more samples is too dear to look at again where smaller ones break the law."""
MOST_LOOKED, PART = 80, 4
"""Where so many cases were looked at again of a law that is broken, half as many where samples are dear, one
in so many of the others is."""
HUNG = "suspected, and the larger cases hung that would show whether it is luck"
LARGER_HANG = LawVerdict(Outcome.UNKNOWN, reason=HUNG)


class EvidenceGatherer:
    """Gathers evidence in a world for the suspicions of one run.

    ``told`` are verdicts that are known already, to which all others are added; None where none are kept.
    ``settled`` are laws that are known to be broken, by all epochs alike or by orders that recur: luck can
    but add a case to those that are counted then. A replay knows nothing but the one sign of its case.
    """

    def __init__(
        self, world: World, binding: Binding, kind: str, settled: set[tuple[str, bool]] | None = None
    ) -> None:
        self._world = world
        self._binding = binding
        self._kind = kind
        self.told: dict[tuple[str, Case], LawVerdict] | None = None
        self._settled = set[tuple[str, bool]]() if settled is None else settled
        self._in_laps, self._looked = Counter[str](), Counter[str]()
        self._given: dict[tuple[str, Case], LawVerdict] = {}
        self._traces: dict[tuple[Case, tuple[str, ...]], Trace] = {}
        self._hung: list[int] = []  # how many samples those cases had

    def stands(self, law: Law, case: Case, violations: tuple[Violation, ...]) -> bool:
        """Whether one of the violations is certain, or stays with more epochs and on more samples."""
        if violations[0].evidence.kind == "recurs":
            return self._recurs(law, case, violations[0])
        larger = self._larger(case)
        if violations[0].evidence.kind == "laps":  # many in one pass, so that few epochs show none
            return violations[0].chance <= NEGLIGIBLE and self._stays_in_laps(law, larger)
        if self._is_certain(law, case, violations):
            return True
        if (law.code, False) in self._settled:
            # Of endless passes, laps are noted in cases of many epochs.
            many_enough = EPOCHS if self._binding.contract.endless else ENOUGH_EPOCHS
            enough, long = (case.but(epochs=max(number, case.epochs)) for number in (many_enough, EPOCHS))
            stays = self._stays(law, enough, SMALL) or (
                self._is_suspect(law, enough) and self._stays(law, long, SMALL)
            )
            return stays and self._is_suspect(law, larger.but(epochs=FEW_EPOCHS))
        # Few epochs clear nearly every sound sampler, for a small part of what many would cost.
        few, many = ([one.but(epochs=epochs) for one in (case, larger)] for epochs in (FEW_EPOCHS, EPOCHS))
        if all(self._is_suspect(law, one) for one in few) and all(
            self._stays(law, one, NEGLIGIBLE) or self._is_frozen(law, one) for one in many
        ):
            self._settled.add((law.code, False))
        return (law.code, False) in self._settled

    def _stays_in_laps(self, law: Law, larger: Case) -> bool:
        """Whether a larger case has laps that luck cannot explain, unless so many have had them before."""
        if self._in_laps[law.code] >= MOST_IN_LAPS:
            return True
        stays = self._stays(law, larger, NEGLIGIBLE)
        self._in_laps[law.code] += stays
        return stays

    def is_cut_short(self, case: Case) -> bool:
        """Whether the larger case by which a suspicion stands or falls hung, or may hang."""
        return bool(self._hung) and self._larger(case).length >= min(self._hung)

    def is_spared(self, page: Page, case: Case, violations: tuple[Violation, ...], dear: int) -> bool:
        """Whether smaller cases break a law, and another look at this one is too much.

        Its samples are too ``dear`` then, or so many were looked at that a part of the others tells enough.
        """
        is_known = page.smallest is not None and page.smallest.is_small
        if not is_known or self._is_certain(page.law, case, violations):
            return False
        if cost_of(case, self._binding.contract) > LARGEST // dear:
            return True
        self._looked[page.law.code] += 1
        most = MOST_LOOKED if dear == 1 else MOST_LOOKED // 2
        return self._looked[page.law.code] > most and crc32(case.token.encode()) % PART != 0

    def _is_certain(self, law: Law, case: Case, violations: tuple[Violation, ...]) -> bool:
        """Whether luck is out of the question without another look."""
        if violations[0].evidence.kind in ("recurs", "laps"):
            return False
        # What is alike in a few samples may be so on purpose: blocks of ten are one block there.
        is_decided = not law.same_is_wrong or self._larger(case) == case
        return any(one.chance <= (NEGLIGIBLE if is_decided else 0) for one in violations)

    def _larger(self, case: Case) -> Case:
        is_sized = "batch_size" in self._binding.varied
        return _larger(case, is_grouped=bool(GROUPING & self._binding.named), is_sized=is_sized)

    def _is_frozen(self, law: Law, case: Case) -> bool:
        """Whether all of many epochs are alike, though some that lie far beyond them differ at last."""
        found = [one.evidence for one in self._verdict(law, case).violations]
        return any(one.kind == "recurs" and not any(one.passes[:EPOCHS]) for one in found)

    def _recurs(self, law: Law, case: Case, violation: Violation) -> bool:
        """Whether the same epochs are alike in other cases too, until luck is out of the question.

        Each is longer and has another seed, so that it draws apart from the others. Without a seed they may
        all draw alike: then only what comes in turns, or stands still, counts, and counts once.
        """
        seeded, pattern = "seed" in self._binding.named, violation.evidence.passes
        of_all = of_two = 1.0
        for number in range(1, MOST_CASES):
            many = case.epochs if seeded else MOST_EPOCHS
            other = case.but(
                length=case.length * 2 ** min(number, DOUBLINGS) + number * case.world_size * case.batch_size,
                seed=(case.seed + APART * number) % SEEDS if seeded else case.seed,
                epochs=many,
                features=(),
            )
            found = [one for one in self._verdict(law, other).violations if one.evidence.kind == "recurs"]
            if not found:
                return False
            chance = found[0].chance if seeded else chance_in_turns(found[0])
            of_all *= chance if agree(found[0].evidence.passes, pattern) else inf
            of_two *= chance_of_two(found[0].evidence.passes, pattern) if seeded else inf
            left = min(of_all, of_two)
            if left <= (SMALL if (law.code, True) in self._settled else NEGLIGIBLE):
                self._settled.add((law.code, True))
                return True
            if not seeded or left == inf:
                return False
        return False

    def _is_suspect(self, law: Law, case: Case) -> bool:
        return self._verdict(law, case).outcome is Outcome.BROKEN

    def _stays(self, law: Law, case: Case, most: float) -> bool:
        """Whether a case breaks the law by what luck shows ``most`` so often."""
        suspects = self._verdict(law, case).violations
        return any(one.chance <= most for one in suspects if one.evidence.kind != "recurs")

    def _verdict(self, law: Law, case: Case) -> LawVerdict:
        key = law.code, case
        told = {} if self.told is None else self.told
        if key not in told:
            if key not in self._given:
                if len(self._given) >= MOST_GIVEN:
                    self._given.clear()
                hangs = self._may_hang(case)
                self._given[key] = LARGER_HANG if hangs else judge(law, self._trace(case, law.reads))
            told[key] = self._given[key]
        return told[key]

    def _may_hang(self, case: Case) -> bool:
        """Whether cases that were looked at hung, and this one is no smaller: each hang takes seconds."""
        return len(self._hung) >= MOST_HANGS and case.length >= min(self._hung)

    def _trace(self, case: Case, reads: tuple[str, ...]) -> Trace:
        """Return a trace; the last are kept, as several laws suspect the same case."""
        if (case, reads) not in self._traces:
            if len(self._traces) >= KEPT:
                self._traces.pop(next(iter(self._traces)))
            trace = self._traces[case, reads] = self._world.trace(self._binding, case, reads, self._kind)
            self._hung += [case.length] if has_hung(trace) else []
        return self._traces[case, reads]


def judge_all(pages: list[tuple[Law, Page]], trace: Trace) -> list[LawVerdict]:
    """Return what the laws say of a trace; advice is given once."""
    found = []
    for law, page in pages:
        verdict = judge(law, trace)
        is_known = verdict.violations and page.advice is not None and is_advice(law, verdict)
        found.append(HOLDS if is_known else verdict)
    return found


def weigh(
    evidence: EvidenceGatherer, page: Page, case: Case, verdict: LawVerdict, *, strict: bool, dear: int = 1
) -> LawVerdict:
    """Keep what is certain: advice goes to its own place, luck is told from a fault by evidence."""
    if verdict.outcome is not Outcome.BROKEN:
        return verdict
    law = page.law
    advice = tuple(one for one in verdict.violations if one.advice or law.advice)
    faults, advised = split_by_grade(law, case, verdict.violations, strict=strict)
    if advice and page.advice is None and evidence.stands(law, case, advice):
        page.advice = advice[0]
    if faults and evidence.is_spared(page, case, faults, dear):
        return LIKE_SMALLER
    if faults and evidence.stands(law, case, faults):
        return LawVerdict(Outcome.BROKEN, faults)
    if faults and evidence.is_cut_short(case):
        return LARGER_HANG
    if advised and evidence.stands(law, case, advised):
        return LawVerdict(Outcome.HOLDS, advised=advised)
    return HOLDS


def _larger(case: Case, *, is_grouped: bool, is_sized: bool) -> Case:
    """Return a case with a larger dataset and the same remainders; one that is large enough stays.

    Where samples are grouped, or many make a round, batches are small if that can be asked for: a batch that
    holds its whole group is the same in all epochs.
    """
    if is_sized and (is_grouped or case.world_size * case.batch_size > WIDE):
        case = case.but(batch_size=min(case.batch_size, SMALL_BATCH))
    round_size = case.world_size * case.batch_size
    enough = max(LARGE, round_size * (FEW_ROUNDS if round_size > WIDE else ROUNDS))
    if case.length >= enough:
        return case
    rounds = -(-enough // round_size)
    return case.but(length=rounds * round_size + case.length % round_size, features=())
