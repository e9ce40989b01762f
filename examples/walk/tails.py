"""Ten samples and four ranks: what becomes of the tail.

DistributedSampler pads to twelve (two samples are seen twice: an evaluation counts them twice) or, with
drop_last, cuts to eight (two are never seen in this epoch). Dealt out as it is, two ranks have a step more,
and training would hang. Which one you want is said in the contract.

By the usual contract the last is broken. samplercheck says of it:

    BROKEN  Ranks take different numbers of steps                       would hang
            SC104 equal-steps, holds with --contract tail=keep
      found     Rank 0 yields 3 items, rank 1 yields 2 in epoch 0.

        step    0  1  2
        rank 0  0  2  4   <- waits at step 2
        rank 1  1  3  -   <- left the epoch

      case      length=5 world_size=2 batch_size=1
      smallest  length=1 world_size=2 batch_size=1 (cphqoxd5)
      when      whenever length is no multiple of world_size (33 of 65 cases)
      where     tails.py:50: return range(rank, len(dataset), world_size); this
                deals out to the ranks
      cause     The tail that world_size does not divide is dealt out unevenly, so
                some ranks get fewer samples.
                tested: with length a multiple of world_size, 33 of 33 hold
      fix       Pad the order to a multiple of world_size before dealing it out;
                use its own beginning for that. Or cut it to such a multiple.
"""

from __future__ import annotations

from typing import Any

from torch.utils.data import DistributedSampler

import samplercheck as sc


def padded(dataset: Any, rank: int, world_size: int) -> Any:
    """Repeat samples until the ranks share evenly."""
    return DistributedSampler(dataset, world_size, rank, shuffle=False)


def cut(dataset: Any, rank: int, world_size: int) -> Any:
    """Leave samples out until the ranks share evenly."""
    return DistributedSampler(dataset, world_size, rank, shuffle=False, drop_last=True)


def uneven(dataset: Any, rank: int, world_size: int) -> range:
    """Deal out what there is."""
    return range(rank, len(dataset), world_size)


PROMISES = {
    padded: sc.Contract(tail="pad"),
    cut: sc.Contract(tail="drop"),
    uneven: sc.Contract(tail="keep"),
}


def main() -> None:
    """Show what four ranks get, then judge each by its own promise and by the usual one."""
    for build, promise in PROMISES.items():
        print(f"{build.__name__}: {[list(build(range(10), rank, 4)) for rank in range(4)]}")
        for contract in (sc.Contract(), promise):
            report = sc.run(build, contract=contract, profile="quick", select=["SC102", "SC104", "SC105"])
            broken = ", ".join(one.code for one in report.failures) or "holds"
            print(f"  {contract.text}: {broken}")
            if build is uneven and report.failures:
                print(report)


if __name__ == "__main__":
    main()
