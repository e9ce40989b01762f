"""Which laws a target breaks under a contract, by a few cases or by many.

The search for a contract asks a judge about several: by a few cases each, and of the one that is found by
those of a small scope.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from samplercheck.engine._fit import fit_to_kind
from samplercheck.engine._own_cases import is_cheap
from samplercheck.engine._probe import probe
from samplercheck.engine._search import MOST_HANGS, Search
from samplercheck.engine.contracts._inference import InferenceVerdict
from samplercheck.engine.contracts._often import count_failures
from samplercheck.engine.contracts._recorded import RecordedWorld, TakesLongError
from samplercheck.engine.contracts._telling import few_cases, list_with_workers, telling_cases
from samplercheck.laws import terminates
from samplercheck.laws.law import PATIENT, Law, can_resume, has_workers
from samplercheck.laws.selection import select_laws
from samplercheck.search.axes import combinations
from samplercheck.search.chosen import thin_out
from samplercheck.search.profiles import Progress, Show, find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.search.special import MOST, patient_cases
from samplercheck.targets.adapter import advise_on_exception
from samplercheck.targets.binding import check_tail
from samplercheck.targets.target import Target, as_target
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.errors import AdapterError, UsageError
from samplercheck.values.finding import Failure

FEW, FEWER, FEWEST = 72, 36, 16
"""Cases that judge briefly: fewer of what is resumed in them besides, fewest of what goes through a
DataLoader or waits for other ranks."""
DEAR = frozenset({"loader", "collectives"})


class ContractJudge:
    """Judges one target; ``asked`` counts the contracts that it was asked about, ``tried`` the many cases.

    Few ``cases`` judge briefly, those of the small scope of ``profile`` widely. What is run again for another
    contract, the ``world`` knows. ``show`` hears of each case. Each hang takes seconds: once the target has
    hung a few times, under whatever contracts, the first hang under another one ends its trial. One hang of
    an empty dataset ends nothing but trying more of them.
    """

    def __init__(
        self,
        world: RecordedWorld,
        target: Target,
        cases: Iterable[Case] = (),
        *,
        seed: int = 0,
        few: int = 0,
        profile: str = "quick",
        show: Show | None = None,
    ) -> None:
        self._world = world
        self._target = target
        self._options = combinations(target.axes, seed)
        self._profile, self._show = profile, show
        binding = target.bind()
        scope = probe(world, binding, self._options[0])
        self.is_dear = not DEAR.isdisjoint(scope.traits)
        self._few = few or (FEWEST if self.is_dear else FEWER if can_resume(scope) else FEW)
        self._cases = tuple(dict.fromkeys((*cases, *few_cases(binding, self._options, self._few))))
        self._known: dict[str, InferenceVerdict | None] = {}
        self._refuted: dict[tuple[str, bool], InferenceVerdict | None] = {}
        self._hung: dict[str, int] = {}
        self.asked = self.tried = self._done = self._planned = self._hung_before = 0

    @property
    def cases(self) -> int:
        """The number of cases that judge briefly."""
        return len(self._cases)

    def briefly(self, contract: Contract) -> InferenceVerdict | None:
        """Judge by few cases; None where this target cannot be asked for such a contract."""
        key = contract.text
        if key not in self._known:
            self.asked += 1
            self._known[key] = self._judge(contract)
        return self._known[key]

    def refute(self, contract: Contract, *, patiently: bool = False) -> InferenceVerdict | None:
        """Judge by few cases, of which the first that breaks a law is the last."""
        key = contract.text, patiently
        if contract.text in self._known:
            return self._known[contract.text]
        if key not in self._refuted:
            self.asked += 1
            self._refuted[key] = self._judge(contract, to_the_end=False, patiently=patiently)
        return self._refuted[key]

    def widely(self, contract: Contract) -> InferenceVerdict:
        """Judge by many cases of the profile's small scope, and by some that tell what small ones cannot.

        Where few have hung, those stay all: many would hang in as many more.
        """
        known = self._known.get(contract.text)
        if known is not None and contract.text in self._hung:
            self.tried = self._hung[contract.text]
            return known
        search = self._open(contract)
        profile = fit_to_kind(find_profile(self._profile), search)
        collectives = search.uses_collectives
        small = [*scope_of(search.binding, profile, self._options, collectives=collectives).cases()]
        is_long = not self.is_dear and is_cheap(search)
        declared = as_target(self._target, contract)
        telling = telling_cases(declared, search.scope, self._options, is_dear=self.is_dear, is_long=is_long)
        cases = sorted({*self._cases, *thin_out(small, self._few)})
        workers = list_with_workers(search.binding, search.scope, search.laws, self._options)
        self._judge_until_broken(search, [*cases, *telling, *workers])
        if search.refusal is not None and not search.has_started:
            raise AdapterError(advise_on_exception(search.binding, search.refusal, len(search.course)))
        self._judge_patiently(search)
        self._judge_what_hung(search)
        self.tried = len(search.course)
        return _verdict_of_search(search)

    def closely(self, contract: Contract, cases: Iterable[Case]) -> dict[str, Failure]:
        """Return what breaks a contract in cases that tell much and cost too much for every one of them."""
        verdict = self._in_these(contract, cases)
        return verdict.failures if verdict else {}

    def held_in(self, contract: Contract, cases: Iterable[Case]) -> frozenset[str]:
        """Return the laws that were judged in some cases, and hold in all of them."""
        verdict = self._in_these(contract, cases)
        return frozenset(verdict.held) if verdict else frozenset()

    def _in_these(self, contract: Contract, cases: Iterable[Case]) -> InferenceVerdict | None:
        try:
            search = self._open(contract)
        except UsageError:
            return None
        self._judge_until_broken(search, cases)
        return _verdict_of_search(search)

    def count(self, contract: Contract, codes: Collection[str]) -> dict[str, tuple[Failure, str, str]]:
        """Return of laws the failure that is easiest to read among few cases, and in which they fail.

        With it is a law that it can follow from, if it never fails without that. Nothing if that takes long.
        """
        search = self._open(contract)
        laws = tuple(law for law in search.laws if law.code in codes)
        try:
            with search.judging(laws, experiments=search.experiments):
                for case in _whole_worlds(search, self._cases):
                    if not self._is_over(search):
                        self._try(search, case)
        except TakesLongError:
            return {}
        return count_failures(search)

    def _judge(
        self, contract: Contract, *, to_the_end: bool = True, patiently: bool = True
    ) -> InferenceVerdict | None:
        try:
            search = self._open(contract)
            self._judge_until_broken(search, self._cases, to_the_end=to_the_end)
            if to_the_end or (patiently and not search.ledger.broken):
                self._judge_patiently(search)
            self._judge_what_hung(search)
            if search.hung:
                self._hung[contract.text] = len(search.course)
            return _verdict_of_search(search)
        except AdapterError:
            raise
        except UsageError:  # a promise that this target has no parameter or no kind for
            return None

    def _open(self, contract: Contract) -> Search:
        binding = as_target(self._target, contract).bind()
        scope = probe(self._world, binding, self._options[0])
        check_tail(binding, batched=scope.kind == "batches")
        laws, self._hung_before = select_laws()[0], self._world.hangs
        return Search(self._world, binding, scope, tuple(law for law in laws if law.applies(scope)), laws)

    def _judge_until_broken(self, search: Search, cases: Iterable[Case], *, to_the_end: bool = True) -> None:
        """Try cases; the experiments stay the same, and a law that is broken judges no more.

        Of more epochs than any other experiment needs, how often samples come is judged, and nothing else.
        """
        left, experiments = _whole_worlds(search, cases), search.experiments
        loaded = [case for case in left if case.workers]
        far = [case for case in left if case.epochs > MOST]
        left = [case for case in left if case not in (*loaded, *far)]
        self._planned += len(left)
        while left and not self._is_over(search) and (to_the_end or not search.ledger.broken):
            whole = [law for law in search.laws if search.ledger.pages[law.code].smallest is None]
            with search.judging(tuple(whole), experiments=experiments):
                number = len(whole)
                while left and number == len(whole) and not self._is_over(search):
                    self._try(search, left.pop(0))
                    number = sum(search.ledger.pages[law.code].smallest is None for law in whole)
        self._planned -= len(left)
        self._tell()
        if to_the_end or not search.ledger.broken:  # a loader that keeps its workers has one iterator
            self._judge_by(tuple(law for law in search.laws if law.wants is has_workers), search, loaded)
        self._judge_frequencies(search, far)

    def _is_over(self, search: Search) -> bool:
        """Whether hangs end the trial of a contract, those included that came where luck was doubted."""
        return search.has_given_up or self._world.hangs >= max(MOST_HANGS, self._hung_before + 1)

    def _try(self, search: Search, case: Case) -> None:
        if case.length or not self._world.hung_empty:
            search.try_case(case, counts=True)
        self._done += 1
        self._tell()

    def _tell(self) -> None:
        if self._show is not None:
            self._show(Progress("contracts", self._done, self._planned))

    def _judge_patiently(self, search: Search) -> None:
        """Judge frequencies where the contract promises any, which takes many epochs."""
        if search.scope.can_shuffle or search.binding.contract.promises_frequencies:
            self._judge_frequencies(search, patient_cases(search.binding, self._options, MOST))

    def _judge_frequencies(self, search: Search, cases: Iterable[Case]) -> None:
        broken = {code for code, page in search.ledger.pages.items() if page.smallest is not None}
        patient = tuple(law for law in search.laws if law.wants in PATIENT and broken.isdisjoint(law.follows))
        if not search.uses_collectives:
            self._judge_by(patient, search, cases)

    def _judge_by(self, laws: tuple[Law, ...], search: Search, cases: Iterable[Case]) -> None:
        """Try cases for these laws alone."""
        with search.judging(laws):
            for case in cases if laws and not self._is_over(search) else ():
                search.try_case(case, counts=False)

    def _judge_what_hung(self, search: Search) -> None:
        """Judge a case that hung where it was no case of a judge: in a look, or where luck was doubted."""
        hung = _whole_worlds(search, self._world.hung)
        if hung and not search.ledger.broken:
            with search.judging((terminates.LAW,), experiments=("epochs",)):
                search.try_case(min(hung), counts=True)


def _whole_worlds(search: Search, cases: Iterable[Case]) -> list[Case]:
    """Return the cases in whose worlds each place has all its ranks."""
    return [case for case in cases if not case.world_size % search.binding.contract.replicas]


def _verdict_of_search(search: Search) -> InferenceVerdict:
    pages = search.ledger.pages
    broken = {page.law: page.smallest for page in pages.values() if page.smallest is not None}
    undecided = {code: page for code, page in pages.items() if page.smallest is None and page.reasons}
    return InferenceVerdict.of(
        search.binding.contract,
        search.kind,
        {law: Failure(case=one.case, violation=one.violations[0]) for law, one in broken.items()},
        held=(code for code, page in pages.items() if page.judged and not (page.smallest or page.reasons)),
        undecided={code: page.reasons.most_common(1)[0][0] for code, page in undecided.items()},
    )
