"""What a pass does to a training, in the words of a headline: each kind of wrong has its own."""

from __future__ import annotations

import pytest

from samplercheck.laws._passes import harm_of


@pytest.mark.parametrize(
    ("found", "due", "done", "harm"),
    [
        ([0, 1], [1], [0], "repeats data"),
        ([0], [1], [0], "repeats data"),
        ([1, 1], [1, 2], [], "repeats data"),
        ([5, 5], [1, 2], [], "repeats data"),
        ([], [1], [0], "loses data"),
        ([2], [1, 2], [0], "loses data"),
        ([2, 1], [1, 2], [0], "wrong order"),
        ([3, 4], [1, 2], [0], "wrong order"),
        ([1, 2], [1, 2], [0], "wrong batches"),
    ],
)
def test_the_words_fit_what_was_found(found, due, done, harm):
    assert harm_of(found, due, done) == harm
