"""Ray's TorchTrainer: every worker judges a target in the process group that Ray has made for training.

python examples/cluster/ray_train.py mypkg.samplers:BucketSampler
"""

from __future__ import annotations

import sys
from typing import Any

WORKERS = 4


def judge(given: dict[str, Any]) -> None:
    """Run by every worker; all get the same report, and a broken target ends the training."""
    import samplercheck as sc

    report = sc.run(given["target"], worlds=["attached"])
    if report.failures:
        raise SystemExit(f"{report.target} breaks {', '.join(one.code for one in report.failures)}")


def main() -> None:
    """Start the workers: the machines are those of Ray's cluster, or else this one."""
    from ray.train import ScalingConfig
    from ray.train.torch import TorchTrainer

    trainer = TorchTrainer(
        judge,
        train_loop_config={"target": sys.argv[1]},
        scaling_config=ScalingConfig(num_workers=WORKERS, use_gpu=False),
    )
    trainer.fit()


if __name__ == "__main__":
    main()
