"""The files of examples/cluster: valid for those who read them, and their commands for the command line."""

from __future__ import annotations

import copy
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import click
import jsonschema
import pytest
import yaml

from samplercheck.cli.main import samplercheck
from samplercheck.values.shard import parse_shard

ROOT = Path(__file__).parents[1]
CLUSTER = ROOT / "examples" / "cluster"
SCHEMA = json.loads((ROOT / "tests" / "data" / "kubernetes.json").read_text())
MANIFESTS = sorted(CLUSTER.glob("*.yaml"))
SCRIPTS = sorted([*CLUSTER.glob("*.sbatch"), *CLUSTER.glob("*.sh")])
LAUNCHERS = ("srun", "torchrun", "mpirun")


def commands_in(path: Path) -> list[list[str]]:
    """The command lines of the kit in a file, in words, with what is said of them in comments."""
    text = path.read_text()
    lines = [line.removeprefix("#").strip() for line in text.replace("\\\n", " ").splitlines()]
    if path.suffix == ".yaml":
        job = yaml.safe_load(text)["spec"]
        runner = job.get("trainer") or job["template"]["spec"]["containers"][0]
        *_, last = runner["command"]
        lines += [last if "samplercheck" in last else shlex.join(runner["command"])]
    found = []
    for line in lines:
        begin = re.search(r"\bsamplercheck (run|report)\b", line)
        if begin is not None:
            found.append(shlex.split(line[begin.start() :]))
    return found


@pytest.mark.parametrize("path", [*MANIFESTS, *SCRIPTS], ids=lambda path: path.name)
def test_its_commands_are_ones_that_the_verb_takes(path: Path) -> None:
    found = commands_in(path)
    assert any(words[1] == "run" for words in found)
    for _, verb, *words in found:
        command = samplercheck.get_command(click.Context(samplercheck), verb)
        assert command is not None
        context = command.make_context(verb, words)
        if context.params.get("shard"):
            array = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "16", "SLURM_ARRAY_TASK_MIN": "0"}
            indexed = {"JOB_COMPLETION_INDEX": "3"}
            shard = parse_shard(context.params["shard"], indexed if path.suffix == ".yaml" else array)
            assert shard.parts == (4,)
        elif verb == "run":
            assert context.params["worlds"] == ("attached",)
            assert re.search("|".join(LAUNCHERS), path.read_text())


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_a_manifest_is_valid_and_one_with_a_mistake_is_not(path: Path) -> None:
    manifest = yaml.safe_load(path.read_text())
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(manifest)
    for spoil in (spoil_name, spoil_field, spoil_number):
        spoilt = copy.deepcopy(manifest)
        spoil(spoilt)
        assert not validator.is_valid(spoilt)


def spoil_name(manifest: dict) -> None:
    manifest["metadata"]["name"] = "Not_A_Label"


def spoil_field(manifest: dict) -> None:
    manifest["spec"]["replicas"] = 4


def spoil_number(manifest: dict) -> None:
    spec = manifest["spec"]
    place, name = (spec["trainer"], "numNodes") if "trainer" in spec else (spec, "completions")
    place[name] = str(place[name])


def test_an_indexed_job_names_as_many_shards_as_it_has_pods() -> None:
    job = yaml.safe_load((CLUSTER / "indexed_job.yaml").read_text())["spec"]
    (words, *_) = [words for words in commands_in(CLUSTER / "indexed_job.yaml") if words[1] == "run"]
    assert words[words.index("--shard") + 1] == f"auto/{job['completions']}"
    mounted = [one["name"] for one in job["template"]["spec"]["containers"][0]["volumeMounts"]]
    assert mounted == [one["name"] for one in job["template"]["spec"]["volumes"]]


@pytest.mark.skipif(os.name != "posix", reason="there is no bash here")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_one_that_bash_reads(path: Path) -> None:
    subprocess.run(["bash", "-n", str(path)], check=True)


def test_the_readme_of_the_examples_names_each() -> None:
    text = (ROOT / "examples" / "README.md").read_text()
    there = {f"cluster/{path.name}" for path in CLUSTER.iterdir() if path.is_file()}
    assert there == set(re.findall(r"\]\((cluster/[\w.]+)\)", text))
