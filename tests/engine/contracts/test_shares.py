"""What streams seem to be whose shares differ or whose order is fixed, and what they lose even so."""

from __future__ import annotations

from itertools import zip_longest

import pytest
from torch.utils.data import IterableDataset, get_worker_info

import samplercheck as sc
from samplercheck.reports.mistakes import list_mistakes
from samplercheck.running.inferring import propose_for

UNLIKE = {"tail": "keep", "even_steps": False}


class Blocks(IterableDataset):
    """Each part of a file that is cut by bytes: the records are longer, the higher their number."""

    def __init__(self, length, rank, world_size):
        self.ends = [0]
        for number in range(length):
            self.ends.append(self.ends[-1] + 2 + number % 4)
        self.rank, self.world_size = rank, world_size

    def bounds(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        parts, part = self.world_size * workers, self.rank * workers + worker
        return [self.ends[-1] * place // parts for place in (part, part + 1)]

    def __iter__(self):
        start, end = self.bounds()
        return iter([number for number, at in enumerate(self.ends[:-1]) if start <= at < end])


class LosesTheFirst(Blocks):
    """A part that begins with a record takes it for the end of one before."""

    def __iter__(self):
        start, end = self.bounds()
        return (
            number for number, at in enumerate(self.ends[:-1]) if start < at < end or at == start == 0 < end
        )


def test_shares_that_differ_by_more_in_some_lengths_alone_are_of_unlike_sizes():
    found = propose_for(sc.target(Blocks))
    assert found is not None
    assert (found.contract, found.left) == (UNLIKE, ())


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_what_is_lost_in_few_cases_is_not_settled_by_a_case_of_workers_that_does_not_show_it():
    report = sc.run(LosesTheFirst, profile="quick", worlds=["simulated"])
    proposal = report.proposal
    assert proposal is not None
    assert proposal.contract == UNLIKE
    assert {"SC102", "SC105"} <= {*proposal.left}
    assert proposal.follows["SC105"] == "SC102"
    first = list_mistakes(report.to_dict())[0]
    assert (first.lead["code"], "SC105" in first.codes, "SC104" in first.codes) == ("SC102", True, False)


def in_turns(datasets, rank, world_size):
    """One sample from each dataset, and again."""
    taken = [one for row in zip_longest(*datasets) for one in row if one is not None]
    return taken[rank::world_size]


def test_a_fixed_order_of_several_datasets_is_not_said_to_shuffle():
    found = propose_for(sc.target(in_turns))
    assert found is not None
    assert (found.contract, found.left) == ({"tail": "keep", "order": "free"}, ())
    assert "take from several datasets in one fixed order" in found.signs
