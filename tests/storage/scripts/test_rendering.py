"""What a script says and needs: torch and the user's module, nothing of this kit; or no script at all."""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.experiments import EXPERIMENTS
from samplercheck.laws import ALL_LAWS
from samplercheck.storage.scripts import script_of
from samplercheck.storage.scripts._texts import RECIPES, SECTIONS, STEPS
from samplercheck.storage.store import Store
from samplercheck.targets.provenance import Provenance
from samplercheck.values.finding import Evidence, Failure, Outcome, Violation
from samplercheck.values.report import LawResult
from tests.support.failing import FIXED, TARGET, UNEVEN, Project
from tests.support.tiers import thin_out

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from samplercheck.targets.binding import Binding
    from samplercheck.targets.target import Target

NEXT = ("SC702", "SC705")
WAYS = {"SC703": "chain", "SC704": "afresh", "SC706": "length", "SC707": "saved again"}
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


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The packages that a script imports anywhere."""
    found = set()
    for node in nodes:
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
    assert imported(ast.walk(ast.parse(text))) == {"sys", module}
    assert f"from {module} import {name}\n" in text


@pytest.mark.slow
@pytest.mark.gloo
def test_a_script_of_a_real_group_says_once_and_in_words_which_ranks_wait(tmp_path: Path) -> None:
    project = Project(tmp_path)
    done = project.call("run", TARGET, "--profile", "quick", "--select", "SC902", "--world", "gloo")
    assert done.returncode == 1, done.stderr
    (script,) = project.store.failures.glob("*.py")
    done = project.python(str(script))
    assert done.returncode == 1
    told = {"rank 0: waits for others", "rank 1: has left the epoch"}  # each by a process of its own
    assert all(done.stdout.count(one) == 1 for one in told)
    said = "SC902 finishes-in-step: 1 of 2 ranks wait in a step that the others no longer take"
    assert [line for line in done.stderr.splitlines() if "Warning" not in line] == [said]
    assert imported(ast.walk(ast.parse(script.read_text()))) >= {"torch", "tempfile"}
    assert "import multiprocessing" not in script.read_text()
    project.write(FIXED)
    assert project.python(str(script)).returncode == 0


@pytest.mark.parametrize(
    "file", thin_out(pytest.param(file, id=file) for file in ("my-sampler.py", "01_sampler.py", "queue.py"))
)
def test_a_script_runs_whatever_the_file_of_its_target_is_called(tmp_path: Path, file: str) -> None:
    project = Project(tmp_path)
    name = TARGET.partition(":")[2]
    project.module.rename(tmp_path / file)
    target, store = f"{tmp_path / file}:{name}", Store(tmp_path / "store")
    report = sc.run(target, profile="quick", select=["SC104"], worlds=["simulated"], store=store)
    assert report.failures
    (script,) = store.failures.glob("*.py")
    done = project.python(str(script))
    assert done.returncode == 1
    assert "SC104 equal-steps: in epoch 0 the ranks take [1, 0] samples" in done.stderr
    (tmp_path / file).write_text(FIXED)
    done = project.python(str(script))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "name", thin_out(pytest.param(name, id=name) for name in ("Counter", "chain", "sys", "wrong", "Inner"))
)
def test_a_script_imports_its_target_by_another_name_where_it_uses_that_itself(
    tmp_path: Path, name: str
) -> None:
    project, store = Project(tmp_path), Store(tmp_path / "store")
    project.write(f"{UNEVEN}\n{name} = uneven\n")
    target = f"{project.module}:{name}"
    laws = ["SC102", "SC103", "SC104"]
    assert sc.run(target, profile="quick", select=laws, worlds=["simulated"], store=store).failures
    (script,) = store.failures.glob("*.py")
    done = project.python(str(script))
    assert "SC104 equal-steps: in epoch 0 the ranks take [1, 0] samples" in done.stderr
    project.write(f"{FIXED}\n{name} = uneven\n")
    assert project.python(str(script)).returncode == 0


@pytest.mark.thorough
def test_a_script_builds_what_a_target_of_a_file_stands_for(tmp_path: Path) -> None:
    project, name = Project(tmp_path), TARGET.partition(":")[2]
    declared = f"\nimport samplercheck as sc\ndeclared = sc.target({name}, contract=sc.Contract())\n"
    project.module.write_text(project.module.read_text() + declared)
    store = Store(tmp_path / "store")
    report = sc.run(
        f"{project.module}:declared", profile="quick", select=["SC104"], worlds=["simulated"], store=store
    )
    assert report.failures
    (script,) = store.failures.glob("*.py")
    done = project.python(str(script))
    assert "SC104 equal-steps: in epoch 0 the ranks take [1, 0] samples" in done.stderr
    project.write(FIXED + declared)
    assert project.python(str(script)).returncode == 0


@pytest.mark.thorough
def test_a_target_that_no_text_names_has_no_script(tmp_path: Path) -> None:
    def local(dataset, rank, world_size):
        return list(range(rank, len(dataset), world_size))

    store = Store(tmp_path)
    report = sc.run(local, profile="quick", select=["SC104"], store=store)
    assert report.failures
    assert [path.suffix for path in store.failures.iterdir()] == [".json"]


def test_every_law_of_the_table_is_one_and_has_steps_and_a_check() -> None:
    assert {key.partition(" ")[0] for key in RECIPES} <= LAWS.keys()
    assert {recipe.steps for recipe in RECIPES.values()} == STEPS.keys()
    assert {code for code, recipe in RECIPES.items() if not recipe.check} == {"SC001", "SC904"}


def test_what_a_target_fails_in_is_carried_out_again() -> None:
    of_objects = {"again", "interleaved", "beside", "abandoned", "pickled", "unplaced", "wrapped", "counted"}
    others = {"lengths", "jumps", "seeds", "draws", "workers", "in_step"}
    assert STEPS.keys() & EXPERIMENTS.keys() == of_objects | others


@cache
def bound(contract: str) -> tuple[Target, Binding]:
    """Return a target that takes everything, under a contract."""
    target = sc.target("tests.storage.scripts.wide:everything", contract=CONTRACTS[contract])
    return target, target.bind()


def make_scripts(key: str, contract: str, traits: str, *, batched: bool) -> list[str]:
    """Return scripts of made-up failures of a law: at a rank in a later epoch, and of all ranks."""
    code, _, way = key.partition(" ")
    target, binding = bound(contract)
    case = sc.Case(length=6, world_size=2, batch_size=2, workers=2)
    found = Violation(
        found='a "quote" and \\ a stroke\nand a line\'s end """ import os',
        rank=0,
        epoch=1,
        step=1,
        indices=(0,),
        experiment=way or "epochs",
        evidence=Evidence(
            argument="drop_last", way=way or WAYS.get(code, "plain"), stops=(1, 2), world_size=3
        ),
    )
    following = replace(found.evidence, kind="next" if code in NEXT else "")
    together = replace(found, rank=None, epoch=0, indices=(0, 1), evidence=following)
    failures = [Failure(case=case, violation=one) for one in (found, together)]
    world = "gloo" if way == "groups" else "simulated"
    failures = [replace(one, world=world) for one in failures]
    results = [LawResult(law=LAWS[code], outcome=Outcome.BROKEN, failure=one) for one in failures]
    provenance = Provenance(
        target=target,
        binding=binding,
        kind="batches" if batched else "samples",
        traits=frozenset(TRAITS[traits]),
        versions={"torch": '1"""'},
    )
    return [script_of(provenance, case, some) for some in (results[:1], results)]


