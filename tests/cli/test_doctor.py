"""``doctor`` tells versions, backends and clashes, and always ends well."""

from __future__ import annotations

import platform

import hypothesis
import torch

from tests.cli.places import call


def test_the_doctor_tells_what_is_here() -> None:
    done = call("doctor")
    facts = {line[:14].strip(): line[14:] for line in done.output.split("\n")}
    assert done.exit_code == 0
    assert facts["python"].startswith(platform.python_version())
    assert facts["torch"] == torch.__version__
    assert facts["hypothesis"] == hypothesis.__version__
    assert facts["GPUs"] == str(torch.cuda.device_count())
    assert facts["backends"].startswith(f"gloo {'yes' if torch.distributed.is_gloo_available() else 'no'}")
    said = " ".join(done.output.split())
    assert "worlds simulated: any number of ranks worlds gloo: " in said
    gpus = torch.cuda.device_count()
    assert f"nccl: up to {gpus} rank" in said or "World 'nccl' needs 1 GPU and found 0." in said
    assert facts["privacy"] == "nothing is sent anywhere"
    assert "clashes" in facts
    assert all(len(line) <= 80 for line in done.output.split("\n"))
