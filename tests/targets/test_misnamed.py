"""What is said instead of "no target" where a text, a file or a package was nearly right."""

from __future__ import annotations

import pytest

from samplercheck.targets.discovery import discover_package
from samplercheck.targets.locate import locate
from samplercheck.values.errors import TargetError
from tests.support.located import forgetting_imports, said_of

SAMPLERS = (
    "from torch.utils.data import Sampler\n"
    "class FirstSampler(Sampler): ...\n"
    "class OtherSampler(Sampler): ...\n"
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A directory with samplers, a script, and a package in src that imports relatively."""
    package = tmp_path / "src" / "ownpackage" / "data"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package / "near.py").write_text("value = 1\n")
    (package / "relative.py").write_text("from .near import value\n")
    (package / "absolute.py").write_text("from ownpackage.data.near import value\n")
    (tmp_path / "samplers.py").write_text(SAMPLERS)
    (tmp_path / "script.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\np.error('no data')\n"
    )
    monkeypatch.chdir(tmp_path)
    with forgetting_imports():
        yield tmp_path


@pytest.mark.parametrize("reference", ["samplers.py", "samplers", "./samplers.py"])
def test_a_file_without_a_class_is_told_what_it_defines(project, reference):
    said = said_of(reference)
    assert said.endswith("Did you mean samplers.py:FirstSampler or samplers.py:OtherSampler?")


def test_a_class_without_a_file_is_told_where_it_is(project):
    assert said_of("OtherSampler").endswith("Did you mean samplers.py:OtherSampler?")
    assert said_of("NoSuchSampler").endswith("path/to/file.py:attribute.")


def test_a_directory_is_told_how_all_below_it_are_judged(project):
    assert said_of(".").endswith("To judge all that is defined below it: samplercheck run --discover .")


def test_two_colons_as_pytest_writes_them_are_one(project):
    assert said_of("samplers.py::FirstSampler").endswith("Did you mean 'samplers.py:FirstSampler'?")


@pytest.mark.parametrize("reference", ["nb.ipynb", "nb.ipynb:S"])
def test_a_notebook_is_told_to_ask_in_a_cell(project, reference):
    assert "A notebook cannot be imported: call samplercheck.run(YourSampler) in a cell" in said_of(reference)


def test_a_file_that_imports_its_package_is_told_its_module(project):
    for name in ("relative", "absolute"):
        said = said_of(f"src/ownpackage/data/{name}.py:value")
        assert said.endswith(
            "It belongs to the package ownpackage, so name it by its module:\n\n"
            f"    PYTHONPATH=src samplercheck run ownpackage.data.{name}:value\n"
        )


def test_the_command_that_is_told_finds_it(project, monkeypatch):
    monkeypatch.syspath_prepend(str(project / "src"))
    assert locate("ownpackage.data.relative:value") == 1


def test_a_package_below_src_is_told_where_it_lies(project):
    way = "It lies in src: install the project (python -m pip install -e .), or put PYTHONPATH=src before"
    assert said_of("ownpackage.data.near:value").startswith(f"There is no module 'ownpackage'. {way}")
    with pytest.raises(
        TargetError, match=r"There is no package 'ownpackage' here\. It lies in src"
    ) as caught:
        discover_package("ownpackage")
    assert way in str(caught.value)


def test_a_script_that_leaves_is_shown_where_it_does_and_what_to_move(project):
    said = said_of("script.py:X")
    assert "p.error('no data')" in said
    assert "argparse.py" not in said
    assert "SystemExit: 2\nIt ends the process while it is imported" in said
    assert 'if __name__ == "__main__":' in said


def test_a_module_unlike_the_one_that_is_missing_is_not_proposed(project):
    assert "Did you mean" not in said_of("ourpkg.samplers:build")
