"""Binding: every name and synonym, every kind of callable, and what each rank is handed."""

from __future__ import annotations

import functools
from itertools import accumulate, pairwise
from typing import Any

import pytest
from torch.utils.data import DataLoader

from samplercheck import Case, Contract
from samplercheck.targets.binding import Binding, check_tail
from samplercheck.targets.features import IdentityDataset, feature
from samplercheck.targets.inners import MADE, InnerSampler
from samplercheck.targets.meanings import NAMES, WHERE_REQUIRED
from samplercheck.values.errors import ContractError, TargetError

CASE = Case(
    length=6,
    world_size=4,
    batch_size=2,
    shuffle=True,
    drop_last=True,
    seed=7,
    workers=3,
    features={"lengths": [1, 2, 3, 4, 5, 6]},
)
EVERY_NAME = [(bound, name) for bound, synonyms in NAMES.items() for name in (bound, *synonyms)]


def bind(factory, contract=None, axes=None, name="pkg:factory"):
    return Binding(factory, contract or Contract(), axes or {}, name)


def given_to(factory, contract=None, axes=None, *, case=CASE, rank=1, changes=None):
    """What a factory that returns its arguments was called with."""
    return bind(factory, contract, axes).build(case, rank, changes or {})


def naming(*names):
    """A factory that takes these parameters and returns them."""
    scope = {}
    exec(f"def factory({', '.join(names)}): return dict(locals())", scope)
    return scope["factory"]


# Names


@pytest.mark.parametrize(("bound", "name"), EVERY_NAME, ids=[name for _, name in EVERY_NAME])
def test_every_name_and_synonym_is_bound(bound, name):
    contract = Contract(resume="consumed", replicas=2 if bound in ("global_rank", "replicas") else 1)
    value = given_to(naming(name), contract)[name]
    if bound == "dataset":
        assert isinstance(value, IdentityDataset)
        assert (len(value), value.lengths) == (6, [1, 2, 3, 4, 5, 6])
    elif bound in MADE:
        assert type(value) is MADE[bound]
        assert value.settings() == MADE[bound].of(CASE, Contract()).settings()
    else:
        expected = {
            "length": 6,
            "rank": 1,
            "world_size": 4,
            "global_rank": 1,
            "replicas": 2,
            "batch_size": 2,
            "shuffle": True,
            "drop_last": True,
            "seed": 7,
            "epoch": 0,
            "lengths": [1, 2, 3, 4, 5, 6],
            "labels": feature(CASE, "labels"),
            "weights": feature(CASE, "weights"),
            "num_workers": 3,
            "case": CASE,
            "consumed": 0,
        }
        assert value == expected[bound]


def test_the_synonyms_are_those_of_the_documentation():
    assert {bound: set(synonyms) for bound, synonyms in NAMES.items() if synonyms} == {
        "dataset": {"data_source", "data"},
        "length": {"n", "dataset_len", "dataset_size", "total_samples"},
        "rank": {"process_index", "data_parallel_rank", "dp_rank"},
        "world_size": {
            *("num_replicas", "num_processes", "data_parallel_size", "data_parallel_world_size"),
            *("dp_size", "dp_world_size"),
        },
        "batch_size": {"micro_batch_size"},
        "seed": {"random_seed"},
        "lengths": {"sizes"},
        "labels": {"groups"},
        "sampler": {"inner", "base_sampler"},
        "consumed": {"consumed_samples", "start_index"},
    }


@pytest.mark.parametrize(("bound", "name"), [(b, n) for b, names in WHERE_REQUIRED.items() for n in names])
def test_a_name_that_says_what_it_is_likely_to_be_is_bound_where_it_must_be_given(bound, name):
    assert bind(naming("rank", name)).parameters == {"rank": "rank", name: bound}
    assert bind(naming("rank", f"{name}=None")).parameters == {"rank": "rank"}


def test_a_shard_is_a_rank_where_its_number_is_named_too_and_files_have_shards_without():
    assert bind(naming("num_shards=1", "shard_id=0")).parameters == {
        "num_shards": "world_size",
        "shard_id": "rank",
    }
    beside_a_rank = naming("rank=0", "num_shards=8", "shard_index=0")
    assert bind(beside_a_rank).parameters == {"rank": "rank"}
    assert bind(naming("dataset", "num_shards=8")).parameters == {"dataset": "dataset"}


