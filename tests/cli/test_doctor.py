"""``doctor`` tells versions, backends and clashes, and always ends well."""

from __future__ import annotations

import platform
from importlib import metadata

import hypothesis
import pytest
import torch

from samplercheck.cli.doctor import _groups_nothing
from tests.support.command_line import call


def test_the_doctor_tells_what_is_here() -> None:
    done = call("doctor")
    facts = {line[:14].strip(): line[14:] for line in done.output.split("\n")}
    assert done.exit_code == 0
    assert facts["python"].startswith(platform.python_version())
    assert facts["torch"] == metadata.version("torch")
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


@pytest.mark.parametrize(
    ("pytest_version", "xdist_version", "is_void"),
    [
        ("9.2.0", "3.8.0", True),
        ("10.0.0", "3.6.1", True),
        ("9.1.1", "3.8.0", False),
        ("9.2.0", "3.9.0", False),
        ("9.2.0", "not installed", False),
    ],
)
def test_the_doctor_knows_where_groups_of_xdist_group_nothing(pytest_version, xdist_version, is_void) -> None:
    assert _groups_nothing(pytest_version, xdist_version) is is_void
