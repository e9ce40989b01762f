"""What stands behind ``*args`` and ``**kwargs`` is bound where the source leaves no doubt who gets it."""

from __future__ import annotations

import functools
import inspect

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.targets._forwarded import parameters_of
from samplercheck.values.errors import TargetError

TORCH = {"dataset", "num_replicas", "rank", "shuffle", "seed", "drop_last"}


class Inherits(DistributedSampler):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


class Fixes(Inherits):
    def __init__(self, bucket, **kwargs):
        self.bucket = bucket
        self.salt = kwargs.pop("salt", 3)
        self.needed = kwargs.pop("needed")
        super().__init__(shuffle=False, **kwargs)


class ThroughItsBase(Inherits):
    def __init__(self, dataset, *args, **kwargs):
        kwargs["drop_last"] = True
        DistributedSampler.__init__(self, dataset, *args, **kwargs)


class Between(DistributedSampler):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


class Diamond(Between, Inherits):
    """What comes next is decided by the order of the class that is built."""


class Keeps:
    def __init__(self, length, **kwargs):
        self.length, self.others = length, kwargs


def build(*args, **kwargs):
    return Inherits(*args, **kwargs)


def by_place(*args):
    return DistributedSampler(*args)


def either(which, **kwargs):
    return Inherits(**kwargs) if which else Keeps(**kwargs)


def changed(**kwargs):
    kwargs.update(next(iter(kwargs.values())))
    return Inherits(**kwargs)


def updated(**kwargs):
    kwargs.update(seed=1)
    return Inherits(**kwargs)


def undecorated(function):
    def call(*args, **kwargs):
        return function(*args, **kwargs)

    return call


class Reads:
    """Hands its keywords on to nobody, and asks for one of them first."""

    def __init__(self, dataset, **kwargs):
        self.dataset, self.num_replicas, self.rank = dataset, kwargs["num_replicas"], kwargs.get("rank", 0)
        self.shuffle, self.seed = kwargs.pop("shuffle", True), kwargs.get("seed", 4)
        self.bucket = kwargs["bucket"] if "bucket" in kwargs else 1  # noqa: SIM401  (as people write it)


@functools.wraps(Inherits)
def decorated(*args, **kwargs):
    return Inherits(*args, **kwargs)


wrapped = undecorated(Inherits)


@pytest.mark.parametrize(
    ("factory", "names"),
    [
        (Inherits, TORCH),
        (Fixes, {"bucket", "salt", "needed"} | TORCH - {"shuffle"}),
        (ThroughItsBase, TORCH - {"drop_last"}),
        (Diamond, TORCH),
        (Keeps, {"length"}),
        (build, TORCH),
        (by_place, TORCH),
        (either, {"which"}),
        (changed, set()),
        (updated, TORCH - {"seed"}),
        (wrapped, TORCH),
        (functools.partial(Inherits, seed=4), TORCH - {"seed"}),
        (decorated, TORCH),
        (Reads, {"bucket"} | TORCH - {"drop_last"}),
    ],
)
def test_the_names_behind_are_those_of_what_gets_them(factory, names):
    parameters, _ = parameters_of(factory, "one")
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    assert {one.name for one in parameters if one.kind not in variadic} - {"seed"} == names - {"seed"}
    assert ("seed" in names) or all(one.default == 4 for one in parameters if one.name == "seed")


@pytest.mark.parametrize("factory", [Inherits, build, by_place, wrapped, Diamond, Reads])
def test_a_target_of_nothing_but_keywords_is_built_with_the_place_of_its_rank(factory):
    binding = sc.target(factory).bind()
    made = binding.build(sc.Case(length=5, world_size=4, shuffle=True, seed=3), 2, {})
    assert (made.rank, made.num_replicas, made.shuffle, made.seed, len(made.dataset)) == (2, 4, True, 3, 5)


def test_what_is_needed_behind_and_nobody_knows_is_an_error_with_an_adapter():
    with pytest.raises(TargetError, match=r"'bucket' of .*:Fixes has no default") as caught:
        sc.target(Fixes).bind()
    assert "needed=..." in str(caught.value)


def test_what_is_behind_can_be_an_axis():
    target = sc.target(Fixes, axes={"bucket": [1, 2], "needed": [True], "salt": [5]})
    options = {"bucket": 2, "needed": True, "salt": 5}
    made = target.bind().build(sc.Case(length=5, world_size=2, options=options), 1, {})
    assert (made.bucket, made.needed, made.salt, made.rank) == (2, True, 5, 1)


def test_a_second_name_for_what_the_target_names_itself_is_left_alone():
    class Both:
        def __init__(self, rank, **kwargs):
            self.rank, self.other = rank, kwargs.get("process_index", "none")

    made = sc.target(Both).bind().build(sc.Case(length=5, world_size=2), 1, {})
    assert (made.rank, made.other) == (1, "none")


def test_faults_are_planted_where_everything_stands_behind_keywords():
    from samplercheck.certifying.faults.mutant import Mutant, MutantFactory

    factory = MutantFactory(sc.target(Inherits).bind(), Mutant)
    case = sc.Case(length=6, world_size=3)
    assert sc.target(factory).bind().build(case, 2, {}).place == 2
