"""Law: a property with a code, a sentence and a pure function that judges a trace.

Each file of this package holds one judging function and, last, its ``LAW``. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Any, Literal

from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.finding import EvidenceKind, Grade, Violation
from samplercheck.values.limits import MOST_FOUND
from samplercheck.values.owed import MANY_EPOCHS, MANY_SAMPLES
from samplercheck.values.sizes import OF_ONE, OwnBatch
from samplercheck.values.trace import Trace

Picture = Literal["passes", "orders", "samples", "beside", "totals", "draws", "places"]
"""What shows a broken law.

``passes``: the samples of each rank, step by step. ``orders``: whole orders one below the other, with the
step at which they part; ``samples``: which samples there are in them, in whatever order. ``beside``: the
passes next to those of the usual run. ``totals``: how often each sample came in all epochs. ``draws`` and
``places``: observed and expected frequencies, of all passes or at one place.
"""

GROUPING = frozenset({"labels", "lengths"})
BUFFERING = frozenset({"stream", "loader"})
MOVES = "moves "
"""How traits begin that say which global generator building or iterating moved in the first look."""
READS = "reads "
"""How traits begin that say which feature of each sample the dataset was asked for in the first look."""
OF_ONE_EPOCH = "of_one_epoch"
"""The trait of a generator of one epoch, which a caller has made again for the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is known before any case is run: the contract, what the target names, what it yields.

    ``named`` holds the bound names that the target accepts ("shuffle", "batch_size", ...),
    ``kind`` is "samples" or "batches", ``traits`` are methods and roles ("set_epoch", "len", ...),
    among them "groups" where a world of process groups takes part in the run. ``own_batch`` is the size of
    batches that cannot be asked for.
    """

    contract: Contract
    named: frozenset[str]
    kind: str = "samples"
    traits: frozenset[str] = frozenset()
    own_batch: OwnBatch = OF_ONE

    @property
    def may_group(self) -> bool:
        """Whether the target may go by labels or lengths, handed in or read from the dataset."""
        return bool(GROUPING & self.named) or any(READS + name in self.traits for name in GROUPING)

    @property
    def can_shuffle(self) -> bool:
        """Whether some case of this target promises a shuffled order."""
        order = self.contract.order
        return order == "shuffled" or (order == "auto" and "shuffle" in self.named)

    @property
    def can_be_sequential(self) -> bool:
        """Whether some case of this target promises the dataset's own order."""
        return self.contract.order in ("auto", "sequential")

    @property
    def can_drop(self) -> bool:
        """Whether some case of this target may drop samples."""
        tail = self.contract.tail
        return tail == "drop" or (tail == "auto" and "drop_last" in self.named)

    @property
    def may_draw_by_process(self) -> bool:
        """Whether passes may be drawn on the process's generators, by the contract and by a first look."""
        seen = "loader" in self.traits or any(one.startswith(MOVES) for one in self.traits)
        return self.contract.ambient_rng == "shared" and seen


def owes_every_sample(scope: Scope) -> bool:
    """Whether epochs end and owe every sample; nobody knows what dropped variable batches hold."""
    contract = scope.contract
    unknown = contract.tail == "drop" and contract.batches == "variable"
    return contract.coverage == "once" and not contract.endless and not unknown


def can_resume(scope: Scope) -> bool:
    """Whether the target has a way to be resumed, or its contract says so."""
    return scope.contract.resume in ("state_dict", "consumed") or "resumes" in scope.traits


def has_state(scope: Scope) -> bool:
    """Whether the target has a state of its own; a number of consumed samples is none."""
    return can_resume(scope) and scope.contract.resume != "consumed"


def has_workers(case: Case) -> bool:
    """Whether a case is one of workers."""
    return case.workers > 0


def goes_through_a_loader(scope: Scope) -> bool:
    """Whether the target is a loader that may have workers, or a stream, which any loader may get.

    A loader that neither names ``num_workers`` nor has any of its own is left without.
    """
    if "loader" in scope.traits:
        return "num_workers" in scope.named or "own_workers" in scope.traits
    return "stream" in scope.traits


def draws_apart(contract: Contract) -> bool:
    """Whether ranks share what is drawn, in epochs or laps that differ: one draw may be alike by luck."""
    is_drawn = contract.coverage == "sampled" and contract.sharding == "ranks"
    return is_drawn and (contract.epochs != "fixed" or contract.endless)


def has_laps(contract: Contract) -> bool:
    """Whether each sample comes once in a lap; batches by a rule wait across laps until they are full."""
    plain = contract.batches == "fixed" and contract.batch_rule is None and contract.tail_unit == "sample"
    return contract.endless and contract.coverage == "once" and plain


def is_dealt_in_turn(contract: Contract) -> bool:
    """Whether ranks take the positions of a lap in turn; in chunks one may be in the next lap already."""
    return has_laps(contract) and contract.layout == "strided"


