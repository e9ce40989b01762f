"""A wrapper is offered after it has kept all laws, and refused where it breaks one that the target keeps."""

from __future__ import annotations

from typing import Any

import pytest

from samplercheck.engine.plan import Plan
from samplercheck.running import fixing
from samplercheck.running.fixing import Fix, Round, find_fix
from samplercheck.running.jobs import Answer
from samplercheck.search.profiles import Progress
from tests.zoo.cases import zoo


def fix(slug: str, *select: str) -> Fix:
    module = next(one for one in zoo() if slug == one.SLUG)
    return find_fix(
        Plan(
            target=f"tests.zoo.{slug}:bug",
            contract=module.CONTRACT,
            axes=module.AXES,
            changes=True,
            profile="quick",
            worlds=("simulated",),
            select=select,
        )
    )


SAMPLE = [
    ("static_partition", "SC305", "islice(cycle(order), self.rank, self.total, self.world_size)"),
    ("chained_shuffle", "SC304", "sampler = self.build()"),
    ("seed_zero_stands_still", "SC301", "self.build(seed=self.seed + self.epoch)"),
    ("global_rng_permutation", "SC401", "torch.random.fork_rng(devices=[])"),
    ("empty_shard_fill", "SC602", "islice(cycle(order), self.rank, total, self.world_size)"),
    ("backwards_without_shuffle", "SC302", "order = sorted(set(order))"),
    ("counts_after_the_yield", "SC701", 'return {"epoch": self.epoch, "done": self.done}'),
    ("state_of_another_dataset_taken", "SC706", "self.saved_for = [length, seed]"),
    (
        "subset_dealt_unevenly",
        "SC104",
        "return list(islice(cycle(order), self.rank, total, self.world_size))",
    ),
    ("endless_ranks_read_alike", "SC103", "return islice(self.sampler, self.rank, None, self.world_size)"),
    ("endless_lap_recurs", "SC301", "return islice(self.walk(), self.rank, None, self.world_size)"),
    ("counts_what_the_sampler_drew", "SC804", "islice(self.loader, start, None)"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("slug", "law", "line"),
    [
        ("wrapper_swallows_set_epoch", "SC301", "self.sampler.inner.set_epoch(epoch)"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in SAMPLE),
    ],
)
def test_a_bug_with_a_known_remedy_gets_a_wrapper_that_keeps_the_law(slug: str, law: str, line: str) -> None:
    found = fix(slug, law)
    assert law in fixing.list_broken(found.before)
    assert found.best is not None
    assert found.best.holds
    assert [one["outcome"] for one in found.best.report["results"] if one["code"] == law] == ["holds"]
    assert line in found.best.text


def _report(**outcomes: str) -> dict[str, Any]:
    return {"results": [{"code": code, "outcome": outcome} for code, outcome in outcomes.items()]}


def test_a_wrapper_that_breaks_or_leaves_out_what_held_is_refused() -> None:
    before = _report(SC301="broken", SC102="holds", SC701="holds", SC104="unknown")
    cases = {
        "holds": (_report(SC301="holds", SC102="holds", SC701="holds", SC104="unknown"), (), ()),
        "still": (_report(SC301="broken", SC102="holds", SC701="holds", SC104="holds"), ("SC301",), ()),
        "gone": (_report(SC301="unknown", SC102="holds", SC701="holds", SC104="holds"), ("SC301",), ()),
        "broken": (_report(SC301="holds", SC102="broken", SC701="holds", SC104="holds"), (), ("SC102",)),
        "lost": (_report(SC301="holds", SC102="holds", SC701="unknown", SC104="holds"), (), ("SC701",)),
        "found": (_report(SC301="holds", SC102="holds", SC701="holds", SC104="broken"), (), ("SC104",)),
    }
    for name, (after, still, newly) in cases.items():
        trial = fixing.compare(before, after, name)
        assert (trial.still, trial.newly) == (still, newly), name
        assert trial.holds == (name == "holds")
        chosen = fixing.choose(before, [trial], 1)
        assert (chosen.best is not None) == (name == "holds"), name
        assert chosen.refused == newly


def test_advice_that_the_target_does_not_get_refuses_a_wrapper() -> None:
    before, after = _report(SC301="broken", SC003="holds"), _report(SC301="holds", SC003="holds")
    after["results"][1]["advised"] = {"token": "n=1"}
    assert fixing.compare(before, after, "").newly == ("SC003",)


def test_the_wrapper_that_leaves_the_fewest_laws_broken_comes_before_none() -> None:
    before = _report(SC301="broken", SC304="broken", SC501="broken")
    one = fixing.compare(before, _report(SC301="holds", SC304="broken", SC501="broken"), "one")
    two = fixing.compare(before, _report(SC301="holds", SC304="holds", SC501="broken"), "two")
    assert fixing.choose(before, [one, two], 2).best == two


def test_a_wrapper_under_which_a_broken_law_has_nothing_to_look_at_is_not_promising(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = _report(SC705="broken", SC102="holds")
    case = {"token": "n=3,world=2,batch=1", "realistic_case": None}
    before["results"][0]["failure"] = {"world": "simulated", **case}
    before["results"][1]["failure"] = None
    looks = [
        _report(SC705="unknown", SC102="holds"),
        _report(SC705="holds", SC102="holds"),
        _report(SC705="holds", SC102="broken"),
    ]
    monkeypatch.setattr(fixing, "ask_supervised", lambda _: [Answer(report=look) for look in looks])
    plans = [Plan(target="a:b", changes=True, wrapper=f"{number}.py:Fixed") for number in range(3)]
    assert fixing._most_promising(plans, before) == [1]
    looks[1] = _report(SC705="unknown", SC102="holds")
    assert fixing._most_promising(plans, before) == [0, 1]


def _find(monkeypatch: pytest.MonkeyPatch, plan: Plan, *reports: dict[str, Any]) -> tuple[Fix, list[str]]:
    """Find a fix where these reports come of the runs, the target's own first; with the phases shown."""
    case = {"token": "n=3,world=2,batch=1", "realistic_case": None}
    failure = {"world": "simulated", **case, "remedies": ["own state"]}
    left = [one | {"interrupted": False} for one in reports]
    for result in left[0]["results"]:
        result["failure"] = failure if result["outcome"] == "broken" else None
    drafts = [{"name": "F", "text": "", "remedies": [], "does": f"does {name}"} for name in ("this", "that")]
    phases: list[str] = []

    def run(_: Plan, show: Any) -> dict[str, Any]:
        show(Progress("wide", 1, 1))
        return left.pop(0)

    monkeypatch.setattr(fixing, "run_supervised", run)
    monkeypatch.setattr(fixing, "draft_supervised", lambda *_: drafts)
    holding = Answer(report=_report(SC701="holds"))
    monkeypatch.setattr(fixing, "ask_supervised", lambda plans: [holding for _ in plans])
    found = find_fix(plan, lambda one: phases.append(one.phase))
    assert not left
    return found, phases


def test_each_run_of_a_wrapper_is_named_with_what_it_leaves_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    found, phases = _find(
        monkeypatch,
        Plan(target="a:b", changes=True, profile="standard"),
        _report(SC701="broken", SC102="holds"),
        _report(SC701="broken", SC102="holds"),
        _report(SC701="holds", SC102="holds"),
        _report(SC701="holds", SC102="holds"),
    )
    assert found.rounds == (
        Round(does="does this", profile="quick", left=("SC701",)),
        Round(does="does that", profile="quick", left=()),
        Round(does="does that", profile="standard", left=()),
    )
    assert phases == ["wide", "wrapper 1: wide", "wrapper 2: wide", "wrapper 3: wide"]


@pytest.mark.parametrize("worlds", [None, ("simulated",), ("auto",)])
def test_a_quick_run_is_not_made_twice(monkeypatch: pytest.MonkeyPatch, worlds: Any) -> None:
    found, _ = _find(
        monkeypatch,
        Plan(target="a:b", changes=True, profile="quick", worlds=worlds),
        _report(SC701="broken", SC102="holds"),
        _report(SC701="holds", SC102="holds"),
    )
    assert found.rounds == (Round(does="does this", profile="quick", left=()),)
    assert found.best is not None
    assert found.best.holds
