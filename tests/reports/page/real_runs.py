"""Reports of real runs for tests of the page: a clean one, some broken ones, and one of hostile words."""

from __future__ import annotations

from functools import cache
from typing import Any

from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from tests.zoo import fixed_length_bias, resume_offset_every_epoch, set_epoch_forgotten

__all__ = ["HARM", "REPORTS", "report_of"]

HARM = (
    "\"'><img src=x onerror=\"window.harmed='img'\"><svg onload=\"window.harmed='svg'\"></svg>"
    "</code></pre></style></title></script><script>window.harmed='script'</script>"
    "<a href=\"javascript:window.harmed='link'\" onmouseover=\"window.harmed='over'\">a</a>"
    "<link rel=stylesheet href=//evil.example/x.css>{{ 7 * 7 }}{% raw %}`<b>`\u202e\x00\x1b"
)


def uneven(dataset: Any, rank: int, world_size: int, batch_size: int, shuffle: bool) -> list[int]:
    """Deal out what there is; the last round is short."""
    return list(range(rank, len(dataset), world_size))


def harmful(dataset: Any, rank: int, world_size: int) -> list[int]:
    """Fail with words that a page must not obey."""
    if rank:
        raise RuntimeError(HARM)
    return list(range(len(dataset)))


def zoo(module: Any) -> sc.Target:
    """The planted bug of a file of the zoo."""
    return sc.target(module.bug, name=module.SLUG, contract=sc.Contract(**module.CONTRACT), axes=module.AXES)


REPORTS = {
    "clean": (sc.target(DistributedSampler), ("SC101", "SC102", "SC104", "SC105", "SC301")),
    "uneven": (sc.target(uneven, name="mypkg.samplers:uneven"), ("SC102", "SC104", "SC105")),
    "order": (zoo(set_epoch_forgotten), ("SC301", "SC102")),
    "resume": (zoo(resume_offset_every_epoch), ("SC701", "SC702")),
    "frequencies": (zoo(fixed_length_bias), ("SC1001",)),
    "harm": (sc.target(harmful, name=HARM), ("SC001", "SC104")),
}


@cache
def report_of(name: str) -> dict[str, Any]:
    """The report of one of these runs; nobody may change it."""
    target, select = REPORTS[name]
    plan = Plan(target=target, profile="quick", worlds=("simulated",), select=select)
    return carry_out(plan).to_dict()
