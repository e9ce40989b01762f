"""A training function in four workers of Ray that judges a target; each rank writes what it got to a file.

python -m tests.engines.ray_job TARGET DIRECTORY
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

WORKERS = 4


def judge(given: dict[str, Any]) -> None:
    """Judge the target in the ranks of the job, as a user's training function would."""
    from torch import distributed

    import samplercheck as sc

    report = sc.run(given["target"], worlds=["attached"])
    Path(given["where"], f"rank-{distributed.get_rank()}.json").write_text(json.dumps(report.to_dict()))


def main() -> None:
    """Start Ray on this machine, and the workers."""
    import ray
    from ray.train import RunConfig, ScalingConfig
    from ray.train.torch import TorchTrainer

    target, where = sys.argv[1:]
    found = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"], "OMP_NUM_THREADS": "1"}}
    ray.init(num_cpus=WORKERS, include_dashboard=False, runtime_env=found)
    trainer = TorchTrainer(
        judge,
        train_loop_config={"target": target, "where": where},
        scaling_config=ScalingConfig(num_workers=WORKERS, use_gpu=False),
        run_config=RunConfig(storage_path=where),
    )
    trainer.fit()


if __name__ == "__main__":
    main()
