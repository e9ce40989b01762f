"""What a certificate says by words is what a run of its profile writes, of whatever target."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck.certifying.shapes import differences_of_place, differences_of_small_scope
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import PROFILES, for_loaders
from samplercheck.search.small_scope import scope_of

WHOLE = PROFILES["certify"]
KINDS = WHOLE, for_loaders(WHOLE)


def plain(length, rank, world_size):
    return range(rank, length, world_size)


def batches(dataset, lengths, labels, rank, world_size, batch_size, shuffle, drop_last, seed, bucket, kind):  # noqa: PLR0917
    return []


@pytest.mark.parametrize("profile", KINDS)
@pytest.mark.parametrize("collectives", [True, False])
@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize("target", [plain, batches])
def test_the_small_scope_of_a_run_is_the_grid_that_it_says(profile, collectives, replicas, target):
    axes = {"bucket": [1, 2, 8], "kind": ["a, b", "4 epochs"]} if target is batches else {}
    bound = sc.target(target, contract=sc.Contract(replicas=replicas), axes=axes).bind()
    scope = scope_of(bound, profile, combinations(axes, 0), collectives=collectives)
    for more in ("", "; less than of a sampler, because a loader takes longer"):
        phase = {"scope": f"everything in {scope.text}{more}", "cases": scope.size}
        assert list(differences_of_small_scope(phase, KINDS)) == []
        assert list(differences_of_small_scope({**phase, "cases": 1}, KINDS)) != []


@pytest.mark.parametrize(
    ("scope", "is_known"),
    [
        ("everything in length 0-{longest}, world 1-{widest}, 3 epochs", True),
        ("everything in length 0-{longest}, world 1-{narrower}, 3 epochs", False),
        ("everything in length 0-{longer}, world 1-{widest}, 3 epochs", False),
        ("everything in length 0-1, world 1-{widest}, 3 epochs", False),
    ],
)
def test_a_grid_of_another_size_is_none_of_the_profile(scope, is_known):
    longest, widest = max(kind.longest for kind in KINDS), WHOLE.widest
    text = scope.format(longest=longest, longer=longest + 1, widest=widest, narrower=widest - 1)
    seen = list(differences_of_small_scope({"scope": text, "cases": 10**6}, KINDS))
    assert seen == ([] if is_known else ["the small scope of another profile"])


DEFINED = {
    "class Thing: pass": True,
    "def Thing(): pass": True,
    "if True:\n    Thing, other = 1, 2": True,
    "from elsewhere import Other as Thing": True,
    "from elsewhere import *": True,
    "def __getattr__(name): return 1": True,
    "globals()['Thi' + 'ng'] = 1": True,
    "from elsewhere import Thing as Other": False,
    "print(Thing)": False,
    "other = Thing": False,
    "# Thing": False,
    "(": False,
}


@pytest.mark.parametrize(("text", "is_defined"), DEFINED.items())
def test_a_target_is_what_its_file_defines(text, is_defined, tmp_path):
    path = tmp_path / "samplers.py"
    path.write_text(text)
    wrong = [] if is_defined else ["Thing is not defined there"]
    assert list(differences_of_place("samplers.py:Thing.build", [path])) == wrong