def test_of_two_likely_names_or_beside_the_name_itself_the_other_one_is_the_targets_own():
    with pytest.raises(TargetError, match="Parameter 'scores' of pkg:factory has no default"):
        bind(naming("lengths", "scores"))
    with pytest.raises(TargetError, match="Parameter 'total_size' of pkg:factory has no default"):
        bind(naming("num_samples", "total_size"))


@pytest.mark.parametrize(
    ("length", "sizes"),
    [(0, [0]), (1, [1]), (2, [1, 1]), (12, [4, 8]), (11, [8, 3]), (9, [2, 4, 3])],
)
def test_several_datasets_hold_the_samples_together_and_have_a_weight_each(length, sizes):
    case = CASE.but(length=length, features={})
    given = given_to(naming("datasets", "weights", "rank"), case=case)
    assert [len(one) for one in given["datasets"]] == sizes
    assert [value for part in given["datasets"] for value in part] == list(range(length))
    ends = list(accumulate(sizes))
    later = [f"range({start}, {end})" for start, end in pairwise(ends)]
    assert list(map(repr, given["datasets"])) == [f"range({sizes[0]})", *later]
    assert given["weights"] == [1.0, 2.0, 3.0][: len(sizes)]  # alike, nobody would see them used
    assert given_to(naming("datasets", "rank", "weights=None"), case=case)["weights"] is None


def test_named_holds_the_bound_names_and_not_the_synonyms():
    binding = bind(naming("data", "num_replicas", "dp_rank", "random_seed", "cache=None"))
    assert binding.named == {"dataset", "world_size", "rank", "seed"}


def test_a_default_that_the_kit_does_not_know_is_kept():
    assert given_to(naming("length", "cache=5")) == {"length": 6, "cache": 5}
    assert given_to(naming("length", "*", "cache=5")) == {"length": 6, "cache": 5}


def test_a_default_that_the_kit_knows_gives_way_to_the_case():
    assert given_to(naming("shuffle=False", "seed=0")) == {"shuffle": True, "seed": 7}


@pytest.mark.parametrize("default", [4, 0.5, True, "auto", (224, 256)])
def test_a_default_that_is_no_value_for_each_sample_is_kept(default):
    given = given_to(naming("length", f"groups={default!r}", "sizes=None", "weights=()"))
    assert (given["groups"], len(given["sizes"]), len(given["weights"])) == (default, 6, 6)


def test_two_names_for_one_thing_are_refused():
    with pytest.raises(TargetError, match="'n' and 'length' of pkg:factory both mean 'length'"):
        bind(naming("n", "length"))


def test_a_parameter_without_a_meaning_is_an_error_with_an_adapter_that_compiles():
    with pytest.raises(TargetError) as caught:
        bind(naming("dataset", "dp_rank", "worldsize"), name="pkg.samplers:Bucket")
    said = str(caught.value)
    assert "Parameter 'worldsize' of pkg.samplers:Bucket has no default" in said
    assert "Did you mean 'world_size'?" in said
    assert "It binds lengths, labels," in said
    assert "axes={'worldsize': [...]}" in said
    adapter = said.partition(":build:\n\n")[2]
    imports, _, adapter = adapter.partition("\n\n")
    assert imports == "    from pkg.samplers import Bucket"
    assert adapter.splitlines() == [
        "    def build(dataset, dp_rank, world_size):",
        "        return Bucket(dataset=dataset, dp_rank=dp_rank, worldsize=world_size)",
    ]
    scope: dict[str, Any] = {"Bucket": lambda **given: given}
    exec("class Holder:\n" + adapter, scope)
    assert scope["Holder"].build("data", 2, 4) == {"dataset": "data", "dp_rank": 2, "worldsize": 4}


def test_the_adapter_names_the_dataset_where_nothing_else_is_bound():
    with pytest.raises(TargetError, match=r"def build\(dataset\):"):
        bind(naming("tokens"))


def test_the_adapter_passes_all_that_is_bound_wherever_it_stands_and_all_that_is_unknown():
    with pytest.raises(TargetError) as caught:
        bind(naming("config", "vocab", "dataset", "rank", "bucket"), axes={"bucket": [1]}, name="m:Bucket")
    adapter = str(caught.value).partition(":build:\n\n")[2]
    assert adapter.splitlines() == [
        "    from m import Bucket",
        "",
        "    def build(dataset, rank, bucket):",
        "        return Bucket(config=..., vocab=..., dataset=dataset, rank=rank, bucket=bucket)",
    ]


