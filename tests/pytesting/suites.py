"""Small targets, written beside the tests of an inner session, and what is read of its outcomes.

Light: no torch among them. Each test of the plugin says which suite it runs on them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["SAMPLERS", "lines_of", "reports_in", "write_laws", "write_suite"]

SAMPLERS = '''
import os
import signal
import time
from pathlib import Path


class Strided:
    """Pads to a multiple of the world size and deals out in turn."""

    def __init__(self, length, rank, world_size):
        padded = -(-length // world_size) * world_size
        self.mine = [index % max(1, length) for index in range(rank, padded, world_size)]

    def __len__(self):
        return len(self.mine)

    def __iter__(self):
        return iter(self.mine)


def uneven(length, rank, world_size):
    """Forgets the padding: breaks SC104 in n=1,world=2, and SC105."""
    return list(range(rank, length, world_size))


def raising(length, rank, world_size):
    """Fails on every rank but the first."""
    if rank:
        raise RuntimeError("no shard for this rank")
    return Strided(length, rank, world_size)


def warning(length, rank, world_size):
    """Warns whenever it is built."""
    import warnings

    warnings.warn("old", DeprecationWarning, stacklevel=1)
    return Strided(length, rank, world_size)


def blocks(length, rank, world_size, bucket):
    """Has an axis of its own."""
    return Strided(length, rank, world_size)


def noted(length, rank, world_size):
    """Writes down in which processes a case of its own was built: once for each search."""
    if (length, rank, world_size) == (11, 0, 5):
        with Path(os.environ["NOTES"]).open("a") as file:
            file.write(f"{os.getpid()}\\\\n")
    return Strided(length, rank, world_size)


def interrupting(length, rank, world_size):
    """The user presses Ctrl-C while it is tried, or somebody ends the session."""
    if length == 5:
        os.kill(os.getpid(), getattr(signal, os.environ.get("ENDED_BY", "SIGINT")))
        time.sleep(1)
    return uneven(length, rank, world_size)


def stubborn(length, rank, world_size):
    """Swallows whatever would interrupt it."""
    while length == 3:
        try:
            time.sleep(0.01)
        except BaseException:
            pass
    return Strided(length, rank, world_size)


def fatal(length, rank, world_size):
    """Ends the process."""
    with Path(os.environ["NOTES"]).open("a") as file:
        file.write(f"{os.getpid()}\\\\n")
    os._exit(3)
'''.replace("\\\\n", "\\n")


def write_suite(pytester: pytest.Pytester, text: str, name: str = "test_laws") -> None:
    """Write the samplers and one test module that imports ``samplercheck as sc`` and ``pytest``."""
    pytester.makepyfile(samplers=SAMPLERS)
    pytester.makepyfile(**{name: f"import pytest\nimport samplercheck as sc\n\n{text}"})
    pytester.syspathinsert()


def write_laws(pytester: pytest.Pytester, target: str, laws: str = "['SC104']", more: str = "") -> None:
    """Write the samplers and a test of one of them, by these laws and the profile quick."""
    text = f"@sc.parametrize_with_laws('samplers:{target}', profile='quick', select={laws}{more})"
    write_suite(pytester, f"{text}\ndef test_x(law):\n    law()")


def lines_of(result: pytest.RunResult) -> list[str]:
    """The lines that say what became of each test, under -v, sorted."""
    words = (" PASSED", " FAILED", " SKIPPED", " XFAIL", " ERROR")
    said = [line for line in result.outlines if not line.startswith("=")]
    lines = [line.split(" [")[0] if line.endswith("%]") else line for line in said]
    return sorted(" ".join(line.split()[:2]) for line in lines if any(word in line for word in words))


def reports_in(folder: Path) -> dict[str, dict]:
    """The reports that a session wrote, by the name of their folder."""
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(folder.glob("*/report.json"))}
