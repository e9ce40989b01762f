"""``replay`` from the command line: words, verdicts, exit codes, pruning, who decides what is imported."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.command_line import is_screen
from tests.support.failing import FIXED, FLAKY, TARGET, UNEVEN, Project

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

TOKEN = "SC104?n=1,world=2,batch=1"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project in which a run has failed; tests work on copies of its files."""
    project = Project(tmp_path_factory.mktemp("recorded"))
    project.fail()
    return project


@pytest.fixture
def project(recorded: Project) -> Project:
    """The project as the run has left it, in the same place: a stamp is worth nothing elsewhere."""
    shutil.rmtree(recorded.store.known, ignore_errors=True)
    for path in recorded.directory.iterdir():
        if path.name not in (".samplercheck", recorded.module.name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    kept = recorded.directory.with_name("kept")
    if not kept.exists():
        shutil.copytree(recorded.store.directory, kept)
    shutil.rmtree(recorded.store.directory)
    shutil.copytree(kept, recorded.store.directory)
    recorded.write(UNEVEN)
    return recorded


def the_file(project: Project) -> Path:
    (path,) = project.store.failures.glob("*.json")
    return path


def test_what_still_fails_is_failed_by_id_by_file_by_folder_by_token_and_by_nothing(project: Project) -> None:
    path = the_file(project)
    for words in ((path.stem,), (str(path),), (".samplercheck",), (TOKEN, "--target", TARGET), ()):
        done = project.call("replay", *words)
        assert done.returncode == 1, done.stderr
        assert done.stdout.startswith(f"x FAILED        {path.stem}  SC104")
        assert "Rank 0 yields 1 item, rank 1 yields 0 in epoch 0." in done.stdout
        assert "0 fixed   1 FAILED   0 flaky   0 error" in done.stdout
        assert is_screen(done.stdout)


def test_the_commands_of_a_block_fail_until_the_target_is_fixed(project: Project) -> None:
    done = project.call("run", TARGET, "--profile", "quick", "--select", "SC104", "--verbose")
    block = done.stdout.replace("\\\n", " ")
    labels = ("again", "on another machine", "without this kit")
    found = [re.search(rf"^  {label}  +(.+)$", block, re.MULTILINE) for label in labels]
    commands = [shlex.split(one[1])[1:] for one in found if one]
    assert [words[0] for words in commands] == [
        "replay",
        "replay",
        f".samplercheck/failures/{the_file(project).stem}.py",
    ]
    for text, code in ((UNEVEN, 1), (FIXED, 0)):
        project.write(text)
        ended = [
            project.call(*words) if words[0] == "replay" else project.python(*words) for words in commands
        ]
        assert [one.returncode for one in ended] == [code] * 3, [one.stdout + one.stderr for one in ended]


def test_what_is_stored_is_found_from_any_directory_below(project: Project) -> None:
    path, below = the_file(project), project.directory / "src" / "deep"
    below.mkdir(parents=True)
    for words in ((), (path.stem,), (f"../../.samplercheck/failures/{path.name}",)):
        done = project.call("replay", *words, directory=below)
        assert done.stdout.startswith(f"x FAILED        {path.stem}  SC104"), done.stdout + done.stderr
    assert [one.name for one in below.iterdir()] == []


def test_what_is_fixed_stays_stored_until_it_is_pruned(project: Project) -> None:
    path = the_file(project)
    project.write(FIXED)
    done = project.call("replay")
    assert (done.returncode, done.stdout[:7]) == (0, "+ FIXED"), done.stdout + done.stderr
    assert "The file that defines the target has changed since the" in done.stdout
    assert path.exists()
    done = project.call("replay", "--prune")
    assert done.stdout.endswith(f"removed .samplercheck/failures/{path.name}\n")
    assert list(project.store.failures.iterdir()) == []


def test_what_fails_in_some_runs_alone_is_flaky(project: Project) -> None:
    project.write(FLAKY)
    done = project.call("replay")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("~ FLAKY 1 of 3")


def test_a_target_that_cannot_be_built_is_an_error_and_usage(project: Project) -> None:
    project.write("raise RuntimeError('not today')")
    done = project.call("replay")
    assert (done.returncode, done.stdout[:7]) == (2, "! ERROR"), done.stdout + done.stderr
    assert "not today" in done.stdout


def test_other_versions_than_the_recorded_ones_are_said(project: Project) -> None:
    plain = json.loads(the_file(project).read_text())
    plain["broken"][0]["versions"]["torch"] = "1.13.1"
    the_file(project).write_text(json.dumps(plain))
    assert "Recorded with torch 1.13.1 (now " in project.call("replay").stdout


@pytest.mark.parametrize(
    ("asked", "line", "count", "exit_code"),
    [
        ((), "- ADVICE", "0 FAILED   0 flaky   0 error   1 advice", 0),
        (("--strict",), "x FAILED", "1 FAILED", 1),
    ],
)
def test_what_only_a_strict_run_counts_is_told_as_advice(
    project: Project, asked: tuple[str, ...], line: str, count: str, exit_code: int
) -> None:
    done = project.call("replay", "SC003?n=1,world=2,batch=1", "--target", TARGET, *asked)
    assert (done.returncode, done.stdout.startswith(line)) == (exit_code, True), done.stdout + done.stderr
    assert f"0 fixed   {count}" in done.stdout
    assert "advice" not in done.stdout or not asked


def test_nothing_stored_is_nothing_to_check(tmp_path: Path) -> None:
    done = Project(tmp_path).call("replay")
    assert (done.returncode, done.stdout) == (5, "")
    assert "nothing to replay" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("abcdefgh",), "'abcdefgh' is no stored case, file or folder, and no token"),
        (("nowhere.json",), "nowhere.json is no stored case"),
        ((TOKEN,), "A token names no target: add --target"),
        (("SC104?n=3,wrold=2", "--target", TARGET), "Did you mean 'world'"),
        (("SC14?n=3", "--target", TARGET), "Law 'SC14' does not exist"),
        (("n=3,world=2,bucket!4", "--target", TARGET), "Axis 'bucket' is not a parameter"),
        (
            ("n=99999999999,world=2", "--target", TARGET),
            "Length is 99,999,999,999, and a case that is replayed",
        ),
        (("n=3,world=9999999", "--target", TARGET), "world_size is 9,999,999"),
    ],
)
def test_a_word_that_means_nothing_is_usage_with_the_fix_named(
    project: Project, words: tuple[str, ...], said: str
) -> None:
    done = project.call("replay", *words)
    assert done.returncode in (2, 4)
    assert said in " ".join((done.stderr + done.stdout).split())
    assert "Traceback" not in done.stderr


