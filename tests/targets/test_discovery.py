"""What a package or a directory defines is found by reading its source, and nothing of it is imported."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from samplercheck.targets.discovery import discover_folder, discover_package
from samplercheck.values.errors import TargetError

FILES = {
    "__init__.py": "raise SystemExit('imported')\n",
    "base.py": (
        "import torch.utils.data as data\n"
        "from torch.utils.data import Sampler as TorchSampler, IterableDataset\n"
        "class Plain(TorchSampler[int]): ...\n"
        "class _Hidden(TorchSampler): ...\n"
        "class Stream(IterableDataset): ...\n"
        "class Whole(data.BatchSampler): ...\n"
        "class Dataset(data.Dataset): ...\n"
    ),
    "more.py": (
        "from .base import Plain\n"
        "from ._away import Sampler\n"
        "import elsewhere.loading\n"
        "class Deeper(Plain): ...\n"
        "class NextToken(Sampler): ...\n"
        "class Elsewhere(elsewhere.loading.EpochSampler): ...\n"
    ),
    "_away.py": "class Sampler: ...  # picks the next token\n",
    "broken.py": "class Sampler(:\n",
    "tests/test_it.py": "from torch.utils.data import Sampler\nclass OfATest(Sampler): ...\n",
    "env/pyvenv.cfg": "",
    "env/lib.py": "from torch.utils.data import Sampler\nclass OfAnEnvironment(Sampler): ...\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / "somebody" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "somebody" / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "somebody"


@pytest.mark.usefixtures("package")
def test_the_samplers_of_a_package_are_found_and_it_is_not_imported() -> None:
    assert discover_package("somebody") == [
        "somebody.base:Plain",
        "somebody.base:Stream",
        "somebody.base:Whole",
        "somebody.more:Deeper",
        "somebody.more:Elsewhere",
    ]
    assert "somebody" not in sys.modules


def test_a_directory_names_files(package: Path) -> None:
    assert discover_folder(Path())[:2] == ["somebody/base.py:Plain", "somebody/base.py:Stream"]
    assert discover_folder(Path("somebody"))[0] == "somebody/base.py:Plain"
    assert discover_folder(package / "tests") == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX")
def test_what_is_no_plain_file_is_passed_over_and_not_waited_for(package: Path) -> None:
    found = discover_folder(package)
    os.mkfifo(package / "pipe.py")
    (package / "deep.py").write_text(f"Sampler = {'(' * 100_000}{')' * 100_000}")
    stopped = threading.Timer(10, lambda: (package / "pipe.py").write_text(""))  # else it would be waited for
    stopped.start()
    began = time.monotonic()
    assert discover_folder(package) == found
    assert time.monotonic() - began < 5
    stopped.cancel()


def test_a_module_alone_is_read() -> None:
    found = discover_package("torch.utils.data.sampler")
    assert "torch.utils.data.sampler:WeightedRandomSampler" in found


@pytest.mark.parametrize(
    ("name", "why"), [("no_such_package", "There is no package"), ("sys", "no source that can be read")]
)
def test_what_is_not_there_is_said(name: str, why: str) -> None:
    with pytest.raises(TargetError, match=why):
        discover_package(name)
