"""What a rank hears of the first one, over whichever wire: also that it has gone, as often as it asks."""

from __future__ import annotations

import pytest

from samplercheck.worlds.job.letters import Finish
from samplercheck.worlds.job.talk import Line


class EndingWire:
    """A wire whose first rank says one thing and is gone."""

    def __init__(self) -> None:
        self.said = [Finish({"outcome": "holds"})]

    def say(self, message: object) -> None:
        """Reach nobody."""
        raise BrokenPipeError

    def hear(self) -> object:
        """Return what it said, then the end."""
        if not self.said:
            raise EOFError
        return self.said.pop()

    def close(self) -> None:
        """Do nothing."""


def test_a_rank_whose_first_has_gone_hears_so_each_time_it_asks() -> None:
    line = Line(EndingWire(), lambda: "nowhere")
    assert line.hear() == Finish({"outcome": "holds"})
    for _ in range(3):
        with pytest.raises(EOFError):
            line.hear()
