"""pyproject.toml and the environment: what is read, what is refused and how, who overrules whom."""

from __future__ import annotations

import os
import sys
from datetime import date
from pathlib import Path

import pytest

import samplercheck as sc
from samplercheck.running.config import read_config
from samplercheck.running.config.known import known
from samplercheck.running.config.settings import effective, environment, layer
from samplercheck.values.errors import ContractError, UsageError

STRANGER = 12_345
of_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
FACTORY = 'factory = "mypkg.samplers:BucketSampler"'


def give(path, owner, mode=0o755):
    """Make a file or folder somebody's."""
    os.chown(path, owner, owner)
    path.chmod(mode)


@pytest.fixture
def written(tmp_path):
    """Write pyproject.toml and read it."""

    def write(text):
        (tmp_path / "pyproject.toml").write_text(text)
        return read_config(tmp_path)

    return write


@pytest.fixture
def of_target(written):
    """Read the table of one target that has a factory and some more lines."""
    return lambda lines: written(f"[tool.samplercheck.targets.bucket]\n{FACTORY}\n{lines}").target("bucket")


class TestWhichFile:
    def test_without_any_nothing_is_said(self, tmp_path):
        config = read_config(tmp_path)
        assert (config.path, dict(config.settings), dict(config.targets)) == (None, {}, {})

    def test_the_nearest_with_a_section_upwards_is_read(self, written, tmp_path):
        written("[tool.samplercheck]\nseed = 7\n")
        below = tmp_path / "package" / "tests"
        below.mkdir(parents=True)
        (tmp_path / "package" / "pyproject.toml").write_text("[tool.other]\nkey = 1\n")
        found = read_config(below)
        assert found.path == (tmp_path / "pyproject.toml").resolve()
        assert found.choose()["seed"].value == 7

    def test_a_section_that_is_nearer_hides_the_others(self, written, tmp_path):
        written("[tool.samplercheck]\nseed = 7\n")
        below = tmp_path / "package"
        below.mkdir()
        (below / "pyproject.toml").write_text("[tool.samplercheck]\n")
        assert read_config(below).choose()["seed"] == (0, "default")

    @pytest.mark.parametrize(("folder", "file"), [(STRANGER, STRANGER), (0, STRANGER), (STRANGER, 0)])
    @of_root
    def test_what_a_stranger_has_put_above_a_directory_is_refused(self, written, tmp_path, folder, file):
        written("[tool.samplercheck]\n")
        (own := tmp_path / "own").mkdir()
        give(tmp_path, folder, 0o777)
        give(tmp_path / "pyproject.toml", file)
        with pytest.raises(UsageError, match=r"pyproject\.toml is somebody else's"):
            read_config(own)
        (own / "pyproject.toml").write_text("[tool.samplercheck]\nseed = 3\n")
        assert read_config(own).choose()["seed"].value == 3

    @of_root
    def test_the_owner_of_the_directory_one_works_in_is_trusted_as_in_a_container(self, written, tmp_path):
        written("[tool.samplercheck]\nseed = 7\n")
        (below := tmp_path / "package").mkdir()
        for path in (tmp_path, tmp_path / "pyproject.toml", below):
            give(path, STRANGER)
        assert read_config(below).choose()["seed"].value == 7

    @of_root
    def test_where_only_a_group_writes_each_file_may_be_anothers(self, written, tmp_path):
        written("[tool.samplercheck]\nseed = 7\n")
        give(tmp_path / "pyproject.toml", STRANGER)
        assert read_config(tmp_path).choose()["seed"].value == 7

    def test_a_file_that_is_no_toml_is_an_error_that_names_it(self, written, tmp_path):
        with pytest.raises(UsageError, match=r"pyproject\.toml is no TOML: .*line 1"):
            written("[tool.samplercheck\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("profil = 'quick'", r"tool\.samplercheck: key 'profil' does not exist. Did you mean 'profile'\?"),
        ("max_time = 3", r"key 'max_time' does not exist. Did you mean 'max-time'\?"),
        ("profile = 'quik'", r"samplercheck: profile: there is no profile 'quik'. Did you mean 'quick'\?"),
        ("worlds = ['glo']", r"worlds: there is no world 'glo'. Did you mean 'gloo'\?"),
        ("worlds = [1]", r"worlds is \[1\] and has to be text or a list of it"),
        ("seed = -1", r"seed is -1 and has to be a whole number from 0 up\."),
        ("seed = true", r"seed is True and has to be a whole number"),
        ("seed = '3'", r"seed is '3' and has to be a whole number"),
        ("max-ranks = 0", r"max-ranks is 0 and has to be a whole number from 1 up\."),
        ("max-time = 'long'", r"max-time is 'long' and has to be a number of seconds, as in 30\."),
        ("max-time = nan", r"max-time is nan and has to be a number of seconds"),
        ("jobs = 0", r"jobs is 0 and has to be a number from 1 to 1024, or auto"),
        ("shard = 'half'", r"shard is 'half' and has to name a shard: write --shard 2/4"),
        ("max-memory = 'much'", r"max-memory: Size 'much' is no amount of memory"),
        ("targets = 3", r"tool\.samplercheck\.targets is 3 and has to be a table"),
    ],
)
def test_what_means_nothing_in_the_general_table_is_refused(written, text, said):
    with pytest.raises(UsageError, match=said):
        written(f"[tool.samplercheck]\n{text}\n")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("axis = {}", r"targets\.bucket: key 'axis' does not exist. Did you mean 'axes'\?"),
        ("known_failures = {}", r"key 'known_failures' does not exist. Did you mean 'known-failures'\?"),
        ("max-ranks = 3", r"targets\.bucket: key 'max-ranks' does not exist"),
        ("axes = { bucket = 3 }", r"axes: bucket = 3 has to be a list of values, as in \[1, 2, 8\]"),
        ("axes = { bucket = [] }", r"axes: bucket = \[\] has to be a list"),
        ("skip = { SC105 = '' }", r"skip: SC105 needs a reason for the report"),
        ("known-failures = { SC104 = 'n=1' }", r"known-failures\.SC104 is 'n=1' and has to be a table"),
        ("known-failures = { SC104 = { case = 'n=1' } }", r"known-failures\.SC104: reason is missing"),
        (
            "known-failures = { SC104 = { case = 'n=1', reason = 'x', unitl = 2027-01-31 } }",
            r"key 'unitl' does not exist. Did you mean 'until'\?",
        ),
        (
            "known-failures = { SC104 = { case = 'n=1', reason = 'x', until = 3 } }",
            r"known-failures\.SC104: until=3 is no date: write it as '2027-01-31'",
        ),
        (
            "known-failures = { SC104 = { case = 'n=3,wrold=2', reason = 'x' } }",
            r"known-failures\.SC104: .* names no case: .*Did you mean 'world'",
        ),
    ],
)
def test_what_means_nothing_in_the_table_of_a_target_is_refused(of_target, lines, said):
    with pytest.raises(UsageError, match=said):
        of_target(lines)


