"""What a script says and needs: torch and the user's module, nothing of this kit; or no script at all."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.laws import ALL_LAWS
from samplercheck.storage.scripts import script_of
from samplercheck.storage.scripts._checks import CHECKS
from samplercheck.storage.scripts._steps import STEPS
from samplercheck.storage.scripts._table import BY_EXPERIMENT, RECIPES
from samplercheck.storage.store import Store
from samplercheck.targets.provenance import Provenance
from samplercheck.values.finding import Evidence, Failure, Outcome, Violation
from samplercheck.values.report import LawResult
from tests.support.failing import FIXED, TARGET, Project

if TYPE_CHECKING:
    from pathlib import Path

NEXT = ("SC702", "SC705")
LAWS = {law.code: law for law in ALL_LAWS}
CONTRACTS = {
    "plain": sc.Contract(reference="torch", elastic=True, batch_rule="homogeneous(labels)"),
    "advancing": sc.Contract(epochs="advance", tail="keep", ambient_rng="shared", elastic=True),
    "grouped": sc.Contract(tail_unit="group", order="free", batch_rule="at_least(labels,2)"),
    "varying": sc.Contract(batches="variable", tail="drop", batch_rule="budget(lengths,9,padded)"),
    "counting": sc.Contract(resume="consumed", epochs="fixed"),
    "sampled": sc.Contract(coverage="sampled", order="free", epochs="fixed"),
    "subset": sc.Contract(coverage="subset", tail="pad", batches="variable"),
    "endless": sc.Contract(endless=True, epochs="fixed", sharding="none"),
    "repeated": sc.Contract(repeats=2, layout="contiguous", tail="drop"),
    "replicated": sc.Contract(replicas=2, layout="strided"),
}
TRAITS = {
    "sampler": ("set_epoch", "own_set_epoch", "len"),
    "loader": ("set_epoch", "loader", "moves torch", "moves numpy"),
    "stream": ("stream", "own_loader", "loader"),
    "other": (),
}


def imported(text: str) -> set[str]:
    """The packages that a script imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.slow
def test_a_script_runs_where_the_kit_is_not_installed_and_says_what_is_wrong(tmp_path: Path) -> None:
    project = Project(tmp_path)
    script = f".samplercheck/failures/{project.fail()}.py"
    hidden = (
        "import runpy, sys; sys.modules['samplercheck'] = None; runpy.run_path(sys.argv[1], None, '__main__')"
    )
    done = project.python("-c", hidden, script)
    assert done.returncode == 1, done.stderr
    assert "rank 0: [0]\n" in done.stdout
    assert "SC104 equal-steps: in epoch 0 the ranks take [1, 0] samples" in done.stderr
    project.write(FIXED)
    done = project.python("-c", hidden, script)
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / script).read_text()
    module, _, name = TARGET.partition(":")
    module = module.removesuffix(".py")
    assert imported(text) == {"sys", module}
    assert f"from {module} import {name}\n" in text


def test_a_target_that_no_text_names_has_no_script(tmp_path: Path) -> None:
    def local(dataset, rank, world_size):
        return list(range(rank, len(dataset), world_size))

    store = Store(tmp_path)
    report = sc.run(local, profile="quick", select=["SC104"], store=store)
    assert report.failures
    assert [path.suffix for path in store.failures.iterdir()] == [".json"]


def test_every_law_of_the_table_is_one_and_has_steps_and_a_check() -> None:
    assert {key.partition(" ")[0] for key in RECIPES} <= LAWS.keys()
    assert {steps for steps, _ in RECIPES.values()} | {*BY_EXPERIMENT.values()} == STEPS.keys()
    assert {check for _, check in RECIPES.values()} == CHECKS.keys()


def make_scripts(key: str, contract: str, traits: str, *, batched: bool) -> list[str]:
    """Return scripts of made-up failures of a law: at a rank in a later epoch, and of all ranks."""
    code, _, way = key.partition(" ")
    target = sc.target("tests.storage.scripts.wide:everything", contract=CONTRACTS[contract])
    case = sc.Case(length=6, world_size=2, batch_size=2, workers=2)
    found = Violation(
        found='a "quote" and \\ a stroke\nand a line\'s end """ import os',
        rank=0,
        epoch=1,
        step=1,
        indices=(0,),
        experiment=way or "epochs",
        evidence=Evidence(argument="drop_last", way=way or "chain", stops=(1, 2), world_size=3),
    )
    following = replace(found.evidence, kind="next" if code in NEXT else "")
    together = replace(found, rank=None, epoch=0, indices=(0, 1), evidence=following)
    failures = [Failure(case=case, violation=one) for one in (found, together)]
    world = "gloo" if way == "groups" else "simulated"
    failures = [replace(one, world=world) for one in failures]
    results = [LawResult(law=LAWS[code], outcome=Outcome.BROKEN, failure=one) for one in failures]
    provenance = Provenance(
        target=target,
        binding=target.bind(),
        kind="batches" if batched else "samples",
        traits=frozenset(TRAITS[traits]),
        versions={"torch": '1"""'},
    )
    return [script_of(provenance, case, some) for some in (results[:1], results)]


@pytest.mark.parametrize("key", sorted(RECIPES))
def test_a_script_is_python_in_which_every_name_is_known(key: str) -> None:
    for contract in CONTRACTS:
        for traits in TRAITS:
            for text in make_scripts(key, contract, traits, batched=traits != "other"):
                loaded = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
                assert loaded - known_in(text) == set(), text
                assert re.search(r"\$\w|^ *(not )?\w+\? ", text, re.MULTILINE) is None, text
                assert imported(text) <= {*sys.stdlib_module_names, "torch", "numpy", "tests"}


def known_in(text: str) -> set[str]:
    """What is defined in a text: built in, imported, assigned or a parameter."""
    found = {*vars(builtins)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def test_nothing_broken_is_no_script() -> None:
    target = sc.target("tests.cli.targets:sound")
    recording = Provenance(target=target, binding=target.bind())
    assert script_of(recording, sc.Case(length=3), []) == ""
