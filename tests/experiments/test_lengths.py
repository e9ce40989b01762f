"""What an error of len() says: that there is no length, or that it fails."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from samplercheck.experiments.stopped import why_no_length


class Answers:
    def __init__(self, answer):
        self.answer = answer

    def __len__(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def asked(subject):
    """What is made of the error of len(); which has to fail."""
    try:
        return len(subject)
    except Exception as error:  # noqa: BLE001  (of any kind)
        return why_no_length(subject, error)


@pytest.mark.parametrize("number", [2.0, 2.5, np.float32(2), np.ceil(1.5), torch.tensor(2.5)])
def test_a_finite_number_that_is_no_integer_is_a_length_that_fails(number):
    value, refused, said = asked(Answers(number))
    assert (value, refused) == (None, False)
    assert said.startswith("TypeError: ")


@pytest.mark.parametrize(
    "answer", [TypeError("not known"), NotImplementedError(), math.inf, None, "many", NotImplemented]
)
def test_what_says_that_there_is_no_length_is_no_failure(answer):
    assert asked(Answers(answer))[1] is True


def test_an_object_without_a_length_refuses():
    assert asked(object())[1] is True


def test_another_error_and_a_negative_number_fail():
    assert asked(Answers(RuntimeError("no")))[1] is False
    assert asked(Answers(-1))[1] is False