@pytest.mark.parametrize("text", ["", "factory = 3", "factory = 'mypkg.samplers'", "factory = ':Sampler'"])
def test_a_target_without_a_factory_is_refused(written, text):
    with pytest.raises(UsageError, match=r"targets\.bucket: factory is .* has to name the target"):
        written(f"[tool.samplercheck.targets.bucket]\n{text}\n")


@pytest.mark.parametrize(
    ("given", "contract"),
    [
        ("'evaluation'", sc.Contract.evaluation()),
        ("{ tail = 'drop', tail_unit = 'batch' }", sc.Contract(tail="drop", tail_unit="batch")),
        ("{ preset = 'torch', tail = 'drop' }", sc.Contract.torch(tail="drop")),
        ("{ batch_rule = 'at_least(labels,2)' }", sc.Contract(batch_rule=sc.rules.at_least("labels", 2))),
        ("{}", sc.Contract()),
    ],
)
def test_a_contract_is_a_preset_fields_or_both(of_target, given, contract):
    assert of_target(f"contract = {given}").contract == contract


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("'evalution'", r"contract: there is no preset 'evalution'. Did you mean 'evaluation'\?"),
        ("{ tial = 'drop' }", r"contract: Contract field 'tial' does not exist. Did you mean 'tail'\?"),
        ("{ tail = 'dorp' }", r"contract: Contract field tail='dorp' is not a choice. Did you mean 'drop'\?"),
        ("{ repeats = 2, coverage = 'sampled' }", r"contract: Nothing can keep this contract"),
        ("{ batch_rule = 'os.system' }", r"contract: .*'os.system' is no ready rule: write homogeneous"),
    ],
)
def test_an_impossible_contract_is_refused_with_its_place(of_target, given, said):
    with pytest.raises((ContractError, UsageError), match=rf"pyproject\.toml: tool.*bucket: {said}"):
        of_target(f"contract = {given}")