def test_a_token_without_a_law_asks_all_laws(project: Project) -> None:
    done = project.call("replay", "n=1,world=2,batch=1", "--target", TARGET)
    assert done.returncode == 1
    assert [line[26:31] for line in done.stdout.split("\n") if line.startswith("x FAILED")] == [
        "SC104",
        "SC105",
    ]


def test_a_known_failure_that_still_fails_is_no_fault_and_one_that_is_fixed_is_stale(
    project: Project,
) -> None:
    project.store.known.mkdir()
    the_file(project).rename(project.store.known / the_file(project).name)
    done = project.call("replay")
    assert (done.returncode, "Known: it still fails." in done.stdout) == (0, True), done.stdout
    project.write(FIXED)
    done = project.call("replay")
    assert (done.returncode, "Stale: remove it from the known failures." in done.stdout) == (1, True)


def test_beside_the_baseline_only_new_failures_and_stale_entries_break_a_run(project: Project) -> None:
    project.store.known.mkdir()
    name = the_file(project).name
    the_file(project).rename(project.store.known / name)
    words = ("run", TARGET, "--profile", "quick", "--baseline", "--select")
    done = project.call(*words, "SC104")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"KNOWN   SC104 in the case {name[:8]}: it still fails" in done.stdout
    assert "-----" not in done.stdout
    done = project.call(*words, "SC1")
    assert done.returncode == 1
    assert "BROKEN  Pads too few samples for equal steps" in done.stdout
    project.write(FIXED)
    done = project.call(*words, "SC104")
    assert done.returncode == 1
    assert f"STALE   SC104 in the known failure {name[:8]} holds in this case now:" in done.stdout
    assert done.stdout.endswith("exit 1\n")


def test_a_baseline_that_is_not_there_is_an_error(project: Project) -> None:
    done = project.call("run", TARGET, "--profile", "quick", "--baseline", "--select", "SC104")
    assert done.returncode == 2
    assert "which does not exist" in " ".join(done.stderr.split())


def test_an_emitted_test_fails_until_the_target_is_fixed(project: Project) -> None:
    words = ("--emit-test", "tests/test_regression.py")
    assert "wrote tests/test_regression.py" in project.call("replay", *words).stdout
    asked = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert "1 failed" in project.python(*asked).stdout
    project.write(FIXED)
    assert "1 passed" in project.python(*asked).stdout
    done = project.call("replay", *words)
    assert (done.returncode, "nothing is written over" in " ".join(done.stderr.split())) == (2, True)


