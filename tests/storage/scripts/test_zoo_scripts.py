"""Scripts of the zoo's bugs end with 1, and with 0 when the sound twin takes the bug's place."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
import torch.distributed  # what scripts import: a child that is forked has it already

from samplercheck.storage.store import Store
from tests.support.replayed_zoo import IN_GROUPS, IN_SIMULATION, keep, place

ROOT = Path(__file__).parents[3]
NO_SCRIPT = dict.fromkeys(
    ("split_evenly", "split_into_empty_parts"), "its reference is not torch's sampler but torch's scatter"
)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="scripts are run in forked children here")
assert torch.distributed.is_available()


def status_of(path: Path) -> int:
    """Run a script as __main__ in a forked child and return its exit status."""
    child = os.fork()
    if not child:
        status = 70
        try:
            runpy.run_path(str(path), run_name="__main__")
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        except BaseException:  # noqa: BLE001  (told by its traceback and the status)
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def scripts(slug: str, law: str, folder: Path) -> tuple[Path, Path]:
    """The script of a bug, and the same with its sound twin."""
    store = Store(folder)
    case = keep(slug, law, store)
    bug = store.failures / f"{case.id}.py"
    sound = bug.with_name("sound.py")
    text = bug.read_text()
    assert text.count(f"PLACE = '{place(slug)}'") == 1
    sound.write_text(text.replace(place(slug), place(slug, "sound")))
    return bug, sound


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("slug", sorted(IN_SIMULATION.keys() - NO_SCRIPT.keys()))
def test_a_script_fails_for_the_bug_and_passes_for_its_sound_twin(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    bug, sound = scripts(slug, IN_SIMULATION[slug], tmp_path)
    assert (status_of(bug), status_of(sound)) == (1, 0)


@pytest.mark.slow
@pytest.mark.gloo
@pytest.mark.parametrize("slug", IN_GROUPS)
def test_a_script_of_what_only_groups_show_starts_processes(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    law, found = IN_GROUPS[slug], []
    for path in scripts(slug, law, tmp_path):
        assert "torch.multiprocessing.spawn" in path.read_text()
        done = subprocess.run(
            [sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=240
        )
        found.append((done.returncode, f"BROKEN  {law}" in done.stdout, f"holds  {law}" in done.stdout))
    assert found == [(1, True, False), (0, False, True)]


@pytest.mark.slow
@pytest.mark.parametrize("slug", NO_SCRIPT)
def test_where_no_script_could_judge_there_is_none(slug: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    keep(slug, IN_SIMULATION[slug], store)
    assert [path.suffix for path in store.failures.iterdir()] == [".json"]