@pytest.mark.parametrize("key", sorted(RECIPES))
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_script_is_python_in_which_every_name_is_known(key: str, *, whole: bool) -> None:
    """Under every contract with all kinds of targets or, where not the whole is wanted, with one kind."""
    texts: set[str] = set()
    first = sorted(RECIPES).index(key)
    for place, contract in enumerate(CONTRACTS, first):
        for traits in TRAITS if whole else [sorted(TRAITS)[place % len(TRAITS)]]:
            texts |= {*make_scripts(key, contract, traits, batched=traits != "other")}
    for text in texts:
        nodes = list(ast.walk(ast.parse(text)))
        loaded = {node.id for node in nodes if isinstance(node, ast.Name)}
        assert loaded - known_in(nodes) == set(), text
        assert re.search(r"\$\{|\? ", text) is None, text
        assert imported(nodes) <= {*sys.stdlib_module_names, "torch", "numpy", "tests"}


def test_no_section_takes_the_name_of_another() -> None:
    headings = [heading for heading, _, _ in SECTIONS]
    names = [heading for heading in headings if heading.isidentifier()]
    assert sorted({*names}) == sorted(names)
    assert sum(heading.count("SC") for heading in headings) == len(RECIPES)


def known_in(nodes: Iterable[ast.AST]) -> set[str]:
    """What is defined in a script: built in, imported, assigned or a parameter."""
    found = {*vars(builtins)}
    for node in nodes:
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
    target = sc.target("tests.support.targets:sound")
    recording = Provenance(target=target, binding=target.bind())
    assert script_of(recording, sc.Case(length=3), []) == ""


