"""Places that are read when a module is imported: no process that builds many ranks can judge them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import samplercheck as sc
from samplercheck.errors import TargetError
from samplercheck.targets.alone import refuse_early_place

HEAD = "import os\nimport torch.distributed as dist\n"
SHARE = """
class Share:
    def __init__(self, dataset{given}):
        self.n = len(dataset)

    def __iter__(self):
        return iter(range({rank}, self.n, {world}))
"""
READ = "RANK, WORLD = int(os.environ.get('RANK', 0)), int(os.environ.get('WORLD_SIZE', 1))\n"


def module_of(text: str, folder: Path, name: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def share(top: str, folder: Path, rank: str = "RANK", world: str = "WORLD", given: str = "") -> ModuleType:
    return module_of(HEAD + top + SHARE.format(rank=rank, world=world, given=given), folder, "early_share")


@pytest.mark.parametrize(
    "top",
    [
        READ,
        "RANK: int = int(os.getenv('RANK') or 0)\nWORLD = 2\n",
        "RANK, WORLD = (dist.get_rank(), 2) if dist.is_initialized() else (0, 1)\n",
    ],
    ids=["environ", "getenv", "group"],
)
def test_a_place_that_is_known_since_the_import_is_refused(top: str, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="reads its place when its module is imported"):
        refuse_early_place(share(top, tmp_path).Share, frozenset({"dataset"}), "Share")


def test_a_function_that_builds_such_a_class_is_refused_too(tmp_path: Path) -> None:
    module = share(READ + "def build(dataset):\n    return Share(dataset)\n", tmp_path)
    with pytest.raises(TargetError, match=r"\(RANK, WORLD\)"):
        refuse_early_place(module.build, frozenset({"dataset"}), "build")


@pytest.mark.parametrize(
    ("rank", "world", "named"),
    [
        ("dist.get_rank()", "dist.get_world_size()", {"dataset"}),
        ("int(os.environ['RANK'])", "int(os.environ['WORLD_SIZE'])", {"dataset"}),
        ("0", "1", {"dataset"}),
        ("RANK * 0 + dist.get_rank()", "WORLD", {"dataset"}),
        ("RANK", "WORLD", {"dataset", "rank", "world_size"}),
    ],
    ids=["group", "late", "none", "both", "named"],
)
def test_what_asks_later_or_is_told_is_judged(rank: str, world: str, named: set[str], tmp_path: Path) -> None:
    refuse_early_place(share(READ, tmp_path, rank, world).Share, frozenset(named), "Share")


def test_a_run_says_what_to_do_and_gives_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="--world attached"):
        sc.run(share(READ, tmp_path).Share, profile="quick", worlds=["simulated"])