def test_the_adapter_makes_several_datasets_of_the_samples_where_their_sizes_are_asked_for():
    with pytest.raises(TargetError) as caught:
        bind(naming("dataset_sizes", "rank"), name="m:Mix")
    said = str(caught.value)
    assert "Did you mean" not in said
    assert said.partition(":build:\n\n")[2].splitlines() == [
        "    from m import Mix",
        "",
        "    def build(rank, length):",
        "        return Mix(dataset_sizes=[length // 3, length - length // 3], rank=rank)",
    ]


def test_the_adapter_passes_positional_parameters_by_position():
    with pytest.raises(TargetError, match=r"return factory\(dataset, \.\.\., rank=rank\)"):
        bind(naming("dataset", "config", "/", "rank"))


def test_a_misspelt_axis_is_named_before_the_parameter_that_it_leaves_without_values():
    with pytest.raises(TargetError, match=r"Axis 'cofnig' is not a parameter of .* Did you mean 'config'"):
        bind(naming("dataset", "config"), axes={"cofnig": [1]})


# Changes


def test_a_changed_value_replaces_the_cases_and_none_leaves_it_out():
    factory = naming("dp_rank=None", "num_replicas=None", "seed=5")
    assert given_to(factory, changes={"seed": 9}) == {"dp_rank": 1, "num_replicas": 4, "seed": 9}
    assert given_to(factory, changes={"rank": None, "world_size": None}) == {
        "dp_rank": None,
        "num_replicas": None,
        "seed": 7,
    }


def test_changes_and_ranks_do_not_leak_into_the_next_build():
    binding = bind(naming("length", "rank", "seed"))
    assert binding.build(CASE, 0, {"seed": 9})["seed"] == 9
    assert binding.build(CASE, 0, {}) == {"length": 6, "rank": 0, "seed": 7}
    assert binding.build(CASE, 3, {}) == {"length": 6, "rank": 3, "seed": 7}
    other = Case(length=2, world_size=1)
    assert binding.build(other, 0, {}) == {"length": 2, "rank": 0, "seed": 0}
    assert binding.build(CASE, 0, {}) == {"length": 6, "rank": 0, "seed": 7}


@pytest.mark.parametrize("name", ["lengths", "labels", "weights"])
def test_a_target_that_changes_its_list_of_features_spoils_no_other_build(name):
    binding = bind(naming(name))
    expected = feature(CASE, name)
    for rank in (0, 0, 1):
        values = binding.build(CASE, rank, {})[name]
        assert values == expected
        values.clear()


def test_every_rank_has_a_dataset_of_its_own():
    binding = bind(naming("dataset"))
    first, second = (binding.build(CASE, rank, {})["dataset"] for rank in (0, 1))
    first.lengths.clear()
    assert second.lengths == [1, 2, 3, 4, 5, 6]


def test_every_build_has_an_inner_sampler_of_its_own():
    binding = bind(naming("sampler"))
    first, second = (binding.build(CASE, 0, {})["sampler"] for _ in range(2))
    first.set_epoch(5)
    assert second.epoch == 0


def test_a_loader_that_takes_shuffle_or_a_sampler_is_given_shuffle():
    binding = bind(naming("dataset", "shuffle=None", "sampler=None", "batch_sampler=None"))
    assert binding.named == {"dataset", "shuffle"}
    assert bind(DataLoader).named == {"dataset", "batch_size", "shuffle", "num_workers", "drop_last"}
    assert bind(naming("dataset", "shuffle", "sampler=None")).named == {"dataset", "shuffle", "sampler"}
    assert bind(naming("dataset", "shuffle", "sampler", "batch_sampler=None")).named > {"sampler"}


def test_a_wrapper_wraps_one_thing():
    binding = bind(naming("sampler", "batch_sampler=None"))
    assert binding.named == {"sampler"}
    assert binding.build(CASE, 0, {})["batch_sampler"] is None
    with pytest.raises(TargetError, match="'inner' and 'batch_sampler' of pkg:factory both mean"):
        bind(naming("inner", "batch_sampler"))