def test_a_target_has_what_its_table_says(of_target):
    target = of_target(
        "select = 'SC1'\nskip = { SC105 = 'issue 12' }\naxes = { bucket = [1, 4, 64] }\nprofile = 'quick'\n"
        "[tool.samplercheck.targets.bucket.known-failures]\n"
        "SC104 = [{ case = 'n=1,world=2', reason = 'issue 1', until = 2027-01-31 },\n"
        "  { case = 'q7m2xw3k', reason = 'issue 2' }]\n"
    )
    assert (target.factory, target.select, target.skip) == (
        "mypkg.samplers:BucketSampler",
        ("SC1",),
        {"SC105": "issue 12"},
    )
    assert target.axes == {"bucket": [1, 4, 64]}
    assert target.known == {
        "SC104": (
            known("n=1,world=2", reason="issue 1", until=date(2027, 1, 31)),
            known("q7m2xw3k", reason="issue 2"),
        )
    }


def test_a_target_that_is_not_configured_is_refused_with_the_nearest(written):
    config = written(f"[tool.samplercheck.targets.bucket]\n{FACTORY}\n")
    with pytest.raises(UsageError, match=r"No target 'bukcet' is configured in .*Did you mean 'bucket'\?"):
        config.target("bukcet")


class TestBelowTheRoot:
    def test_files_and_stored_cases_are_found_from_anywhere(self, written, tmp_path, monkeypatch):
        config = written("[tool.samplercheck.targets.x]\nfactory = 'lib/samplers.py:Sampler'\n")
        monkeypatch.chdir(tmp_path)
        assert (config.target("x").reference, config.target("x").store) == (
            "lib/samplers.py:Sampler",
            ".samplercheck",
        )
        (tmp_path / "sub").mkdir()
        monkeypatch.chdir(tmp_path / "sub")
        root = tmp_path.resolve()
        assert Path(config.target("x").reference.rpartition(":")[0]) == root / "lib" / "samplers.py"
        assert Path(config.target("x").store) == root / ".samplercheck"

    def test_modules_of_the_project_are_on_the_path_once(self, of_target, tmp_path, monkeypatch):
        target = of_target("")
        monkeypatch.setattr(sys, "path", list(sys.path))
        target.open_path()
        target.open_path()
        assert sys.path.count(str(tmp_path.resolve())) == 1


