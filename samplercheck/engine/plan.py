"""Plan: everything that decides a run, as one value: of the command line, of ``run``, tests and replays.

The command line, ``run``, tests and replays make it; the engine carries it out, here or in a child process.
Imports the standard library alone; ``target_of`` imports the user's module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from samplercheck.values.errors import UsageError, did_you_mean
from samplercheck.values.shard import Shard
from samplercheck.values.sizes import Sizes

if TYPE_CHECKING:
    from samplercheck.storage.store import Store
    from samplercheck.targets.target import Target
    from samplercheck.values.case import Case
    from samplercheck.values.contract import Contract

LISTS = ("worlds", "select", "experiments")
CASES = ("cases", "before")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run: a target, its laws, how far the search looks, and where it takes place.

    A contract and axes take the place of the target's own. Where ``changes`` is set, ``contract`` holds
    fields, and both change the target's own one by one: so a target that is named by text needs no import
    before the run. ``store`` holds the failing cases; None stores nothing. Where ``cases`` are given, those
    are tried and nothing is searched: after those ``before``, which are run and not judged, and by exactly
    these ``experiments`` where some are named. ``explains`` says that broken laws get their region and cause,
    ``strict`` that findings of that grade break their laws; elsewhere they are advice. ``infers`` says that
    the target is judged by the contract that it seems to keep, ``times`` that the report has timings.
    ``sizes`` is the one size that is tried, in place of all others. A plan that ``ends_when_broken`` begins
    no further phase once a law is broken.
    ``wrapper`` names what is judged in the target's place, by its contract and axes. ``shard`` is the part of
    the cases that is tried; cases that are given are tried all. ``jobs`` processes share the cases, in a
    supervised child.
    """

    target: Target | Callable[..., Any] | str
    contract: Contract | Mapping[str, Any] | None = None
    axes: Mapping[str, Any] | None = None
    changes: bool = False
    profile: str = "standard"
    worlds: Iterable[str] | None = None
    select: Iterable[str] = ()
    skip: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    max_time: float | None = None
    max_cases: int | None = None
    cases: tuple[Case, ...] = ()
    before: tuple[Case, ...] = ()
    experiments: tuple[str, ...] = ()
    explains: bool = True
    strict: bool = False
    ends_when_broken: bool = False
    infers: bool = False
    times: bool = False
    wrapper: str = ""
    shard: Shard | None = None
    sizes: Sizes | None = None
    jobs: int = 1
    store: Store | None = None
    world_settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.sizes is not None and self.shard is not None:
            raise UsageError("A run of one size has few cases, which are not divided: leave --shard out.")
        if self.max_time is not None and not self.max_time >= 0:  # NaN compares with nothing
            raise UsageError(f"max_time is {self.max_time!r} and has to be a number of seconds, as in 30.")

    @property
    def is_strict(self) -> bool:
        """Whether findings of the grade "strict" break their laws; the profile of that name says so too."""
        return self.strict or self.profile == "strict"

    @property
    def name(self) -> str:
        """The target's name; of one that is named by text, that text."""
        return self.target if isinstance(self.target, str) else target_of(self).name

    def resolve(self) -> Plan:
        """Return the plan with the target itself, imported and changed as asked."""
        return replace(self, target=target_of(self), contract=None, axes=None, changes=False, wrapper="")

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data, the inverse of ``from_dict``; the target has to be named by text."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        plain.update({name: list(plain[name] or ()) for name in LISTS})
        plain.update({name: [case.token for case in plain[name]] for name in CASES})
        plain["store"] = None if self.store is None else str(self.store.directory)
        plain.update(shard=self.shard and self.shard.to_dict(), sizes=self.sizes and self.sizes.to_dict())
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Plan:
        """Return the plan that ``data`` describes; unknown fields are refused."""
        from samplercheck.storage.store import Store
        from samplercheck.values.case import Case

        known = [item.name for item in fields(cls)]
        for name in data:
            if name not in known:
                raise UsageError(f"Field {name!r} of a run does not exist. {did_you_mean(name, known)}")
        plain = {**data, **{name: tuple(data.get(name, ())) for name in LISTS}}
        plain.update({name: tuple(map(Case.parse, data.get(name, ()))) for name in CASES})
        plain["store"] = None if data.get("store") is None else Store(data["store"])
        plain["shard"] = None if data.get("shard") is None else Shard.from_dict(data["shard"])
        plain["sizes"] = None if data.get("sizes") is None else Sizes(**data["sizes"])
        return cls(**plain)


def target_of(plan: Plan) -> Target:
    """Return the target of a plan, with the contract and the axes that the plan asks for."""
    from samplercheck.targets.locate import locate
    from samplercheck.targets.target import Target, as_target

    if plan.wrapper:  # after the target, next to whose file it looks for it
        own = target_of(replace(plan, wrapper=""))
        return replace(own, factory=locate(plan.wrapper), place=plan.wrapper)
    given: Any = plan.contract
    if plan.changes:
        own = as_target(plan.target)
        if plan.axes and not own.is_assumed:  # whose parameters could not be bound without them
            own = as_target(plan.target, None, {**own.axes, **plan.axes})
        contract = own.change_contract(given) if given else None
        return as_target(own, contract, {**own.axes, **(plan.axes or {})})
    if isinstance(plan.target, Target) and given is None and plan.axes is None:
        return plan.target
    return as_target(plan.target, given, plan.axes)
