"""A target that raises in every case is no verdict: the run says so, and prints an adapter that works."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.values.errors import AdapterError, TargetError

pytestmark = pytest.mark.usefixtures("brief")


class ReadsTargets(DistributedSampler):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.classes = sorted(set(self.dataset.targets))  # type: ignore[attr-defined]  # which it lacks


class NeedsMore:
    def __init__(self, dataset, rank, world_size, size=1, **kwargs):
        self.inner = _inner(dataset, **{"rank": rank, "num_replicas": world_size, **kwargs})


def _inner(dataset, *, rank, num_replicas, temperature):
    raise AssertionError("never called")


class RaisesLater(DistributedSampler):
    def __iter__(self):
        yield from super().__iter__()
        raise IndexError("one too many")


class RaisesInTheSecondEpoch(DistributedSampler):
    def set_epoch(self, epoch):
        if epoch:
            raise RuntimeError("no second epoch")


def run(target, **plan):
    return carry_out(Plan(target=target, profile="quick", explains=False, **plan))


def adapter_in(error):
    return textwrap.dedent("    " + str(error).partition("as the target:")[2].strip())


@pytest.mark.thorough
def test_an_attribute_that_a_dataset_lacks_is_in_the_adapter_and_the_adapter_works():
    with pytest.raises(AdapterError, match=r"raises AttributeError.*'targets'") as caught:
        run(ReadsTargets)
    assert isinstance(caught.value, TargetError)
    assert "self.classes = sorted(set(self.dataset.targets))" in str(caught.value)
    scope = {"ReadsTargets": ReadsTargets, "__name__": "pasted"}  # without a name each copy looks for one
    exec(adapter_in(caught.value), scope)
    assert run(scope["build"], select=("SC001", "SC102")).ok


def test_arguments_that_are_missing_are_dots_in_the_adapter():
    with pytest.raises(AdapterError, match="missing 1 required keyword-only argument") as caught:
        run(NeedsMore)
    arguments = "dataset=dataset, rank=rank, world_size=world_size, temperature=..."
    assert f"NeedsMore({arguments})" in str(caught.value)


@pytest.mark.parametrize("target", [RaisesLater, RaisesInTheSecondEpoch])
def test_what_begins_well_is_judged(target):
    report = run(target, select=("SC001",))
    assert report.outcome is sc.Outcome.BROKEN


def test_a_case_that_is_given_is_judged_whatever_other_cases_would_do():
    report = run(ReadsTargets, select=("SC001",), cases=(sc.Case(length=3),))
    assert report.outcome is sc.Outcome.BROKEN


def test_no_contract_is_inferred_for_it():
    with pytest.raises(AdapterError, match="in each of"):
        sc.infer(ReadsTargets)


class NearlyKnown:
    def __init__(self, dataset, rank, world_size, batch_sz):
        own = range(rank, len(dataset), world_size)
        self.batches = [own[i : i + batch_sz] for i in range(0, len(own), batch_sz)]

    def __iter__(self):
        return iter(self.batches)


class Configured:
    def __init__(self, cfg):
        self.cfg = cfg


def adapter_for(factory, name="build"):
    """What is printed, run as it stands; what has no place is at hand already."""
    with pytest.raises(TargetError) as caught:
        sc.target(factory).bind()
    scope = {factory.__name__: factory} if "<locals>" in factory.__qualname__ else {}
    exec(textwrap.dedent(str(caught.value).partition(":\n\n")[2]), scope)
    return scope[name]


def test_what_an_unknown_name_is_likely_to_mean_is_passed_on_and_the_adapter_runs_as_printed():
    built = adapter_for(NearlyKnown)
    assert sc.target(built).bind().named == {"dataset", "rank", "world_size", "batch_size"}
    assert [*map(list, built(range(6), rank=1, world_size=2, batch_size=2))] == [[1, 3], [5]]


class EasyFirst:
    def __init__(self, num_frames, rank):
        self.order = sorted(range(len(num_frames)), key=num_frames.__getitem__)


def test_where_nothing_else_tells_the_number_of_samples_a_parameter_is_a_list_of_one_number_each():
    built = adapter_for(EasyFirst)
    assert sc.target(built).bind().named == {"lengths", "rank"}
    assert built(lengths=[3, 1, 2], rank=0).order == [1, 2, 0]


def test_a_parameter_that_nobody_can_guess_is_given_once():
    assert adapter_for(Configured)(dataset=[]).cfg is ...


@dataclass
class Settings:
    batch_size: int
    root: str = "data"
    seed: int = 0


class SetUp:
    def __init__(self, settings, rank):
        self.settings, self.rank = settings, rank

    __init__.__annotations__["settings"] = Settings  # a string, where this file writes it as usual


def test_a_dataclass_of_settings_is_made_of_what_its_fields_say_of_a_case():
    made = adapter_for(SetUp)(rank=1, batch_size=2, seed=3)
    assert (made.rank, made.settings) == (1, Settings(batch_size=2, seed=3))


def made_in_a_function():
    def build(cfg, rank):
        return cfg, rank

    return build


def test_the_adapter_has_a_place_to_be_pasted_into():
    with pytest.raises(
        TargetError,
        match=r"paste this adapter into a new file check\.py and run check\.py:build:",
    ):
        sc.target(SetUp).bind()
    with pytest.raises(
        TargetError,
        match=r"into a new file check\.py that imports build, fill in the dots, and run check\.py:adapted:",
    ):
        sc.target(made_in_a_function()).bind()


def test_an_adapter_stands_beside_a_file(tmp_path):
    """It imports from there, which Python finds beside the file that is run."""
    file = tmp_path / "my_sampler.py"
    file.write_text("def make(cfg, rank, world_size, dataset):\n    return dataset\n")
    with pytest.raises(TargetError) as caught:
        sc.target(f"{file}:make").bind()
    said = str(caught.value)
    assert "into a new file check.py beside my_sampler.py, fill in the dots, and run check.py:build:" in said
    assert "    from my_sampler import make\n\n    def build(dataset, rank, world_size):\n" in said
    (tmp_path / "1st.py").write_text("def make(cfg, rank): ...\n")
    with pytest.raises(TargetError, match=r"check\.py that imports make, fill in"):
        sc.target(f"{tmp_path / '1st.py'}:make").bind()


def test_an_adapter_for_what_is_called_as_adapters_are_has_another_name():
    assert adapter_for(made_in_a_function(), "adapted")(rank=1) == (..., 1)


class ReadsSamples:
    def __init__(self, samples, rank, world_size, seed=0):
        self.samples, self.rank, self.world_size = samples, rank, world_size

    def __iter__(self):
        yield from range(self.rank, len(self.samples), self.world_size)


def test_samples_are_taken_for_the_dataset_and_for_no_sampler():
    with pytest.raises(TargetError, match="Did you mean 'dataset'"):
        sc.target(ReadsSamples).bind()
    built = adapter_for(ReadsSamples)
    assert [*built(dataset=[0] * 5, rank=1, world_size=2, seed=0)] == [1, 3]
