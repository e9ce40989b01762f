"""Misnamed: what to write instead of a reference that names no target, or a file that cannot be imported so.

Called by ``locate`` for the ends of its messages. Looks at names and sources; nothing is imported.
Standard library alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from samplercheck.values.wording import join_words

FOLDERS = ("src", "lib", "python")
"""Where projects keep their packages, which are found there once they are installed."""
MOST_NAMED = 5
NOTEBOOK = (
    " A notebook cannot be imported: call samplercheck.run(YourSampler) in a cell of it, or write the class "
    "to a file (%%writefile samplers.py)."
)
LEAVES = (
    "It ends the process while it is imported, as scripts do that read their arguments: put what only a "
    'script does under if __name__ == "__main__": or put the sampler into a file of its own.'
)


def suggest_target(reference: str) -> str:
    """Return the end of a message for a text that names no target: what it may mean, or nothing."""
    place, colons, attribute = reference.partition("::")
    if colons and place and attribute:
        return f" Did you mean {f'{place}:{attribute}'!r}?"
    if reference.endswith(".ipynb") or ".ipynb:" in reference:
        return NOTEBOOK
    path = Path(reference or "?")
    try:
        if path.is_dir():
            return f" To judge all that is defined below it: samplercheck run --discover {reference}"
        found = list(islice(_find(path), MOST_NAMED + 1))
    except OSError:
        return ""
    more = [*found[:MOST_NAMED], *(["others"] if len(found) > MOST_NAMED else [])]
    return f" Did you mean {join_words(more, last='or')}?" if more else ""


def _find(path: Path) -> Iterator[str]:
    """Yield the targets of a file that a text names, or of a module, or those with such a class."""
    from samplercheck.targets.discovery import discover_folder  # which reads all files here

    file = path if path.suffix == ".py" else path.with_suffix(".py") if "." not in path.name else path
    for one in discover_folder(Path()) if path.name else ():
        place, _, name = one.rpartition(":")
        if Path(place) == file or name == path.name:
            yield one


def suggest_folder(name: str) -> str:
    """Return how a package that lies in a folder of this project is found, or nothing."""
    for folder in map(Path, FOLDERS):
        if (folder / name).is_dir() or (folder / f"{name}.py").is_file():
            return (
                f"It lies in {folder}: install the project (python -m pip install -e .), or put "
                f"PYTHONPATH={folder} before the command."
            )
    return ""


def suggest_import(path: Path | None, error: BaseException, wanted: str) -> str:
    """Return what to do about a module, or a file by its path, that could not be imported; or nothing.

    What is ``wanted`` of it is in the command that finds it.
    """
    if isinstance(error, SystemExit):
        return LEAVES
    if path is None:
        return ""
    home, module = _package_of(path.resolve())
    is_relative = isinstance(error, ImportError) and "relative import" in str(error)
    is_own = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == module[0]
    if len(module) == 1 or not (is_relative or is_own):
        return ""
    before = "" if home == Path.cwd() else f"PYTHONPATH={_from_here(home)} "
    return (
        f"It belongs to the package {module[0]}, so name it by its module:\n\n"
        f"    {before}samplercheck run {'.'.join(module)}:{wanted}\n"
    )


def _package_of(path: Path) -> tuple[Path, list[str]]:
    """Return the folder that the package of a file lies in, and the parts of the module's name."""
    parts, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file():
        parts, folder = [folder.name, *parts], folder.parent
    return folder, parts


def _from_here(folder: Path) -> str:
    here = Path.cwd()
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else str(folder)