@pytest.mark.parametrize(("experiment", "has_script"), [("epochs", True), ("knobs", False)])
def test_what_hangs_with_another_argument_than_its_case_has_no_script(
    experiment: str, has_script: bool
) -> None:
    target, binding = bound("plain")
    provenance, case = Provenance(target=target, binding=binding, kind="samples"), sc.Case(length=3)
    hung = Violation(found="it hangs", rank=0, epoch=0, experiment=experiment)
    broken = LawResult(law=LAWS["SC002"], outcome=Outcome.BROKEN, failure=Failure(case=case, violation=hung))
    assert bool(script_of(provenance, case, [broken])) is has_script


STUCK = """
import torch.distributed as dist

class Stuck:
    def __init__(self, length, rank, world_size):
        self.share, self.joined = range(rank, length, world_size), dist.is_initialized()

    def __iter__(self):
        while self.joined:
            pass
        return iter(self.share)
"""


@pytest.mark.slow  # a hang is waited for, 20 s
@pytest.mark.gloo
def test_a_script_of_a_group_all_of_whose_ranks_hang_ends_with_1(tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text(STUCK)
    target, case = sc.target(f"{tmp_path / 'stuck.py'}:Stuck"), sc.Case(length=2)
    provenance = Provenance(target=target, binding=target.bind(), kind="samples")
    failure = Failure(case=case, violation=Violation(found="it hangs", rank=0, epoch=0, experiment="epochs"))
    text = script_of(
        provenance, case, [LawResult(law=LAWS["SC002"], outcome=Outcome.BROKEN, failure=failure)]
    )
    (tmp_path / "script.py").write_text(text)
    for sampler, status in ((STUCK, 1), (STUCK.replace("while", "if"), 0)):
        (tmp_path / "stuck.py").write_text(sampler)
        done = subprocess.run(
            [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, timeout=90, check=False
        )
        assert done.returncode == status, done.stderr


def test_what_follows_from_another_law_of_the_case_is_left_to_that() -> None:
    target, binding = bound("plain")
    provenance, case = Provenance(target=target, binding=binding, kind="samples"), sc.Case(length=3)
    plain = Failure(case=case, violation=Violation(found="it", rank=0, epoch=0, indices=(0,)))
    lost, uneven, unlike = (
        LawResult(law=LAWS[code], outcome=Outcome.BROKEN, failure=replace(plain, follows=follows))
        for code, follows in (("SC102", ""), ("SC104", "SC102"), ("SC401", "SC104"))
    )
    assert script_of(provenance, case, [lost, uneven]) == script_of(provenance, case, [lost])
    assert "SC104" in script_of(provenance, case, [uneven])  # by itself in its case
    assert "SC102" in script_of(provenance, case, [lost, replace(uneven, failure=plain)])
    assert script_of(provenance, case, [replace(uneven, failure=plain), unlike]).count("SC401") == 0
