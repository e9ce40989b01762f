"""Sound samplers with one thing changed in their source: how many of these changes a quick run notices.

By hand, for some minutes: ``python -m tests.quality.source_mutants [NUMBER [SEED [SAMPLER ...]]]``. Drawn
are changes of operators, numbers, conditions and statements in what the samplers of ``tests/sound`` run; each
is judged under the sampler's own contract. Printed is what still holds, to be read by somebody: many of these
do the same or break no promise (another seed, another budget). Each of the others is a bug that is missed.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import samplercheck as sc
from samplercheck.running.child import load_libraries
from samplercheck.search.axes import case_for
from samplercheck.worlds import open_world

HERE = Path(__file__).resolve().parents[2]
NUMBER, SECONDS, LONGEST = 200, 120.0, 70
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
CALLED = {"min": "max", "max": "min", "sorted": "list"}
PLACES = frozenset({"epoch", "rank", "seed", "passes", "start", "position"})
NOT_JUDGED = "check"
"""A function that looks at arguments: what it lets through is no fault of an order."""


class Mutant(NamedTuple):
    """A change of the source of a sampler: what writes the module with it, and the change in words."""

    sampler: str
    module: str
    write: Callable[[], str]
    change: str


def changes_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a piece of code."""
    for kind, change in CHANGES.items():
        if isinstance(node, kind):
            yield from change(copy.deepcopy(node))


def _compare(node: Any) -> Iterator[ast.AST]:
    if type(node.ops[0]) in COMPARED:
        node.ops[0] = COMPARED[type(node.ops[0])]()
        yield node


def _compute(node: Any) -> Iterator[ast.AST]:
    if type(node.op) in COMPUTED:
        node.op = COMPUTED[type(node.op)]()
        yield node


def _join(node: Any) -> Iterator[ast.AST]:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield node


def _count(node: Any) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield from (ast.Constant(node.value + 1), ast.Constant(node.value - 1))


def _negate(node: Any) -> Iterator[ast.AST]:
    node.test = ast.UnaryOp(ast.Not(), node.test)
    yield node


def _assign(node: Any) -> Iterator[ast.AST]:
    yield ast.Assign([node.target], node.value)


def _leave_out(node: Any) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call):
        yield ast.Pass()


def _forget(node: Any) -> Iterator[ast.AST]:
    is_read = isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name) and node.value.id == "self"
    if is_read and node.attr in PLACES:
        yield ast.Constant(0)


def _widen(node: Any) -> Iterator[ast.AST]:
    for part in ("lower", "upper", "step"):
        if getattr(node, part) is not None:
            yield ast.Slice(**{**vars(node), part: None})


def _call_another(node: Any) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Name) and node.func.id in CALLED:
        yield ast.Call(ast.Name(CALLED[node.func.id], ast.Load()), node.args, [])


CHANGES: dict[Any, Callable[[Any], Iterator[ast.AST]]] = {
    ast.Compare: _compare,
    ast.BinOp: _compute,
    ast.BoolOp: _join,
    ast.Constant: _count,
    (ast.If, ast.While, ast.IfExp): _negate,
    ast.AugAssign: _assign,
    (ast.Assign, ast.AugAssign, ast.Expr): _leave_out,
    ast.Attribute: _forget,
    ast.Slice: _widen,
    ast.Call: _call_another,
}


def mutants_of(sampler: str, module: str, path: Path, used: set[tuple[str, int]]) -> Iterator[Mutant]:
    """Yield each change of the functions of a module that the sampler used."""
    tree = ast.parse(path.read_text("utf-8"))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or (function.name, _first_line(function)) not in used:
            continue
        for node in ast.walk(function):
            for new in changes_of(node):
                ast.fix_missing_locations(ast.copy_location(new, node))
                where = f"{path.name}:{getattr(node, 'lineno', function.lineno)} {function.name}"
                change = " -> ".join(" ".join(ast.unparse(one).split())[:LONGEST] for one in (node, new))
                yield Mutant(sampler, module, partial(_write_changed, tree, node, new), f"{where}: {change}")


