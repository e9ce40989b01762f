"""``report.json`` is written whole or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from samplercheck.storage.report_file import as_json, save
from samplercheck.values.errors import StoreError
from tests.support import handmade

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_holds_the_report_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = save(handmade.mixed(), tmp_path / "deep" / "down")
    assert json.loads(path.read_text()) == handmade.mixed()
    assert [one.name for one in path.parent.iterdir()] == ["report.json"]


def test_saving_again_replaces_the_file(tmp_path: Path) -> None:
    save(handmade.mixed(), tmp_path)
    path = save(handmade.clean(), tmp_path)
    assert path.read_text() == as_json(handmade.clean())


def test_the_text_is_ascii_and_ends_with_a_line_break() -> None:
    report = {**handmade.clean(), "target": "\u00e9 \U0001f600"}
    assert as_json(report).isascii()
    assert as_json(report).endswith("}\n")
    assert json.loads(as_json(report))["target"] == "\u00e9 \U0001f600"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("\udc80", "\\udc80"),
        ("a\ud83d", "a\\ud83d"),
        ("\ud83d\ud83d\ude00", "\\ud83d\U0001f600"),
        ("\ude00\ud83d", "\\ude00\\ud83d"),
        ("\\udc80 and \\\udc80", "\\udc80 and \\\\udc80"),
    ],
    ids=ascii,
)
def test_half_a_surrogate_pair_is_written_as_text_because_other_readers_refuse_it(
    text: str, read: str
) -> None:
    assert json.loads(as_json({"target": text})) == {"target": read}


def test_a_directory_that_is_a_file_is_an_error_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(StoreError, match=r"cannot be written to .*taken.*Name a directory"):
        save(handmade.clean(), tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are of Unix")
def test_a_disk_that_runs_full_leaves_the_earlier_report_intact(tmp_path: Path) -> None:
    path = save(handmade.clean(), tmp_path)
    program = (  # -B: a full disk cuts what is compiled short, too
        "import resource, sys\n"
        "from samplercheck.values.errors import StoreError\n"
        "from samplercheck.storage.report_file import save\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
        "try:\n"
        "    save({'target': 'x' * 100_000}, sys.argv[1])\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "cannot be written" in done.stdout
    assert path.read_text() == as_json(handmade.clean())
    assert [one.name for one in tmp_path.iterdir()] == ["report.json"]
