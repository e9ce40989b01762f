"""Targets: from callables and names to a target, and what its reference is."""

from __future__ import annotations

import functools
import textwrap

import pytest
from hypothesis import strategies as st

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.targets.target import Target, as_target
from samplercheck.values.errors import TargetError


def plain(length, rank, world_size, bucket=1):
    return range(rank, length, world_size)


class Bucket:
    def __init__(self, length, bucket):
        self.length = length


class Factory:
    def __call__(self, length):
        return range(length)


def test_a_callable_is_known_by_its_module_and_name():
    assert sc.target(plain).name == f"{__name__}:plain"
    assert sc.target(Bucket, axes={"bucket": [1]}).name == f"{__name__}:Bucket"
    assert sc.target(Factory()).name == f"{__name__}:Factory"
    assert sc.target(functools.partial(plain, bucket=2)).name == "functools:partial"
    assert sc.target(plain, name="mine").name == "mine"


def test_text_is_looked_up_and_is_the_name():
    target = sc.target(f"{__name__}:plain", contract=Contract.torch())
    assert (target.factory, target.name, target.contract) == (plain, f"{__name__}:plain", Contract.torch())
    assert sc.target(f"{__name__}:plain", name="mine").name == "mine"


def test_text_may_name_a_target_that_a_module_has_made(tmp_path):
    file = tmp_path / "targets_made.py"
    file.write_text(
        textwrap.dedent("""
            import samplercheck as sc

            def build(length, bucket):
                return range(length)

            promise = sc.Contract(tail="drop")
            bucket = sc.target(build, name="bucket", contract=promise, axes={"bucket": [1, 2]})
        """)
    )
    found = sc.target(f"{file}:bucket")
    assert (found.name, found.contract, dict(found.axes)) == (
        "bucket",
        Contract(tail="drop"),
        {"bucket": [1, 2]},
    )
    changed = sc.target(f"{file}:bucket", name="other", contract=Contract(), axes={"bucket": [3]})
    assert (changed.factory, changed.name, changed.contract, dict(changed.axes)) == (
        found.factory,
        "other",
        Contract(),
        {"bucket": [3]},
    )


def test_as_target_keeps_a_targets_own_contract_and_axes_unless_given_others():
    own = sc.target(plain, contract=Contract.evaluation(), axes={"bucket": [1, 2]})
    assert as_target(own) == own
    assert as_target(own, Contract()).contract == Contract()
    assert as_target(own, None, {}).axes == {}
    assert as_target(plain, Contract.torch(), {"bucket": [1]}) == sc.target(
        plain, contract=Contract.torch(), axes={"bucket": [1]}
    )


def test_the_default_contract_is_torchs():
    assert sc.target(plain).contract == Contract()


@pytest.mark.parametrize("thing", [None, 5, [0, 1], range(3)], ids=repr)
def test_what_cannot_be_called_is_no_target(thing):
    with pytest.raises(TargetError, match="which cannot be called: use a class or function"):
        sc.target(thing, name="thing")


def test_a_contract_is_a_contract():
    with pytest.raises(TargetError, match="contract='torch' is not a Contract"):
        sc.target(plain, contract="torch")


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"bucket": []}, r"Axis bucket=\[\] needs a list of values"),
        ({"bucket": 3}, "Axis bucket=3 needs a list of values"),
        ({"bucket": "abc"}, "Axis bucket='abc' needs a list of values"),
        ({"bucket": {1, 2}}, "needs a list of values"),
        ({"bucket": [[1]]}, r"Axis bucket holds \[1\]: use finite numbers, strings in UTF-8, bools or None"),
        ({"bucket": [1, float("nan")]}, "Axis bucket holds nan: use finite numbers"),
        ({"bucket": ["\ud800"]}, "Axis bucket holds .*: use finite numbers, strings in UTF-8"),
        (["bucket"], r"axes=\['bucket'\] is not a mapping"),
    ],
    ids=str,
)
def test_axes_are_lists_of_plain_values(axes, said):
    with pytest.raises(TargetError, match=said):
        sc.target(plain, axes=axes)


@pytest.mark.parametrize("values", [[1, "a", None, True, 0.5], (1, 2), range(3), st.integers(1, 4)], ids=str)
def test_axes_may_be_sequences_or_strategies(values):
    assert sc.target(plain, axes={"bucket": values}).bind().axes == {"bucket": values}


def test_binding_refuses_what_no_name_fits():
    with pytest.raises(TargetError, match="Parameter 'bucket'"):
        sc.target(Bucket).bind()


def test_a_bound_target_builds():
    binding = sc.target(plain, axes={"bucket": [1, 2]}).bind()
    built = binding.build(Case(length=5, world_size=2, options={"bucket": 2}), 1, {})
    assert list(built) == [1, 3]
    assert binding.reference is None


def test_a_reference_is_bound_beside_the_target():
    case = Case(length=5, world_size=2, options={"bucket": 1})
    for reference in (plain, f"{__name__}:plain"):
        contract = Contract(reference=reference)
        binding = sc.target(Factory(), contract=contract).bind()
        assert list(binding.reference.build(case, 0, {})) == [0, 2, 4]
        assert binding.reference.name == f"{__name__}:plain"


def test_the_torch_reference_is_torchs_sampler():
    binding = sc.target(Factory(), contract=Contract.torch()).bind()
    built = binding.reference.build(Case(length=5, world_size=2, seed=3, shuffle=True), 1, {})
    assert type(built).__name__ == "DistributedSampler"
    assert (built.num_replicas, built.rank, built.seed, built.shuffle, len(built)) == (2, 1, 3, True, 3)


def test_a_reference_that_does_not_exist_is_a_target_error():
    with pytest.raises(TargetError, match="There is no module 'no_such_module_anywhere'"):
        sc.target(plain, contract=Contract(reference="no_such_module_anywhere:x")).bind()


def test_a_target_is_frozen():
    with pytest.raises(AttributeError):
        sc.target(plain).name = "other"  # type: ignore[misc]
    assert isinstance(sc.target(plain), Target)
