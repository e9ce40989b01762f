"""Names in code: what the functions and classes that a target may run mention, read without running any.

Asked whether a target may know its place in the world, start threads, and depend on hashes, which differ from
process to process. What is found at run time alone is not seen. Standard library alone.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from types import CodeType, ModuleType
from typing import Any

LOOKED_AT = 500
"""So many functions and classes are read; what has more of them is not known."""
HASHED = frozenset({"hash", "set", "frozenset"})
THREADED = frozenset({"Thread", "ThreadPoolExecutor"})
MAKES_SET = frozenset({"BUILD_SET", "SET_ADD"})
OF_OBJECTS = frozenset({"LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR"})

if sys.version_info >= (3, 14):
    from annotationlib import Format

    signature_of = partial(inspect.signature, annotation_format=Format.FORWARDREF)
    """The signature of a callable: annotations may name what is imported for type checkers alone."""
else:
    signature_of = inspect.signature


def depends_on_hashes(factory: Any) -> bool:
    """Whether a target's code asks for hashes, or makes sets, whose order may be one of hashes."""
    names = names_behind(factory)
    return names is None or bool(names & HASHED)


def may_start_threads(factory: Any) -> bool:
    """Whether a target's code names what starts threads, for which it may have to wait."""
    return bool((names_behind(factory) or set()) & THREADED)


def numbers_behind(factory: Any) -> set[int]:
    """Return the whole numbers that a target's code holds: it may behave otherwise beyond them."""
    return {int(name) for name in names_behind(factory) or () if name.isdigit()}


def names_behind(factory: Any) -> set[str] | None:
    """Return all names and whole numbers in the code that a factory may run, as texts; None for too much."""
    names: set[str] = set()
    seen: set[int] = set()
    waiting = [factory]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if len(seen) > LOOKED_AT:
            return None
        names.add(getattr(one, "__name__", ""))
        if _is_foreign(one):
            names.add(one.__module__)
        else:
            waiting += _parts_of(one, names)
    return names


def _is_foreign(one: Any) -> bool:
    """Whether something is of torch or Python itself: what it is called says enough."""
    if isinstance(one, partial):
        return False
    top = (getattr(one, "__module__", None) or "").partition(".")[0]
    return top in ("torch", "numpy") or top in sys.stdlib_module_names


def _parts_of(one: Any, names: set[str]) -> Iterator[Any]:
    """Yield what runs with a class, function or object, and add the names in its own code."""
    if isinstance(one, partial):
        yield from (one.func, *one.args, *one.keywords.values())
    elif inspect.ismethod(one):
        yield from (one.__func__, type(one.__self__))
    elif inspect.isclass(one):
        yield from one.__bases__
        # What Python sets itself is no number of the code: from 3.13 on the line where a class begins.
        own = (value for name, value in vars(one).items() if not name.startswith("__"))
        names |= vars(one).keys() | _numbers_in(own)
        yield from _functions_in(vars(one).values())
    elif inspect.isfunction(one):
        said = set(_names_in(one.__code__))
        names |= said | _numbers_in(one.__globals__.get(name) for name in said)
        yield from _found_by(said, one)
    elif _is_cached(one):
        yield one.__wrapped__
    elif callable(one) and not inspect.isbuiltin(one):
        yield type(one)


def _functions_in(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, property):
            yield from (part for part in (value.fget, value.fset) if part)
        elif isinstance(value, (classmethod, staticmethod)):
            yield value.__func__
        elif isinstance(value, cached_property):
            yield value.func
        elif inspect.isfunction(value) or isinstance(value, partial) or _is_cached(value):
            yield value
        elif hasattr(type(value), "__get__"):
            yield type(value)


def _numbers_in(values: Iterable[Any]) -> set[str]:
    rows = (value if isinstance(value, (tuple, list)) else (value,) for value in values)
    return {str(value) for row in rows for value in row if type(value) is int and value >= 0}


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that code uses, and the short texts in it: variables of the environment are texts.

    What code calls its own variables says nothing, what it calls its parameters may.
    """
    for part in _parts_in(code):
        parameters = part.co_varnames[: part.co_argcount + part.co_kwonlyargcount]
        steps = list(dis.get_instructions(part))
        small = (one.argval for one in steps if one.opname == "LOAD_SMALL_INT")  # from Python 3.14 on
        numbers = _numbers_in((*part.co_consts, *small))
        yield from (*part.co_names, *parameters, *part.co_freevars, *numbers)
        yield from (one for one in part.co_consts if isinstance(one, str) and one.isidentifier())
        if any(one.opname in MAKES_SET for one in steps):
            yield "set"


def _only_attributes(code: CodeType) -> set[str]:
    """Return the names that code uses of objects alone: a method is no function of that name."""
    found: set[str] = set()
    others: set[str] = set()
    for part in _parts_in(code):
        others.update(part.co_varnames, part.co_freevars)
        for one in dis.get_instructions(part):
            (found if one.opname in OF_OBJECTS else others).add(str(one.argval))
    return found - others


def _parts_in(code: CodeType) -> Iterator[CodeType]:
    """Yield code and what is nested in it: functions, lambdas and, before Python 3.12, comprehensions."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _parts_in(value)


def _found_by(names: set[str], function: Any) -> Iterator[Any]:
    """Yield the functions and classes that a function refers to, those of modules that it names too."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    known = {**function.__globals__, **{name: _content(cell) for name, cell in cells}}
    loaded = (names & known.keys()) - _only_attributes(function.__code__)
    for value in (getattr(function, "__wrapped__", None), *(known[name] for name in loaded)):
        if isinstance(value, ModuleType):
            yield from filter(_runs, (vars(value)[other] for other in names if other in vars(value)))
        elif _runs(value):
            yield value


def _runs(value: Any) -> bool:
    """Whether something is read when code names it: a function, a class, or what wraps one."""
    return (
        inspect.isfunction(value) or inspect.isclass(value) or isinstance(value, partial) or _is_cached(value)
    )


def _is_cached(value: Any) -> bool:
    """Whether this is a function, or a method of a class, behind functools.lru_cache."""
    return hasattr(value, "cache_info") and inspect.isfunction(getattr(value, "__wrapped__", None))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None
