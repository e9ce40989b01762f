"""A fault holds the pass that it broke off, which no record has, and no other."""

from __future__ import annotations

import pytest

from samplercheck import Case, target
from samplercheck.experiments.stopped import describe_error
from samplercheck.worlds import open_world


class BreaksOff:
    """Raises, or goes on forever, behind its first two samples."""

    def __init__(self, dataset, ends):
        self.ends = ends

    def __iter__(self):
        yield from (1, 0)
        if self.ends:
            raise KeyError("lost")
        while True:
            yield 1


@pytest.mark.parametrize(("ends", "ending", "steps"), [(True, "broken off", 2), (False, "capped", 78)])
@pytest.mark.parametrize("experiment", ["epochs", "interleaved"])
def test_the_pass_that_was_broken_off_is_in_the_fault_or_in_a_record(ends, ending, steps, experiment):
    binding = target(BreaksOff, name="breaks-off", axes={"ends": [ends]}).bind()
    case = Case(length=2, epochs=1, options={"ends": ends})
    with open_world("simulated") as world:
        trace = world.trace(binding, case, (experiment,))
    (fault,) = trace.faults
    recorded = [one for record in trace.of(experiment) for one in record.passes]
    if experiment == "interleaved":  # its passes are opened by hand and recorded from their beginning
        assert fault.begun is None
        assert recorded
        return
    assert recorded == []
    assert (list(fault.begun.items[:3]), fault.begun.ending) == ([1, 0] if ends else [1, 0, 1], ending)
    assert fault.begun.steps == fault.step == steps


def test_the_address_of_an_object_is_left_out_of_what_an_error_says():
    name, message, _ = describe_error(ValueError(f"no place for {object()} at 0x10"))
    assert (name, message) == ("ValueError", "no place for <object object> at 0x10")
