"""Runs the command line on a hostile sampler, in a directory and a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
RUN = ("-m", "samplercheck", "run", "--profile", "quick", "--format", "json")


def environment(directory, **variables):
    """The variables of a run whose target notes things in ``directory``."""
    path = [str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "HOSTILE_NOTES": str(directory / "notes"),
        "TMPDIR": str(directory),  # what a killed parent leaves behind is removed with it
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        **variables,
    }


def started(target, directory, *flags, words=(), **variables):
    """Start the command line on ``module:name`` of this folder; the flags are those of the interpreter."""
    return subprocess.Popen(
        [sys.executable, *flags, *RUN, *words, f"{HERE}{os.sep}{target}"],
        cwd=directory,
        env=environment(directory, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(target, directory, *flags, words=(), **variables):
    """Run the command line to its end."""
    with started(target, directory, *flags, words=words, **variables) as process:
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def is_alive(pid):
    """Whether a process runs; a zombie that nobody has collected yet does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