class TestWhoOverrulesWhom:
    def test_command_line_environment_target_project_default(self, written):
        config = written(
            "[tool.samplercheck]\nprofile = 'nightly'\nseed = 1\nmax-time = 1\nmax-cases = 1\n"
            "[tool.samplercheck.targets.bucket]\nprofile = 'quick'\nseed = 2\nmax-time = 2\n" + FACTORY
        )
        said = layer("command line", {"profile": "strict", "seed": None})
        around = environment({"SAMPLERCHECK_PROFILE": "standard", "SAMPLERCHECK_SEED": "3"})
        chosen = config.choose(said, around, target=config.target("bucket"))
        assert chosen["profile"] == ("strict", "command line")
        assert chosen["seed"] == (3, "SAMPLERCHECK_SEED")
        assert chosen["max-time"] == (2.0, "[tool.samplercheck.targets.bucket]")
        assert chosen["max-cases"] == (1, "[tool.samplercheck]")
        assert chosen["worlds"] == ((), "default")
        assert config.choose()["profile"] == ("nightly", "[tool.samplercheck]")

    def test_every_setting_has_a_value_and_an_origin(self):
        assert effective() == {
            "profile": ("standard", "default"),
            "worlds": ((), "default"),
            "seed": (0, "default"),
            "max-time": (None, "default"),
            "max-cases": (None, "default"),
            "max-ranks": (None, "default"),
            "max-memory": (None, "default"),
            "shard": (None, "default"),
            "jobs": (1, "default"),
            "strict": (False, "default"),
        }


class TestEnvironment:
    def test_it_says_all_settings(self):
        found = environment(
            {
                "SAMPLERCHECK_PROFILE": "quick",
                "SAMPLERCHECK_WORLDS": "simulated, gloo",
                "SAMPLERCHECK_SEED": "5",
                "SAMPLERCHECK_MAX_TIME": "2.5",
                "SAMPLERCHECK_MAX_CASES": "7",
                "SAMPLERCHECK_MAX_RANKS": "3",
                "SAMPLERCHECK_MAX_MEMORY": "1K",
                "SAMPLERCHECK_SHARD": "auto/4",
                "SAMPLERCHECK_JOBS": "auto",
            }
        )
        assert {name: one.value for name, one in found.items()} == {
            "profile": "quick",
            "worlds": ("simulated", "gloo"),
            "seed": 5,
            "max-time": 2.5,
            "max-cases": 7,
            "max-ranks": 3,
            "max-memory": 1024,
            "shard": "auto/4",
            "jobs": "auto",
        }

    def test_what_is_empty_or_the_user_s_own_says_nothing(self):
        own = {"SAMPLERCHECK_SEED": " ", "SAMPLERCHECK_DEADLINE": "3", "SAMPLERCHECK_HOME": "x", "SEED": "4"}
        assert environment(own) == {}

    @pytest.mark.parametrize(
        ("variable", "text", "said"),
        [
            ("SAMPLERCHECK_SEED", "many", r"SAMPLERCHECK_SEED is 'many' and has to be a whole number"),
            ("SAMPLERCHECK_SHARD", "2", r"SAMPLERCHECK_SHARD is 2 and has to name a shard: write"),
            ("SAMPLERCHECK_PROFILE", "quik", r"SAMPLERCHECK_PROFILE: there is no profile 'quik'"),
            ("SAMPLERCHECK_PROFLIE", "quick", r"sets SAMPLERCHECK_PROFLIE.*mean 'SAMPLERCHECK_PROFILE'\?"),
            ("SAMPLERCHECK_WORLD", "gloo", r"sets SAMPLERCHECK_WORLD.*mean 'SAMPLERCHECK_WORLDS'\?"),
        ],
    )
    def test_what_means_nothing_is_refused(self, variable, text, said):
        with pytest.raises(UsageError, match=said):
            environment({variable: text})


@pytest.mark.parametrize("text", ["max-memory = '" + "9" * 5_000 + "G'", "profile = '" + "x" * 50_000 + "'"])
def test_what_is_far_too_long_is_one_short_error(written, text):
    with pytest.raises(UsageError) as caught:
        written(f"[tool.samplercheck]\n{text}\n")
    assert len(str(caught.value)) < 2_000
