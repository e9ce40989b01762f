"""The start-up of Python processes under ``samplercheck watch``: loaders are watched without a line of code.

``open_hook`` makes a folder whose ``sitecustomize`` each Python process of the job runs first; that calls
``begin``, which waits for torch's loaders to be imported. Imports torch only when the job has.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import sysconfig
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

LEDGER, EXACT, DRILLED = "SAMPLERCHECK_LEDGER", "SAMPLERCHECK_EXACT", "SAMPLERCHECK_DRILLED"
"""Where loaders are watched without a line of code, whether with ids, and where those that a script itself
watches write while it is drilled."""
LOADERS = {
    "torch.utils.data.dataloader": "DataLoader",
    "torchdata.stateful_dataloader.stateful_dataloader": "StatefulDataLoader",
}
SITE = "_samplercheck_site"
HOOK = """\
# Made by samplercheck watch for the time of one job.
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [one for one in sys.path if os.path.abspath(one) != here]
hook = sys.modules.pop("sitecustomize")
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = hook
try:
    from samplercheck.training.startup import begin
except ImportError as error:
    print(f"samplercheck: {sys.executable} is not watched: {error}", file=sys.stderr)
else:
    begin()
"""


@contextmanager
def open_hook(ledger: Path, *, exact: bool) -> Iterator[dict[str, str]]:
    """Yield what the environment of a job needs to be watched; nothing is left when it is over."""
    with tempfile.TemporaryDirectory(prefix="samplercheck-watch-") as folder:
        Path(folder, "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
        yield {"PYTHONPATH": path, LEDGER: str(ledger.resolve()), EXACT: "1" if exact else ""}


def begin() -> None:
    """Watch the loaders of this process, as soon as they are imported."""
    if os.environ.get(LEDGER):
        sys.meta_path.insert(0, _LoaderFinder())


class _LoaderFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of loaders where they are, and changes them when they have been executed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in LOADERS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_watch(module: Any) -> None:
                execute(module)
                watch_class(getattr(module, LOADERS[fullname]))

            spec.loader.exec_module = execute_and_watch  # type: ignore[method-assign]  # of this one loader
        return spec


def watch_all(kind: Any, ledger: str | Path, *, exact: bool) -> None:
    """Watch each loader of a class in this process; where the job is watched or drilled, it is already."""
    if LEDGER not in os.environ:
        os.environ |= {LEDGER: str(Path(ledger).resolve()), EXACT: "1" if exact else ""}
    watch_class(kind)


def watch_class(kind: Any) -> None:
    """Let each loader of a class remember where it was built, and be watched when it is iterated."""
    if kind in _classes:
        return
    _classes.add(kind)
    build, iterate = kind.__init__, kind.__iter__

    @functools.wraps(build)  # trainers that build a loader again ask for the parameters
    def build_and_remember(self: Any, *args: Any, **named: Any) -> None:
        self.__dict__.setdefault(SITE, find_site())
        build(self, *args, **named)
        remember_dataset(self)

    @functools.wraps(iterate)
    def iterate_watched(self: Any) -> Any:
        return pass_over(self, iterate)

    kind.__init__, kind.__iter__ = build_and_remember, iterate_watched


_classes: set[Any] = set()


def find_site() -> str:
    """Return the file and line of the user's code that builds a loader; of a package, where there is none."""
    packages = tuple(
        {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), sysconfig.get_path("stdlib")}
    )
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001  (as for warnings)
    other = None
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith("<") and not name.startswith(packages):
            return f"{Path(name).name}:{frame.f_lineno}"
        is_torch = f"{os.sep}torch" in name or name == __file__
        other = other or (None if is_torch else f"{Path(name).name}:{frame.f_lineno}")
        frame = frame.f_back
    return other or "loader"


_datasets: dict[int, tuple[Any, str]] = {}


def remember_dataset(loader: Any) -> None:
    """Remember where the first loader of a dataset was built, for as long as the dataset lives."""
    try:
        reference = weakref.ref(loader.dataset)
    except TypeError:  # a list, say
        return
    known = _datasets.get(id(loader.dataset))
    if known is None or known[0]() is not loader.dataset:
        _datasets[id(loader.dataset)] = reference, loader.__dict__[SITE]


_names: dict[tuple[str, int | None], str] = {}
_watched: dict[str, Any] = {}


def pass_over(loader: Any, iterate: Callable[[Any], Any]) -> Any:
    """Return a watched pass; loaders built at one place are the same if they are as long as one another.

    Another loader of the same dataset is the same too, unless both are iterated at once: so jobs skip the
    steps of an epoch that they have done.
    """
    from samplercheck.training.watch import WATCHED, watch_again

    if WATCHED in loader.__dict__:  # by the script itself
        return iterate(loader)
    site = loader.__dict__.get(SITE, "loader")
    name = _name(_datasets.get(id(loader.dataset), (None, site))[1], loader)
    other = _watched.get(name)
    if other is not None and other.recorder.is_passing and not other.is_of(loader):
        name = _name(site, loader)
    _watched[name] = watch_again(
        loader, os.environ[LEDGER], exact=bool(os.environ.get(EXACT)), name=name, before=_watched.get(name)
    )
    return _watched[name].start(lambda: iterate(loader))


def _name(site: str, loader: Any) -> str:
    key = (site, _length(loader))
    if key not in _names:
        others = sum(one[0] == site for one in _names)
        _names[key] = f"{site}#{others + 1}" if others else site
    return _names[key]


def _length(loader: Any) -> int | None:
    try:
        return len(loader.dataset)
    except (TypeError, NotImplementedError, AttributeError):
        return None