def test_the_batches_that_are_wrapped_vary_with_the_case_and_the_wrappers_knobs():
    binding = bind(naming("batch_sampler", "drop_last"))
    assert binding.named == {"batch_sampler", "drop_last"}
    assert binding.varied == {"batch_sampler", "drop_last", "batch_size"}
    assert len(binding.build(CASE, 0, {"drop_last": False})["batch_sampler"]) == 3
    case = Case(length=7, batch_size=2, drop_last=True)
    assert [len(one) for one in binding.build(case, 0, {})["batch_sampler"]] == [2, 2, 2]


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_size_that_the_wrapper_must_refuse_is_none_of_what_it_wraps(size):
    built = given_to(naming("batch_sampler", "batch_size"), changes={"batch_size": size})
    assert built["batch_size"] == size
    assert built["batch_sampler"].batch_size == CASE.batch_size
    assert (
        given_to(naming("batch_sampler", "batch_size"), changes={"batch_size": 3})["batch_sampler"].batch_size
        == 3
    )


def test_the_inner_sampler_follows_a_changed_seed_and_shuffle():
    factory = naming("sampler", "seed", "shuffle")
    built = given_to(factory, changes={"seed": 9, "shuffle": False})
    assert (built["sampler"].seed, built["sampler"].shuffle) == (9, False)
    assert given_to(factory)["sampler"].seed == 7
    mine = InnerSampler(1, shuffle=False, seed=0)
    assert given_to(factory, changes={"sampler": mine})["sampler"] is mine


# Axes


def test_an_axis_takes_its_value_from_the_case():
    case = CASE.but(options={"bucket": 8, "mode": "fast"})
    factory = naming("length", "bucket", "mode='slow'")
    axes = {"bucket": [1, 8], "mode": ["slow", "fast"]}
    assert given_to(factory, axes=axes, case=case) == {"length": 6, "bucket": 8, "mode": "fast"}


def test_a_case_that_says_nothing_of_an_axis_is_refused():
    with pytest.raises(TargetError, match="no value for axis 'bucket' of pkg:factory: add bucket!VALUE"):
        given_to(naming("bucket"), axes={"bucket": [1]})


def test_an_axis_that_is_no_parameter_is_refused_with_the_nearest_that_is():
    with pytest.raises(TargetError, match=r"'buckets' is not a parameter of .*\. Did you mean 'bucket'"):
        bind(naming("length", "bucket=1"), axes={"buckets": [1]})


def test_an_axis_that_the_kit_binds_itself_is_refused():
    for name in ("seed", "random_seed", "num_replicas"):
        with pytest.raises(TargetError, match=f"Axis '{name}' of pkg:factory is a name that the kit binds"):
            bind(naming(name), axes={name: [1]})


def test_an_axis_may_go_into_open_keywords():
    case = CASE.but(options={"bucket": 8})
    assert given_to(lambda length, **rest: (length, rest), axes={"bucket": [8]}, case=case) == (
        6,
        {"bucket": 8},
    )


# Kinds of callables


def test_positional_only_parameters_are_passed_by_position():
    def factory(length, rank, /, seed):
        return length, rank, seed

    assert given_to(factory) == (6, 1, 7)


def test_positional_only_parameters_keep_their_place_behind_an_unknown_default():
    def factory(cache=5, length=0, bucket=2, rank=None, /):
        return cache, length, bucket, rank

    assert given_to(factory) == (5, 6, 2, 1)
    assert given_to(factory, changes={"rank": None}) == (5, 6, 2, None)
    case = CASE.but(options={"bucket": 8})
    assert given_to(factory, axes={"bucket": [8]}, case=case) == (5, 6, 8, 1)


def test_open_parameters_get_nothing_whatever_they_are_called():
    def factory(length, *weights, **seed):
        return length, weights, seed

    assert bind(factory).named == {"length"}
    assert given_to(factory) == (6, (), {})


def test_keyword_only_parameters_are_bound():
    def factory(*, rank, world_size):
        return rank, world_size

    assert given_to(factory) == (1, 4)


def test_a_class_is_bound_by_its_constructor():
    class Bucket:
        def __init__(self, data_source, dp_rank, capacity=3):
            self.values = (len(data_source), dp_rank, capacity)

    assert given_to(Bucket).values == (6, 1, 3)


def test_a_bound_method_and_a_classmethod_leave_self_out():
    class Builder:
        def build(self, length, rank):
            return length, rank

        @classmethod
        def make(cls, length, rank):
            return length, rank

    assert given_to(Builder().build) == given_to(Builder.make) == (6, 1)


