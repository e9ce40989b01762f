"""Lines: the line of a target's own code that runs in the cases where a law fails, and in no near case else.

Asked by the engine, which hands in how a case is run. Pure but for the tracing of this process, of which
nothing comes where a debugger or a coverage tool traces it already.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from samplercheck.explain.tellings import FINDERS, TELLS, Telling
from samplercheck.explain.tracing import Line, trace_calls
from samplercheck.targets.imports import INSTALLED, is_standard
from samplercheck.targets.locate import KIT, path_from_here
from samplercheck.values.case import LEAST_REALISTIC, Case
from samplercheck.values.layout import cut_code
from samplercheck.values.wording import RUNS_ALONE

Ran = Mapping[Line, None]
"""The lines that ran, in the order in which each ran last."""

MOST_RUN, FEWEST_HOLDING = 6, 2
FAILING_RAN, NEVER_RAN = f"{RUNS_ALONE} ({{}} compared)", "failing cases skip it ({} compared)"
LONGEST_LINE, MOST_LINES = 90, 4
_INNER = re.compile(r"(?<=[(\[{]) | (?=[)\]}])|,(?= [)\]}])")
"""What stands inside brackets where code goes over several lines."""
_FRAME = re.compile(r"^(.+?):(\d+) in \S+", re.MULTILINE)


class OwnCode:
    """The code that the author of a target can change: of its project, or of the package that it is from.

    An ``adapter`` is the name of a function in the source that builds what another package has.
    """

    def __init__(self, source: str, adapter: str = "") -> None:
        self._source = Path(source).resolve()
        self._adapter = adapter
        self._package = _package_of(self._source)
        self.holds = cache(self._holds)

    def _holds(self, file: str) -> bool:
        """Whether a file is of it."""
        path = Path(file).resolve()
        if self._package is not None:
            return path == self._package or path.is_relative_to(self._package)
        is_others = _package_of(path) is not None or path.is_relative_to(KIT) or is_standard(path)
        return path.is_file() and not is_others

    @contextmanager
    def record(self) -> Iterator[Ran]:
        """Record which of its lines run meanwhile in this thread."""
        lines: dict[Line, None] = {}

        def enter(frame: Any, _event: str, _value: Any) -> Any:
            return note if self.holds(frame.f_code.co_filename) else None

        def note(frame: Any, event: str, _value: Any) -> Any:
            if event == "line":
                place = frame.f_code.co_filename, frame.f_lineno
                lines.pop(place, None)
                lines[place] = None
            return note

        with trace_calls(enter):
            yield lines

    def telling_line(self, what: Telling | None, run: Callable[[], object]) -> str:
        """Return the last of its lines that does something in a run, as text; empty where none does it.

        Of those that change an attribute it is the first one, if a single attribute is changed.
        """
        if what is None or sys.gettrace() is not None:
            return ""
        seen: list[tuple[Line, str, Sequence[Line]]] = []
        with FINDERS[what](self.holds, lambda *noted: seen.append(noted)):
            run()
        names = {name for _, name, _ in seen}
        if len(names) != 1:  # of several attributes nobody knows which one matters
            return ""
        (name,) = names
        line = seen[0 if name else -1][0]
        if what == "once" and _name_function(*line) != "__init__":
            return ""
        asked = {self._line_here(line, callers) for place, _, callers in seen if place == line}
        return f"{_describe(asked.pop() if len(asked) == 1 else line)}; {TELLS[what].format(name)}"

    def _line_here(self, line: Line, callers: Sequence[Line]) -> Line:
        """Return the line of the target's own file that has a function of another one do it, if one has."""
        here = (one for one in (line, *callers) if Path(one[0]).resolve() == self._source)
        return next(here, line)

    def raising_line(self, traceback: str) -> str:
        """Return the last of its lines in a traceback as text; empty where it has none.

        Behind an adapter that is one of the package whose code it calls, unless that is torch.
        """
        lines = _list_lines(traceback)
        own = [line for line in lines if self.holds(line[0])]
        if not own:
            return ""
        behind = lines[len(lines) - lines[::-1].index(own[-1]) :] if self._is_in_adapter(*own[-1]) else []
        package = _package_of(Path(behind[0][0])) if behind else None
        if package is not None and package.name != "torch":
            own = [line for line in behind if _package_of(Path(line[0])) == package]
        return _describe(own[-1])

    def _is_in_adapter(self, path: str, number: int) -> bool:
        around = [node for node in _list_around(path, number) if isinstance(node, ast.FunctionDef)]
        return Path(path).resolve() == self._source and self._adapter in [node.name for node in around]

    def endless_line(self, traceback: str) -> str:
        """Return the loop in which it was stopped, of its own code if possible, or the line if there is none.

        Empty where several loops go round it: nobody knows which one does not end. A ``for`` mostly does.
        """
        own = self._own_lines(traceback)
        own = own or [line for line in _list_lines(traceback) if not is_standard(Path(line[0]))]
        loops = [(path, loop) for path, number in own for loop in _loops_around(path, number)]
        whiles = [(path, loop.lineno) for path, loop in loops if isinstance(loop, ast.While)]
        found = whiles or [(path, loop.lineno) for path, loop in loops]
        return _describe(found[0]) if len(found) == 1 else "" if found else self.raising_line(traceback)

    def _own_lines(self, traceback: str) -> list[Line]:
        return [line for line in _list_lines(traceback) if self.holds(line[0])]

    def deciding_line(
        self,
        failing: Sequence[Case],
        holding: Sequence[Case],
        fails: Callable[[Case], bool | None],
        *,
        beside: Callable[[Case], object] | None = None,
        within: str = "",
    ) -> str:
        """Return the last line that runs in each failing case and in no holding one, or the other way round.

        The nearest cases come first in both. Empty where no line tells them apart. What runs in one of them
        ``beside`` that as well is no such line; one ``within`` functions of a name is asked for, if at all.
        """
        if sys.gettrace() is not None:
            return ""
        broken = list(self._run(failing, fails, expected=True))
        sound = list(self._run(holding, fails, expected=False))
        if not broken or len(sound) < FEWEST_HOLDING:
            return ""
        with self.record() as usual:
            if beside is not None:
                beside(failing[0])
                beside(holding[0])
        for ran, others, which in ((broken, sound, FAILING_RAN), (sound, broken, NEVER_RAN)):
            only = [line for line in ran[0] if all(line in one for one in ran)]
            only = [line for line in only if not any(line in one for one in (*others, usual))]
            only = [line for line in only if not within or _name_function(*line) == within]
            if only:
                tried = len(broken) + len(sound)
                return f"{_describe(only[-1])}; {which.format(tried)}"
        return ""

    def _run(
        self, cases: Sequence[Case], fails: Callable[[Case], bool | None], *, expected: bool
    ) -> Iterator[Ran]:
        for case in cases[:MOST_RUN]:
            with self.record() as lines:
                found = fails(case)
            if found is expected and lines:
                yield lines


