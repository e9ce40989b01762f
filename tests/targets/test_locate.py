"""From text to what it names, and what each mistake in the text is told."""

from __future__ import annotations

import os
import sys

import pytest

from samplercheck.targets.locate import locate, name_of_file
from tests.support.located import forgetting_imports, said_of


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A directory with a package, as the working directory; what is imported from it is forgotten."""
    package = tmp_path / "locatable"
    (package / "inside").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "inside" / "__init__.py").write_text("class Outer:\n    class Inner: pass\n    value = 3\n")
    (package / "samplers.py").write_text("class BucketSampler: pass\ndef build(n): return range(n)\n")
    (package / "needs_torhc.py").write_text("import torhc\n")
    (package / "half.py").write_text("def build(:\n")
    (package / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    (package / "breaks.py").write_text("def deep():\n    raise RuntimeError('no data here')\n\ndeep()\n")
    broken = tmp_path / "brokenpackage"
    broken.mkdir()
    (broken / "__init__.py").write_text("import torhc\n")
    (broken / "inside.py").write_text("")
    leaving = tmp_path / "leavingpackage"
    leaving.mkdir()
    (leaving / "__init__.py").write_text("raise SystemExit('bye')\n")
    (leaving / "inside.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with forgetting_imports():
        yield tmp_path


# What is found


def test_a_dotted_name_is_found(project):
    assert locate("locatable.samplers:BucketSampler").__name__ == "BucketSampler"
    assert locate("locatable.samplers:build")(2) == range(2)
    assert locate("collections:Counter").__name__ == "Counter"


def test_an_attribute_of_an_attribute_is_found(project):
    assert locate("locatable.inside:Outer.Inner").__name__ == "Inner"
    assert locate("locatable.inside:Outer.value") == 3


def test_a_module_of_the_working_directory_is_found_without_being_on_the_path(project, monkeypatch):
    (project / "only_here.py").write_text("x = 1\n")
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one not in (str(project), "")])
    assert locate("only_here:x") == 1


def test_a_file_is_found_by_its_path_and_loaded_once(project):
    (project / "samplers.py").write_text("made = []\nmade.append(1)\ndef build(): pass\n")
    assert locate("samplers.py:made") == [1]
    made = locate("samplers.py:made")
    assert locate("./samplers.py:made") is locate(f"{project / 'samplers.py'}:made") is made


def test_two_files_of_one_name_do_not_meet(project):
    for folder, value in (("one", 1), ("two", 2)):
        (project / folder).mkdir()
        (project / folder / "samplers.py").write_text(f"value = {value}\n")
    assert (locate("one/samplers.py:value"), locate("two/samplers.py:value")) == (1, 2)


def test_a_file_may_import_its_neighbours(project):
    (project / "sub").mkdir()
    (project / "sub" / "neighbour_of_it.py").write_text("value = 7\n")
    (project / "sub" / "it.py").write_text("from neighbour_of_it import value\n")
    assert locate("sub/it.py:value") == 7


def test_a_class_of_a_file_pickles(project):
    import pickle

    (project / "kinds.py").write_text("class Kind: pass\n")
    kind = locate("kinds.py:Kind")
    assert pickle.loads(pickle.dumps(kind)) is kind


# What is not


@pytest.mark.parametrize("reference", ["", "samplers", "a.b.C", ":x", "a:", "samplers.py"])
def test_text_without_both_halves_names_no_target(reference):
    said = said_of(reference)
    assert f"{reference!r} is not a target" in said
    assert "package.module:attribute or path/to/file.py:attribute" in said


def test_a_misspelt_module_is_told_the_nearest(project):
    said = said_of("locatabel.samplers:build")
    assert "There is no module 'locatabel'. Did you mean 'locatable'?" in said
    assert len(said) < 200


def test_a_module_like_no_other_is_told_where_to_run(project):
    said = said_of("qqzzyyxx:build")
    assert said == (
        "There is no module 'qqzzyyxx'. Run where it can be imported, or write path/to/file.py:attribute."
    )


def test_a_misspelt_module_of_a_package_is_told_the_nearest(project):
    said = said_of("locatable.sampler:build")
    assert "There is no module 'locatable.sampler'. Did you mean 'samplers'?" in said
    assert "Known: breaks, half, inside, leaves, needs_torhc, samplers." in said
    assert "There is no module 'locatable.insid'. Did you mean 'inside'?" in said_of("locatable.insid.deep:x")


def test_a_dot_where_a_colon_belongs_is_told(project):
    said = said_of("locatable.samplers.BucketSampler:build")
    assert "There is no module 'locatable.samplers.BucketSampler'." in said
    assert "'locatable.samplers' is not a package: write locatable.samplers:attribute." in said


def test_a_relative_name_is_no_module(project):
    assert "There is no module ''." in said_of(".samplers:build")


def test_a_misspelt_attribute_is_told_the_nearest(project):
    said = said_of("locatable.samplers:BuketSampler")
    assert said == (
        "locatable.samplers has no attribute 'BuketSampler'. "
        "Did you mean 'BucketSampler'? Known: BucketSampler, build."
    )
    assert "has no attribute 'Iner'. Did you mean 'Inner'?" in said_of("locatable.inside:Outer.Iner")


def test_a_misspelt_file_is_told_the_nearest(project):
    (project / "samplers.py").write_text("")
    (project / "sub").mkdir()
    (project / "sub" / "loaders.py").write_text("")
    assert "There is no file 'sampler.py'. Did you mean 'samplers.py'?" in said_of("sampler.py:build")
    assert "Did you mean 'sub/loaders.py'?" in said_of("sub/loader.py:build")
    assert "There is no file 'nowhere/loader.py'." in said_of("nowhere/loader.py:build")


def test_a_file_is_named_in_letters_and_its_folder_may_be_called_anything(project):
    odd = project / os.fsdecode(b"by\xfftes")
    odd.mkdir()
    for path in (odd / "samplers.py", project / os.fsdecode(b"sam\xffplers.py")):
        path.write_text("def build(): ...")
    assert r"sam\\udcffplers.py' is no name in UTF-8" in said_of(os.fsdecode(b"sam\xffplers.py:build"))
    assert name_of_file(odd / "samplers.py").startswith("samplers_")


@pytest.mark.parametrize("name", ["x" * 5_000, "a\0b", "x/" * 3_000])
def test_a_name_that_can_be_no_file_is_refused_in_short(project, name):
    said = said_of(f"{name}.py:build")
    assert "can be no file" in said
    assert len(said) < 500


def test_a_file_that_is_not_python_is_refused(project):
    (project / "sub").mkdir()
    (project / "sub" / "samplers.txt").write_text("")
    assert "its name must end in .py" in said_of("sub/samplers.txt:build")


# What fails while it is imported


@pytest.mark.parametrize(
    ("module", "shown"),
    [
        ("needs_torhc", ["No module named 'torhc'", "needs_torhc.py", "line 1"]),
        ("half", ["SyntaxError", "half.py", "def build(:"]),
        ("leaves", ["SystemExit: 3", "leaves.py"]),
        ("breaks", ["RuntimeError: no data here", "breaks.py", "in deep", "line 4"]),
    ],
)
def test_a_module_that_fails_is_shown_with_the_place_of_the_fault(project, module, shown):
    for reference in (f"locatable.{module}:build", f"locatable/{module}.py:build"):
        said = said_of(reference)
        assert said.startswith(f"{reference.partition(':')[0]} cannot be imported:\n")
        assert [words for words in shown if words not in said] == []
        assert "locate.py" not in said
        assert said_of(reference) == said


@pytest.mark.parametrize(
    ("package", "shown"),
    [("brokenpackage", "No module named 'torhc'"), ("leavingpackage", "SystemExit: bye")],
)
def test_a_package_that_fails_is_not_called_missing(project, package, shown):
    for reference in (f"{package}:x", f"{package}.inside:x", f"{package}.inside.deeper:x"):
        said = said_of(reference)
        assert said.startswith(f"{package} cannot be imported:\n")
        assert shown in said


def test_ctrl_c_during_an_import_stays_ctrl_c(project):
    (project / "interrupted.py").write_text("raise KeyboardInterrupt\n")
    for reference in ("interrupted:x", "interrupted.py:x"):
        with pytest.raises(KeyboardInterrupt):
            locate(reference)
