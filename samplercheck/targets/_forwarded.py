"""What stands behind ``*args`` and ``**kwargs``: the parameters of what they are handed on to.

Called by bindings. Read from the source, and followed only where it leaves no doubt: one call gets them, of
a name that can be looked up, or of what the class inherits from. Calls nothing of the target's.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samplercheck.targets.names import signature_of
from samplercheck.values.errors import TargetError

Parameter = inspect.Parameter
Parameters = dict[str, Parameter]

VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
MOST_STEPS = 12
HARMLESS = ("items", "keys", "values", "copy")
READS = ("pop", "get", "setdefault")


def parameters_of(factory: Callable[..., Any], target: str) -> tuple[list[Parameter], frozenset[str]]:
    """Return the parameters of the factory of a target, and the names of those behind its ``**kwargs``."""
    try:
        own = list(signature_of(factory).parameters.values())
    except (TypeError, ValueError) as error:
        raise TargetError(
            f"{target} has no readable signature ({error}): wrap it in a function that names what it needs."
        ) from None
    found = _with_those_behind(factory, own)
    return found, frozenset(one.name for one in found) - {one.name for one in own}


def _with_those_behind(factory: Callable[..., Any], own: list[Parameter]) -> list[Parameter]:
    behind = _behind(factory, type(None), MOST_STEPS)
    named = {one.name for one in own}
    more = [one for name, one in behind.items() if name not in named]
    if any(one.kind is Parameter.VAR_KEYWORD for one in own):
        return [*own[:-1], *(one.replace(kind=Parameter.KEYWORD_ONLY) for one in more), own[-1]]
    if not more or any(one.kind is Parameter.KEYWORD_ONLY for one in own):
        return own
    plain = [one for one in own if one.kind is not Parameter.VAR_POSITIONAL]
    return [one.replace(kind=Parameter.POSITIONAL_ONLY) for one in (*plain, *more)]


def _behind(factory: Any, kind: type, left: int) -> Parameters:
    """Return the parameters that a factory hands on; ``kind`` is the class that an initialiser builds."""
    if isinstance(factory, functools.partial):
        given = factory.keywords
        found = {} if factory.args else _behind(factory.func, kind, left - 1)
        return {name: one for name, one in found.items() if name not in given}
    factory = inspect.unwrap(factory)
    if isinstance(factory, type):
        kind, factory = factory, factory.__init__  # type: ignore[misc]  # of this very class
    function = inspect.unwrap(factory)
    forward = _forward_of(function) if inspect.isfunction(function) and left else None
    if forward is None:
        return {}
    found = dict(forward.reads)
    called = _called(forward.call.func, function, kind) if forward.call else None
    if forward.call and called is not None:
        passed = _parameters_of_callee(called, kind, left - 1, forward, forward.call)
        found |= {name: one for name, one in passed.items() if name not in found}
    own = signature_of(function).parameters
    return {name: one for name, one in found.items() if name not in own}


@dataclass(frozen=True)
class _Forward:
    """The call that gets ``**kwargs`` (or ``*args``), if any; what is read of them, set and lost."""

    call: ast.Call | None
    reads: Parameters
    taken: frozenset[str]
    by_name: bool


def _parameters_of_callee(
    called: Any, kind: type, left: int, forward: _Forward, call: ast.Call
) -> Parameters:
    """Return what the call leaves open of the parameters of what it calls."""
    try:
        own = list(signature_of(called).parameters.values())
    except (TypeError, ValueError):
        return {}
    if called is not kind and inspect.isfunction(called) and called.__name__ == "__init__":
        own = own[1:]  # the object itself
    before = [one for one in call.args if not isinstance(one, ast.Starred)]
    skipped = len(before) - (_is_unbound(call) and 1)
    named = {one.arg for one in call.keywords if one.arg}
    behind = _behind(called, kind, left)
    unnamed = (*VARIADIC, *([Parameter.POSITIONAL_ONLY] if forward.by_name else []))
    found = {one.name: one for one in own[skipped:] if one.kind not in unnamed} | behind
    return {name: one for name, one in found.items() if name not in named | forward.taken}


def _is_unbound(call: ast.Call) -> bool:
    """Whether an initialiser is called through its class, as in ``Base.__init__(self, ...)``."""
    function = call.func
    through_class = isinstance(function, ast.Attribute) and not isinstance(function.value, ast.Call)
    return through_class and getattr(function, "attr", "") == "__init__"


def _forward_of(function: Any) -> _Forward | None:
    """Return the one call that gets a function's variadic parameters, or what is read of them without any.

    None where several calls get them, or nobody knows what becomes of them.
    """
    kinds = {one.kind: name for name, one in signature_of(function).parameters.items()}
    name, star = kinds.get(Parameter.VAR_KEYWORD), kinds.get(Parameter.VAR_POSITIONAL)
    tree = _tree_of(function) if name or star else None
    if tree is None:
        return None
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    getting = [one for one in calls if _gets(one, name, star)]
    places = {ast.unparse(one.func) for one in getting}
    if len(places) != 1 and (places or not name):
        return None
    reads, taken = _read(tree, name) if name else ({}, frozenset[str]())
    if not getting:  # what is read there may be asked for first, or its absence caught
        reads = {key: one.replace(default=...) for key, one in reads.items()}
    return None if taken is None else _Forward(next(iter(getting), None), reads, taken, by_name=bool(name))


def _gets(call: ast.Call, name: str | None, star: str | None) -> bool:
    if name:
        return any(one.arg is None and _is_name(one.value, name) for one in call.keywords)
    return any(isinstance(one, ast.Starred) and _is_name(one.value, star) for one in call.args)


def _read(tree: ast.AST, name: str) -> tuple[Parameters, frozenset[str] | None]:
    """Return what is read from keywords by its name, and what does not reach the call; None for no idea."""
    reads: Parameters = {}
    taken: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _is_name(node.value, name):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if not isinstance(key, str) and not isinstance(node.ctx, ast.Load):
                return reads, None
            if isinstance(node.ctx, ast.Load) and isinstance(key, str):
                reads.setdefault(key, Parameter(key, Parameter.KEYWORD_ONLY))
            elif isinstance(key, str):
                taken.add(key)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if not _is_name(node.func.value, name) or node.func.attr in HARMLESS:
                continue
            first = node.args[0] if node.args else None
            key = first.value if isinstance(first, ast.Constant) else None
            if node.func.attr in READS and isinstance(key, str):
                default = _default_of(node.func.attr, node.args)
                reads[key] = Parameter(key, Parameter.KEYWORD_ONLY, default=default)
            elif node.func.attr == "update" and first is None:
                taken |= {one.arg for one in node.keywords if one.arg}
            else:
                return reads, None
    return reads, frozenset(taken)


def _default_of(attribute: str, arguments: list[ast.expr]) -> Any:
    """Return what is taken where a keyword is not given: a constant, dots for another value."""
    if len(arguments) == 1:
        return Parameter.empty if attribute == "pop" else None
    return arguments[1].value if isinstance(arguments[1], ast.Constant) else ...


def _is_name(node: ast.AST, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _tree_of(function: Any) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None


def _called(node: ast.expr, function: Any, kind: type) -> Any:
    """Return what a call calls, as far as it can be looked up; None where it cannot."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call):
        is_super = _is_name(node.value.func, "super") and node.attr == "__init__"
        return next(_initialisers_behind(function, kind), None) if is_super else None
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    found = _names_in(function).get(node.id)
    for name in reversed(path):
        found = getattr(found, name, None)
    return found if callable(found) else None


def _initialisers_behind(function: Any, kind: type) -> Iterator[Any]:
    """Yield the initialisers that come after this one in the order of the class that is built."""
    order = getattr(kind, "__mro__", ())
    made = [inspect.unwrap(vars(one).get("__init__", object.__init__)) for one in order]
    own = [place for place, one in enumerate(made) if one is function]
    for one in order[own[0] + 1 : -1] if own else ():  # without object's own
        if "__init__" in vars(one):
            yield vars(one)["__init__"]


def _names_in(function: Any) -> Mapping[str, Any]:
    """Return the names that a function can look up from its surroundings."""
    try:
        found = inspect.getclosurevars(function)
    except (TypeError, ValueError):
        return {}
    return {**found.globals, **found.nonlocals}
