"""Hypothesis strategies for our own tests: cases with every field, feature and option that is legal."""

from __future__ import annotations

from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.values.scene import Scene, SeenPass

LARGEST = 2**63 - 1


def names():
    """Parameter names, those with a meaning in tokens among them."""
    common = st.sampled_from(["bucket", "n", "world", "seed", "größe", "_", "drop_last", "labels"])
    return common | st.text(min_size=1, max_size=5).filter(str.isidentifier)


def scalars():
    """Values of options: nothing, truth, numbers of any size, texts."""
    return st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 3),
        st.integers(),
        st.sampled_from([2**64, -(2**200), 10**400]),
        st.floats(allow_nan=False, allow_infinity=False),
        texts(),
    )


def texts():
    """Short texts, many with characters that have a meaning in tokens."""
    awkward = st.text(alphabet=st.sampled_from(list(",=!:%\"'\\/+ \n\t\x7f\x00é𝄞a1")), max_size=8)
    return awkward | st.text(max_size=6)


def numbers():
    """Values of features: ints and floats from 0 up."""
    return st.integers(0, 20) | st.floats(0, allow_nan=False, allow_infinity=False)


def passes(words):
    """Passes as scenes hold them, of any shape; ``words`` are what they say."""
    step = st.sampled_from([(), (0,), (3,), (1, 2), (0, 0, 12, -3)])
    steps = st.lists(step, max_size=3).map(tuple)
    return st.builds(
        SeenPass,
        experiment=st.just("epochs"),
        label=words,
        epoch=st.sampled_from([None, 0, 1]),
        ranks=st.lists(steps, max_size=3).map(tuple),
        stopped=st.sampled_from([None, None, 0, 2]),
        cut=st.booleans(),
        ended=st.lists(words, max_size=2).map(tuple),
    )


def scenes(words):
    """Scenes that need not make sense: a report may have been written by anybody."""
    counts = st.lists(st.sampled_from([0.0, 0.5, 40.0]), max_size=4).map(tuple)
    cells = st.tuples(st.integers(0, 5), st.integers(0, 3), st.sampled_from([0, 1, 70]))
    return st.builds(
        Scene,
        length=st.integers(0, 5),
        world_size=st.integers(1, 3),
        passes=st.lists(passes(words), max_size=5).map(tuple),
        marked=st.lists(cells, max_size=3).map(tuple),
        observed=counts,
        expected=counts,
        token=words,
    )


def values_of(name, length):
    """Values of a feature for so many samples: numbers, or texts as labels."""
    lists = st.lists(numbers(), min_size=length, max_size=length)
    return lists | st.lists(texts(), min_size=length, max_size=length) if name == "labels" else lists


@st.composite
def any_cases(draw, *, max_length=5):
    """Legal cases, no field left at its default on purpose."""
    length = draw(st.integers(0, max_length))
    given = draw(st.sets(st.sampled_from(["labels", "lengths", "weights"])))
    plain = not given and draw(st.booleans())
    return Case(
        length=draw(st.integers(0, LARGEST)) if plain else length,
        world_size=draw(st.integers(1, 5) | st.integers(1, 2**31 - 1)),
        batch_size=draw(st.integers(1, 3) | st.integers(1, LARGEST)),
        shuffle=draw(st.booleans()),
        drop_last=draw(st.booleans()),
        seed=draw(st.integers(0, 2) | st.integers(0, LARGEST)),
        epochs=draw(st.integers(1, 5) | st.integers(1, 10_000)),
        stop=draw(st.none() | st.integers(0, 3) | st.integers(0, LARGEST)),
        workers=draw(st.integers(0, 2)),
        resume_world_size=draw(st.none() | st.integers(1, 4)),
        features={name: draw(values_of(name, length)) for name in given},
        options=draw(st.dictionaries(names(), scalars(), max_size=3)),
    )


def small_cases():
    """Cases so small that two drawn ones are often alike but for one field."""
    return st.builds(
        Case,
        length=st.integers(0, 2),
        world_size=st.integers(1, 2),
        batch_size=st.integers(1, 2),
        shuffle=st.booleans(),
        seed=st.integers(0, 1),
        stop=st.sampled_from([None, 0, 1]),
        resume_world_size=st.sampled_from([None, 1]),
        options=st.fixed_dictionaries(
            {}, optional={"x": st.sampled_from([None, False, True, 0, 1, 1.0, 0.0, -0.0, "", "1", "a"])}
        ),
    )
