"""History search: whether the smallest case of a law fails by itself, and if not, behind which others.

Called by ``find_histories``, which has them answered in copies of this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from samplercheck.engine._explaining import Explanation
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.laws import deterministic
from samplercheck.storage.case_file import MOST_BEFORE
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.wording import HISTORY, SAME_PROCESS, pluralise

REACHES = (1, 8, 64, 512)
MOST_NAMES, APART = 8, 7
TRIALS = 8
"""Of each side of a control: what comes by a clock or by chance passes for a cause once in 4^8 at most."""
HOLDS, BROKEN = Outcome.HOLDS.value, Outcome.BROKEN.value
KEEPS = f"{HISTORY}: {{}} keeps what other cases have left."
OF_LENGTH, OF_SEED = "one of another length", "one of another seed"
NEIGHBOURS = {
    OF_LENGTH: f"after one for a dataset of another length {SAME_PROCESS}",
    OF_SEED: f"after one of another seed {SAME_PROCESS}",
}
TESTED = "alone this case holds, after {} it fails"
PUT_BACK = f"{TESTED}, and with that put back it holds"
ALONE = "alone this case holds, twice; there was no time to find out after what it fails"
AT_FIRST = "as the very first of a process this case holds, behind the first look of a run it fails"
NOT_KEPT = "they are too many to be stored, so a new run shows it again and no replay does"
FIX = (
    "Do not share {} between objects: keep it on the object (self), or under a key with all that it depends "
    "on."
)
LOOK = "Look for what outlives an object: class attributes, globals of modules, caches."


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What a fresh copy is to do: run a case by a law, after others.

    ``restored`` are states that are put back before the case; with None the others run in the same breath.
    """

    law: str
    case: Case
    experiments: tuple[str, ...] = ()
    before: tuple[Case, ...] = ()
    restored: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    """What a fresh copy is to do without a first look: run others, put states back, then a case by a law."""

    law: str
    case: Case
    experiments: tuple[str, ...]
    kind: str
    before: tuple[Case, ...] = ()
    restored: tuple[str, ...] = ()


Question = Rerun | Bare
Answer = tuple[str, tuple[str, ...]]
Ask = Callable[[Any], Answer | None]


def share(found: dict[str, Explanation]) -> dict[str, Explanation]:
    """Return what is said of laws, each with the other laws that have the same cause."""
    causes = {code: one.cause or code for code, one in found.items()}
    return {
        code: replace(one, also=tuple(it for it in found if it != code and causes[it] == causes[code]))
        for code, one in found.items()
    }


def course_before(search: Search, case: Case) -> list[Case]:
    """Return the cases that were run before one in the process in which it was run."""
    found = None if search.jobs is None else search.jobs.before(case)
    if found is not None:
        return found
    last = max(place for place, one in enumerate(search.course) if one == case)
    before = search.course[:last]
    return before if search.jobs is None else [one for one in before if search.jobs.before(one) is None]


