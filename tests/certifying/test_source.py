"""The source of a target: the files it is made of, by name and digest, and the state of their tree."""

from __future__ import annotations

import functools
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import samplercheck as sc
from samplercheck.certifying.source import WorkingTree, digest_of, sources_of, state_of
from samplercheck.targets.imports import project_root
from samplercheck.values.errors import UsageError

FILES = {
    "setup.cfg": "",
    "pkg/__init__.py": "",
    "pkg/sub/__init__.py": "from . import near\n",
    "pkg/sub/near.py": "",
    "pkg/base.py": "import unused_elsewhere\nclass Base:\n    pass\n",
    "pkg/late.py": "",
    "pkg/unused.py": "",
    "pkg/samplers.py": (
        "import os, json\nfrom pkg.base import Base\nfrom .sub.near import *\n"
        "class Thing(Base):\n    def __init__(self, length):\n        pass\n"
        "    def __iter__(self):\n        import pkg.late\n        return iter(())\n"
    ),
    "unused_elsewhere.py": "",
    "entry.py": "from pkg.samplers import Thing\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path.resolve()
    for name in [name for name in sys.modules if name.split(".")[0] in ("pkg", "entry", "unused_elsewhere")]:
        del sys.modules[name]


def names(target, place):
    return [one.name for one in sources_of(target, place)[1]]


def test_what_is_imported_from_the_project_belongs_to_the_source_wherever_it_stands(project):
    place = "entry:Thing"
    root, sources = sources_of(sc.target(place), place)
    assert root == project
    assert [one.name for one in sources] == [
        "entry.py",
        "pkg/__init__.py",
        "pkg/base.py",
        "pkg/late.py",
        "pkg/samplers.py",
        "pkg/sub/__init__.py",
        "pkg/sub/near.py",
        "unused_elsewhere.py",
    ]
    assert all(one.sha256 == digest_of(project / one.name) for one in sources)
    assert not any(one.installed for one in sources)


def test_a_changed_base_changes_the_source(project):
    target = sc.target("pkg.samplers:Thing")
    before = sources_of(target, "pkg.samplers:Thing")
    (project / "pkg/base.py").write_text("class Base: ...\n")
    assert sources_of(target, "pkg.samplers:Thing") != before


def test_wrappers_methods_and_instances_lead_to_their_files(project):
    thing = sc.target("pkg.samplers:Thing").factory
    for factory in (functools.partial(thing, length=3), vars(thing)["__iter__"], thing(3).__iter__):
        assert "pkg/samplers.py" in names(sc.target(factory, name="x"), "pkg.samplers:Thing")


def test_the_functions_of_a_contract_belong_to_the_source(project):
    thing = sc.target("pkg.base:Base").factory
    usual = ["pkg/__init__.py", "pkg/base.py", "unused_elsewhere.py"]
    assert names(sc.target(thing, name="x"), "pkg.base:Base") == usual
    for name in ("reference", "batch_rule", "frequencies"):
        (project / f"pkg/of_{name}.py").write_text("def promised(*given): ...\n")
        importlib.invalidate_caches()
        module = f"pkg.of_{name}"
        promised = f"{module}:promised"
        given = promised if name == "reference" else importlib.import_module(module).promised
        contract = sc.Contract(coverage="sampled" if name == "frequencies" else "once", **{name: given})
        target = sc.target(thing, name="x", contract=contract)
        assert names(target, "pkg.base:Base") == sorted([*usual, f"pkg/of_{name}.py"])


def test_the_kits_own_rules_and_references_do_not(project):
    thing = sc.target("pkg.base:Base").factory
    contract = sc.Contract(batch_rule=sc.rules.budget("lengths", 16), reference="torch")
    expected = ["pkg/__init__.py", "pkg/base.py", "unused_elsewhere.py"]
    assert names(sc.target(thing, name="x", contract=contract), "pkg.base:Base") == expected


def test_a_splitter_is_its_own_file_and_not_the_kits(project):
    (project / "split.py").write_text("def split(batch_size, replicas): ...\n")
    place = f"{project / 'split.py'}:split"
    assert names(sc.target(place), place) == ["split.py"]


def test_an_installed_target_is_its_file_and_those_of_its_bases():
    root, sources = sources_of(sc.target("torch.utils.data:DistributedSampler"), "torch.utils.data:x")
    assert root is None
    assert all(one.installed for one in sources)
    assert [one.name for one in sources] == [
        "torch/utils/data/__init__.py",
        "torch/utils/data/distributed.py",
        "torch/utils/data/sampler.py",
    ]


@pytest.mark.parametrize("factory", [range, eval("lambda length: []"), len])
def test_what_no_file_defines_is_refused(factory):
    with pytest.raises(UsageError, match=r"cannot be digested: no file defines .* Define it in a file"):
        sources_of(sc.target(factory if factory is not len else functools.partial(range), name="x"), "m:x")


def test_a_file_that_cannot_be_read_as_python_is_refused(project):
    target = sc.target("pkg.samplers:Thing")
    (project / "pkg/late.py").write_text("def broken(:\n")
    with pytest.raises(UsageError, match=r"late\.py cannot be read as Python"):
        sources_of(target, "pkg.samplers:Thing")


def test_what_is_imported_from_elsewhere_and_not_installed_is_refused(project, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "unused_elsewhere.py").write_text("")
    monkeypatch.syspath_prepend(elsewhere)
    with pytest.raises(UsageError, match=r"elsewhere\.py, which is neither installed nor in its project"):
        names(sc.target("pkg.samplers:Thing"), "pkg.samplers:Thing")


def test_a_repository_is_one_project(project):
    (project / ".git").mkdir()
    (project / "pkg" / "pyproject.toml").touch()
    assert project_root(project / "pkg" / "sub") == project


def test_the_root_is_the_nearest_folder_that_something_marks(tmp_path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").touch()
    assert project_root(deep) == (tmp_path / "a").resolve()
    assert project_root(Path("/")) == Path("/")


# The working tree: its commit, what is changed, what is not known to it


def git(folder, *words):
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", str(folder), *words],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a b.py").write_text("1")
    (tmp_path / "other.py").write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def test_a_clean_tree_has_its_commit_alone(repository):
    (repository / "notes.txt").write_text("no source")
    tree = state_of(repository, ["a b.py"])
    assert len(tree.commit) == 40
    assert tree.changed == ()


def test_changed_files_and_sources_that_are_not_known_are_named(repository):
    (repository / "other.py").write_text("2")
    (repository / "new.py").write_text("1")
    assert state_of(repository, ["a b.py", "new.py"]).changed == ("new.py", "other.py")


def test_without_version_control_there_is_no_state(tmp_path):
    assert state_of(tmp_path, ["a.py"]) == WorkingTree()


def test_a_repository_without_a_commit_cannot_say_which(tmp_path):
    git(tmp_path, "init", "-q")
    with pytest.raises(UsageError, match=r"git cannot say which commit .* Commit something"):
        state_of(tmp_path, [])