# Files that came from elsewhere

ATTACK = """
import pathlib

pathlib.Path("imported").touch()

def uneven(dataset, rank, world_size):
    return []
"""


def a_strangers_file(project: Project, **changes: object) -> Path:
    """A case file as an attacker writes it, unpacked over the project's own store."""
    (project.directory / "attack.py").write_text(ATTACK)
    path = the_file(project)
    plain = json.loads(path.read_text())
    plain["broken"][0].update(changes)
    path.write_text(json.dumps(plain))
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"place": "attack:uneven"},
        {"place": "attack.py:uneven", "target": "attack.py:uneven"},
        {"place": "attack:uneven", "stamp": "0" * 64},
        {"contract": {"reference": "attack:uneven"}},
    ],
    ids=str,
)
def test_what_a_file_alone_names_is_not_imported(project: Project, changes: dict[str, object]) -> None:
    a_strangers_file(project, **changes)
    done = project.call("replay")
    assert (done.returncode, done.stdout[:7]) == (2, "! ERROR"), done.stdout
    assert "a file does not decide what is imported" in " ".join(done.stdout.split())
    assert not (project.directory / "imported").exists()


def test_a_file_may_name_ready_rules_alone(project: Project) -> None:
    for rule, word, said in (
        ("homogeneous(labels)", "x FAILED", "yields 1 item"),
        ("attack.uneven(labels)", "! ERROR", "is no ready rule"),
    ):
        a_strangers_file(project, stamp="", contract={"batch_rule": rule})
        done = project.call("replay", "--target", TARGET)
        assert done.stdout.startswith(word)
        assert said in " ".join(done.stdout.split())
    assert not (project.directory / "imported").exists()


def test_the_command_line_the_configuration_and_tests_may_name_what_a_file_names(project: Project) -> None:
    a_strangers_file(project, stamp="")
    assert project.call("replay").stdout.startswith("! ERROR")
    assert project.call("replay", "--target", TARGET).stdout.startswith("x FAILED")
    config = project.directory / "pyproject.toml"
    config.write_text(f'[tool.samplercheck.targets.mine]\nfactory = "{TARGET}"\n')
    assert project.call("replay").stdout.startswith("x FAILED")
    config.unlink()
    test = project.directory / "test_mine.py"
    test.write_text(
        f"import samplercheck as sc\n\n@sc.parametrize_with_laws({TARGET!r})\ndef test_it(law):\n    law()\n"
    )
    assert project.call("replay").stdout.startswith("x FAILED")
    test.write_text(f"import samplercheck\nNAME = {TARGET!r}\n")
    assert project.call("replay").stdout.startswith("! ERROR")


def test_a_contract_from_a_file_that_others_name_leads_to_no_import_either(project: Project) -> None:
    a_strangers_file(project, contract={"reference": "attack:uneven"})
    done = project.call("replay", "--target", TARGET)
    assert done.stdout.startswith("x FAILED"), done.stdout
    assert "judged without the reference attack:uneven" in " ".join(done.stdout.lower().split())
    assert not (project.directory / "imported").exists()


def test_no_test_is_written_of_a_law_that_lacks_its_reference(project: Project) -> None:
    a_strangers_file(project, law="SC307", contract={"reference": "attack:uneven"})
    done = project.call("replay", "--target", TARGET, "--emit-test", "test_new.py")
    assert done.stdout.startswith("! ERROR")
    assert "there is no test to write" in " ".join(done.stderr.split())
    assert not (project.directory / "test_new.py").exists()


def test_a_file_cannot_write_to_the_terminal_what_it_likes(project: Project) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J"
    a_strangers_file(project, target=f"{TARGET}{evil}", found=evil, place=f"{evil}:x")
    done = project.call("replay")
    assert is_screen(done.stdout)
    assert "\x1b" not in done.stdout + done.stderr


def test_a_folder_of_bad_files_is_read_to_its_end(project: Project) -> None:
    folder = project.directory / "artefact"
    folder.mkdir()
    (folder / "a.json").write_text("{")
    (folder / "b.json").write_bytes(b"[" * 100_000)
    shutil.copy(the_file(project), folder / "c.json")
    done = project.call("replay", "artefact")
    assert done.returncode == 2
    assert done.stdout.count("! ERROR") == 2
    assert done.stdout.count("x FAILED") == 1