def begins_with_a_lap(scope: Scope) -> bool:
    """Whether one rank alone begins with a lap; what groups or buffers samples may hold some back."""
    free = scope.contract.order == "free" or GROUPING & scope.named or BUFFERING & scope.traits
    return is_dealt_in_turn(scope.contract) or (has_laps(scope.contract) and not free)


def is_patient(case: Case) -> bool:
    """Whether a case has enough epochs to judge frequencies by."""
    return case.epochs >= MANY_EPOCHS


def is_patient_or_long(case: Case) -> bool:
    """Whether a case has enough epochs to judge frequencies by, or so many samples that one epoch does."""
    return is_patient(case) or case.length >= MANY_SAMPLES


PATIENT = (is_patient, is_patient_or_long)  # what laws want that judge frequencies


def first_few(judge: Callable[[Trace], Iterable[Violation]]) -> Callable[[Trace], Iterator[Violation]]:
    """Let a judge stop after its first few violations."""

    @wraps(judge)
    def judge_briefly(trace: Trace) -> Iterator[Violation]:
        return islice(judge(trace), MOST_FOUND)

    return judge_briefly


def always(_: object) -> bool:
    """Apply under every contract, or look at every case."""
    return True


class UndecidedError(Exception):
    """Raised by a judge that can say nothing of a trace after all; its text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A property of samplers.

    It is found by its ``code``, its ``name`` and its ``former`` name, ``since`` a version of the kit.
    ``statement`` is one sentence that a user can disagree with; ``fault`` says in a few words what a target
    does that breaks it ("never yields some samples"), and ``consequence`` what happens in training ("would
    hang", "loses data" ...). ``event`` says what comes before it in a run, where that is more than an epoch:
    "after a stop and resume"; ``event_at_once`` does so where it takes passes that begin at once. ``clearer``
    has kinds of evidence of an example that shows more than the smallest case, each with the fault to be told
    then, unless other cases speak against it.
    ``reads`` names the experiments whose records the judge needs. ``applies`` decides once for a target,
    ``sees`` for each case whether there is anything to look at, ``judge`` yields what is broken and reads
    nothing but the trace.
    A law that ``wants`` cases of its own is judged on those alone, in a phase that makes them.
    ``hears_all`` says that it is about what happens in any experiment: all that apply are run for it.
    ``compares`` says that it compares passes which only a deterministic target repeats, ``on_sight`` that a
    law without a case that shows what it is about does not apply to the target (or under which contracts that
    is so), ``to_the_end`` that it needs passes that could be read to their end. What a law of the ``grade``
    "strict" finds is advice unless the run is strict.

    ``runs_alone`` says that a failure may end its process, or depend on what has run in it before, so that
    it is replayed in a process of its own; ``needs_fresh`` that the law compares with fresh processes, or
    goes on in them; ``needs_groups`` that it is about real process groups, ``needs_simulation`` that its
    experiment takes the part of other ranks, which those that wait for one another cannot.
    ``of_streams`` says that it is judged by fingerprints, too, where passes are too long to be kept,
    ``by_some_ranks`` that what it finds in some of the ranks is so whatever the others do.
    ``whatever_promised`` says that it judges nothing that a contract promises of samples and their order.

    Those in ``laws.history`` read no experiment: they apply to a contract, see and judge a ``History``.

    ``follows`` names laws of which this one is a consequence where it fails in the same cases.

    ``picture`` says what shows the law broken. ``orders_of`` is the experiment whose whole orders are
    compared with those of the usual epochs ("epochs" compares these with one another), ``twin`` the place
    ("fresh", "simulated") whose passes are compared, ``same_is_wrong`` that equal passes break the law, not
    different ones.
    """

    code: str
    name: str
    statement: str
    consequence: str
    judge: Callable[[Any], Iterable[Violation]]
    fault: str = ""
    event: str = ""
    event_at_once: str = ""
    clearer: tuple[tuple[EvidenceKind, str], ...] = ()
    reads: tuple[str, ...] = ("epochs",)
    applies: Callable[[Any], bool] = always
    sees: Callable[[Any], bool] = always
    wants: Callable[[Case], bool] = always
    despite_faults: bool = False
    hears_all: bool = False
    compares: bool = False
    on_sight: bool | Callable[[Contract], bool] = False
    to_the_end: bool = False
    runs_alone: bool = False
    needs_fresh: bool = False
    needs_groups: bool = False
    needs_simulation: bool = False
    of_streams: bool = False
    by_some_ranks: bool = False
    whatever_promised: bool = False
    follows: tuple[str, ...] = ()
    picture: Picture = "passes"
    orders_of: str = ""
    twin: str = ""
    same_is_wrong: bool = False
    former: str = ""
    since: str = "0.1.0"
    advice: bool = False
    grade: Grade = "harm"
    why: str = ""
    fix: str = ""
    intended: str = ""

    @property
    def label(self) -> str:
        """Code and name, as in ``SC104-equal-steps``."""
        return f"{self.code}-{self.name}"

    @property
    def mend(self) -> str:
        """The former name of ``fix``."""
        return self.fix