def _list_lines(traceback: str) -> list[Line]:
    return [(path, int(number)) for path, number in _FRAME.findall(traceback)]


def _list_around(path: str, number: int) -> list[ast.FunctionDef | ast.For | ast.While]:
    """Return the functions and loops that a line stands in; nothing of a file that cannot be read."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return []
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.For | ast.While)
        and node.lineno <= number <= (node.end_lineno or 0)
    ]


def _loops_around(path: str, number: int) -> list[ast.For | ast.While]:
    """Return the loops of its function that a line stands in."""
    around = _list_around(path, number)
    inner = max((node.lineno for node in around if isinstance(node, ast.FunctionDef)), default=0)
    return [node for node in around if not isinstance(node, ast.FunctionDef) and node.lineno > inner]


def _name_function(path: str, number: int) -> str:
    around = [node for node in _list_around(path, number) if isinstance(node, ast.FunctionDef)]
    return max(around, key=lambda node: node.lineno).name if around else ""


def _package_of(path: Path) -> Path | None:
    """Return the folder, or the file, of the installed package that a file is from."""
    places = [number for number, part in enumerate(path.parts) if part in INSTALLED]
    return Path(*path.parts[: places[-1] + 2]) if places else None


def _describe(line: Line) -> str:
    path, number = line
    source = _statement_at(path, number)
    cut = cut_code(source, LONGEST_LINE)
    return f"{path_from_here(path)}:{number}: {cut}" if cut else f"{path_from_here(path)}:{number}"


def _statement_at(path: str, number: int) -> str:
    """Return the code of a line, with the next ones as far as its brackets go on."""
    source = ""
    for at in range(number, number + MOST_LINES):
        source = " ".join([source, *linecache.getline(path, at).split("#", maxsplit=1)[0].split()]).strip()
        if sum(source.count(one) for one in "([{") <= sum(source.count(one) for one in ")]}"):
            break
    return _INNER.sub("", source)


def order_by_nearness(cases: Sequence[Case], to: Case) -> list[Case]:
    """Return the cases that differ in the fewest settings first; to a realistic one no other is near."""

    def distance(case: Case) -> tuple[int, int, Case]:
        pairs = [(getattr(case, name), getattr(to, name)) for name in Case.__dataclass_fields__]
        steps = sum(abs(a - b) for a, b in pairs if isinstance(a, int) and isinstance(b, int))
        return sum(a != b for a, b in pairs), steps, case

    least = LEAST_REALISTIC if to.is_realistic else min(to.length, 1)
    return sorted((case for case in cases if case.length >= least), key=distance)