def _write_changed(tree: ast.Module, old: ast.AST, new: ast.AST) -> str:
    """Return the source of a module with one piece of code in the place of another."""
    return ast.unparse(copy.deepcopy(tree, {id(old): new}))


def _first_line(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def used_by(target: sc.Target) -> dict[str, set[tuple[str, int]]]:
    """Return the functions of ``tests/sound`` and its helpers that a target runs, by their files."""
    found: dict[str, set[tuple[str, int]]] = {}

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        is_ours = "/tests/sound/" in code.co_filename or "/tests/zoo/_" in code.co_filename
        if event == "call" and is_ours and code.co_name not in (NOT_JUDGED, "<module>"):
            found.setdefault(code.co_filename, set()).add((code.co_name, code.co_firstlineno))

    binding = target.bind()
    options = tuple((name, next(iter(values))) for name, values in sorted(binding.axes.items()))
    with open_world("simulated") as world:
        for length in (3, 8):
            places = 1 if binding.contract.sharding == "none" else 2
            case = case_for(binding, length, places, 2, epochs=2, options=options)
            sys.setprofile(note)
            try:
                world.trace(binding, case, ("epochs", "lengths"), "samples")
            finally:
                sys.setprofile(None)
    return found


class _Served(MetaPathFinder):
    """Finds one module in a file of its own."""

    def __init__(self, module: str, path: Path) -> None:
        self.module, self.path = module, path

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.path) if name == self.module else None


def judge(mutant: Mutant, answer: Connection) -> None:
    """Say what a quick run finds in a mutant; one that cannot even be run ends this process."""
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
        path = Path(folder) / f"{mutant.module.rpartition('.')[2]}.py"
        path.write_text(mutant.write(), "utf-8")
        sys.meta_path.insert(0, _Served(mutant.module, path))
        for name in [one for one in sys.modules if one.startswith(("tests.sound", "tests.zoo"))]:
            del sys.modules[name]
        report = sc.run(_targets()[mutant.sampler], profile="quick", worlds=["simulated"], isolate=False)
        answer.send(report.outcome.value)


def _targets() -> dict[str, sc.Target]:
    from tests.sound.samplers import SOUND

    return {
        name: sc.target(factory, name=name, contract=sc.Contract(**promise), axes=axes)
        for name, factory, promise, axes in SOUND
    }


def draw_mutants(number: int, seed: int, names: list[str]) -> list[Mutant]:
    """Return so many mutants, no change twice, of all samplers or of those that are named."""
    found: dict[tuple[str, str], Mutant] = {}
    for name, target in _targets().items():
        if names and name not in names:
            continue
        for filename, used in used_by(target).items():
            path = Path(filename)
            module = ".".join(path.relative_to(HERE).with_suffix("").parts)
            for mutant in mutants_of(name, module, path, used):
                found.setdefault((module, mutant.change), mutant)
    return Random(seed).sample(list(found.values()), min(number, len(found)))


def judge_apart(mutant: Mutant) -> str:
    """Return what a forked process says of a mutant, or why it does not."""
    context = multiprocessing.get_context("fork")
    answer, sender = context.Pipe(duplex=False)
    process = context.Process(target=judge, args=(mutant, sender))
    process.start()
    sender.close()
    try:
        said = str(answer.recv()) if answer.poll(SECONDS) else "too long"
    except EOFError:
        said = "error"
    process.kill()
    process.join()
    return said


def main(number: str = str(NUMBER), seed: str = "0", *names: str) -> None:
    """Print the changes under which everything holds, and how many there are of each kind."""
    load_libraries()
    mutants = draw_mutants(int(number), int(seed), list(names))
    kinds: dict[str, int] = {}
    for mutant in mutants:
        outcome = judge_apart(mutant)
        kinds[outcome] = kinds.get(outcome, 0) + 1
        if outcome not in ("broken", "error"):
            print(f"{outcome:8} {mutant.sampler:24} {mutant.change}", flush=True)
    print(f"{len(mutants)} changes: " + ", ".join(f"{many} {kind}" for kind, many in sorted(kinds.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