def test_a_callable_object_is_bound_by_its_call():
    class Factory:
        def __call__(self, length, seed):
            return length, seed

    assert given_to(Factory()) == (6, 7)


def test_a_partial_is_bound_by_what_is_left_of_it():
    def factory(bucket, length, rank, capacity=1):
        return bucket, length, rank, capacity

    assert given_to(functools.partial(factory, 8)) == (8, 6, 1, 1)
    assert given_to(functools.partial(factory, bucket=8, capacity=2)) == (8, 6, 1, 2)


def test_a_callable_without_a_signature_is_refused():
    with pytest.raises(TargetError, match=r"pkg:factory has no readable signature.*wrap it in a function"):
        bind(range)


# Replicas


REPLICAS = Contract(replicas=2)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        # the process's own place
        (("rank", "world_size"), {"rank": 3, "world_size": 4}),
        (("rank", "world_size", "replicas"), {"rank": 3, "world_size": 4, "replicas": 2}),
        # the place in the data, by the names that say so
        (("dp_rank", "dp_size"), {"dp_rank": 1, "dp_size": 2}),
        (("dp_rank=0", "dp_world_size=1"), {"dp_rank": 1, "dp_world_size": 2}),
        (
            ("data_parallel_rank", "data_parallel_size"),
            {"data_parallel_rank": 1, "data_parallel_size": 2},
        ),
        # the place in the data, beside the process's own
        (("global_rank", "rank", "world_size"), {"global_rank": 3, "rank": 1, "world_size": 2}),
        (("global_rank", "world_size"), {"global_rank": 3, "world_size": 4}),
        (("global_rank=None", "replicas=None"), {"global_rank": 3, "replicas": 2}),
    ],
    ids=str,
)
def test_under_replicas_each_name_means_what_the_documentation_says(parameters, expected):
    assert given_to(naming(*parameters), REPLICAS, rank=3) == expected


def test_without_replicas_all_names_are_the_process():
    factory = naming("global_rank", "rank", "dp_size", "replicas")
    assert given_to(factory, rank=3) == {"global_rank": 3, "rank": 3, "dp_size": 4, "replicas": 1}


def test_without_replicas_their_defaults_are_kept():
    factory = naming("rank", "global_rank=-1", "replicas=8")
    assert bind(factory).named == {"rank"}
    assert given_to(factory) == {"rank": 1, "global_rank": -1, "replicas": 8}


# Consumed and epoch


@pytest.mark.parametrize("name", ["consumed", "consumed_samples", "start_index"])
def test_consumed_is_bound_only_where_the_contract_resumes_by_it(name):
    assert given_to(naming("length", f"{name}=5")) == {"length": 6, name: 5}
    assert given_to(naming("length", f"{name}=5"), Contract(resume="consumed")) == {"length": 6, name: 0}
    with pytest.raises(TargetError, match=f"Parameter '{name}' of pkg:factory has no default.*\n.*resume="):
        bind(naming("length", name))


def test_an_epoch_is_the_first_unless_changed():
    assert given_to(naming("epoch")) == {"epoch": 0}
    assert given_to(naming("epoch"), changes={"epoch": 2}) == {"epoch": 2}


# What the engine asks


@pytest.mark.parametrize(
    ("parameters", "can"),
    [
        (("rank=None", "world_size=None"), True),
        (("num_replicas=None", "dp_rank=None"), True),
        (("rank", "world_size=None"), False),
        (("rank=0", "world_size=1"), False),
        (("rank=None",), False),
        (("length",), False),
    ],
    ids=str,
)
def test_a_target_finds_its_place_where_rank_and_world_default_to_none(parameters, can):
    assert bind(naming(*parameters)).can_find_its_place is can


def test_a_batch_sampler_that_names_drop_last_may_not_promise_padding():
    padding = Contract(tail="pad")
    with pytest.raises(ContractError, match='tail="pad" contradicts the parameter drop_last of pkg:factory'):
        check_tail(bind(naming("drop_last"), padding), batched=True)
    check_tail(bind(naming("drop_last"), padding), batched=False)
    check_tail(bind(naming("drop_last"), padding.but(coverage="subset")), batched=True)
    check_tail(bind(naming("length"), padding), batched=True)
    check_tail(bind(naming("drop_last")), batched=True)
    check_tail(bind(naming("drop_last"), Contract(tail="drop")), batched=True)