class HistorySearch:
    """The questions about one law's smallest case."""

    def __init__(self, search: Search, page: Page, ask: Ask, known: list[tuple[Case, ...]]) -> None:
        self._known = known
        assert page.smallest is not None
        self._law, self._ask, self._search = page.law, ask, search
        self._case = page.smallest.case
        self._all = tuple(page.smallest.trace.records)
        self._usual = self._all if page.law.hears_all else ()

    def _question(self, before: tuple[Case, ...], experiments: tuple[str, ...]) -> Rerun:
        return Rerun(law=self._law.code, case=self._case, experiments=experiments, before=before)

    def _outcome(self, question: Question) -> str:
        """Return what the law says then; empty where nobody answers."""
        told = self._ask(question)
        return told[0] if told is not None else ""

    def _fails_behind(self, before: tuple[Case, ...]) -> bool:
        return self._outcome(self._question(before, self._all)) == BROKEN

    def explanation(self) -> Explanation | None:
        """Return what has to be the case for it to fail again; None where nothing, or where nobody knows.

        What may be luck says nothing: both sides of a control are tried several times, in turns.
        """
        usual = self._question((), self._usual)
        alone = self._outcome(usual)
        if not alone or self._differs_by_itself:
            return None
        if alone == BROKEN:
            return self._blame_the_first_look()
        if self._outcome(usual) in ("", BROKEN):
            return None
        if self._fails_behind(()):
            return Explanation(experiments=self._all)
        likely = [*self._known, *(before for _, before in self._list_neighbours())]
        before = next((one for one in likely if self._fails_behind(one)), ()) or self._shrink(self._reach())
        question = self._question(before, self._all)
        if not before or not self._agree(replace(question, before=()), question):
            return None
        self._known += [] if before in self._known else [before]
        others = before[0].token if len(before) == 1 else pluralise(len(before), "other case")
        others = next((name for name, one in self._list_neighbours() if one == before), others)
        return self._tell(self._name(question), others, before)

    def as_others(self, kept: Iterable[Explanation]) -> Explanation | None:
        """Return that a case fails behind others, as those of other laws do: a few questions, no search."""
        alone = self._question((), self._all)
        if self._differs_by_itself or any(self._outcome(alone) != HOLDS for _ in range(2)):
            return None
        for one in kept:
            if one.before and all(self._fails_behind(one.before) for _ in range(2)):
                return replace(one, experiments=self._all)
        return Explanation(cause=f"{HISTORY}.", evidence=ALONE, fix=LOOK, experiments=self._all)

    @property
    def _differs_by_itself(self) -> bool:
        """Whether the case, built again, is another already, by itself: no history is needed for that."""
        ledger = self._search.ledger
        page = ledger.pages.get(deterministic.LAW.code)
        if page is None:
            return False
        shown = [witness.case for witness in page.witnesses]
        if self._case not in (*ledger.failing(page), *ledger.failing_beyond(page), *page.own, *shown):
            return False
        experiments = self._all if page.law.hears_all else ()
        return self._outcome(replace(self._question((), experiments), law=page.law.code)) != HOLDS

    def _tell(self, name: str, others: str, before: tuple[Case, ...]) -> Explanation:
        """Return what is said of a case that fails behind others: for the state of this name, if any."""
        is_kept = len(before) <= MOST_BEFORE
        tested = (PUT_BACK if name else TESTED).format(others)
        return Explanation(
            cause=KEEPS.format(name) if name else f"{HISTORY}.",
            evidence=tested if is_kept else f"{tested}; {NOT_KEPT}",
            fix=FIX.format(name) if name else LOOK,
            experiments=self._all,
            before=before if is_kept else (),
            event=NEIGHBOURS.get(others, ""),
        )

    def _blame_the_first_look(self) -> Explanation | None:
        """Return which state makes it fail behind any other case, as behind the first look of a run.

        By itself, without that look, it holds; behind a case like it, of another length or seed, or behind
        those that came before it, it fails.
        """
        bare = Bare(law=self._law.code, case=self._case, experiments=self._all, kind=self._search.kind)
        if any(self._outcome(bare) != HOLDS for _ in range(2)):
            return None
        for others, before in self._list_others():
            behind = replace(bare, before=before)
            if self._agree(bare, behind):
                return self._tell(self._name(behind), others, before)
        if self._agree(bare, self._question((), self._all)):
            return Explanation(cause=f"{HISTORY}.", evidence=AT_FIRST, fix=LOOK, experiments=self._all)
        return None

    def _list_others(self) -> Iterator[tuple[str, tuple[Case, ...]]]:
        """Yield cases that may leave something behind, with how they are called."""
        yield from self._list_neighbours()
        course = course_before(self._search, self._case)
        for number in REACHES[1:3]:
            if before := tuple(course[-number:]):
                yield pluralise(len(before), "other case"), before

    def _list_neighbours(self) -> Iterator[tuple[str, tuple[Case, ...]]]:
        """Yield cases that differ in one thing alone, with how they are called."""
        case = self._case
        for length in filter(None, (2 * case.length + APART, case.length // 2)):
            yield OF_LENGTH, (case.but(features=(), length=length),)
        yield OF_SEED, (case.but(features=(), seed=case.seed + 1),)

    def _agree(self, without: Question, behind: Question) -> bool:
        """Whether a case holds without others and fails behind them, each time, in turns."""
        both = (self._outcome(without) == HOLDS and self._outcome(behind) == BROKEN for _ in range(TRIALS))
        return all(both)

    def _reach(self) -> tuple[Case, ...]:
        """Return the last cases before this one after which it fails, as few as a rough search finds."""
        course = course_before(self._search, self._case)
        for number in REACHES:
            before = tuple(course[-number:])
            if before and self._fails_behind(before):
                return before
            if number >= len(course):
                break
        return ()

    def _shrink(self, before: tuple[Case, ...]) -> tuple[Case, ...]:
        """Leave out what is not needed: halves, then one by one."""
        size = len(before) // 2
        while size:
            for start in range(0, len(before), size):
                rest = before[:start] + before[start + size :]
                if rest and self._fails_behind(rest):
                    before = rest
                    break
            else:
                size //= 2
            size = min(size, len(before) // 2)
        return before

    def _name(self, behind: Question) -> str:
        """Return the one state which, put back in between, makes the case hold each time."""
        question = replace(behind, restored=())
        told = self._ask(question)
        if told is None or told[0] != BROKEN:
            return ""
        for name in told[1][:MOST_NAMES]:
            again = replace(question, restored=(name,))
            if all(self._outcome(again) == HOLDS for _ in range(TRIALS)):
                return name
        return ""
