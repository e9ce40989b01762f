"""The pytest plugin: hooks that map options, marks and items to ``samplercheck.pytesting``.

Loaded into every pytest session where samplercheck is installed, so that each hook first asks
whether it is needed, and nothing is imported before. Imports pytest alone.
"""

from __future__ import annotations

import sys

import pytest

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    Wrapper = Generator[None, Any, Any]

MARK = "samplercheck_laws"
GROUP_MARK = "samplercheck_pg"
ITEMS = "samplercheck.pytesting.items"
SESSION = "samplercheck.pytesting.session"
"""Imported once a session has items of samplercheck, or an option of it."""
SHARED = pytest.StashKey[str]()
SHARED_INPUT = "samplercheck"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the options; all begin with ``--samplercheck``."""
    group = parser.getgroup("samplercheck", "samplercheck: laws of samplers")
    group.addoption(
        "--samplercheck", action="store_true", help="collect the laws of the targets in pyproject.toml too."
    )
    names = "quick, standard, strict, nightly or certify"
    group.addoption("--samplercheck-profile", metavar="NAME", help=f"judge all targets by {names}.")
    group.addoption(
        "--samplercheck-world",
        action="append",
        metavar="NAME",
        help="run all targets in this world: simulated, gloo or nccl; may be given several times.",
    )
    group.addoption(
        "--samplercheck-seed", type=int, metavar="NUMBER", help="seed of the search (default: 0)."
    )
    part = "judge by that part of the cases alone: 2/4, auto or auto/4."
    group.addoption("--samplercheck-shard", metavar="I/N", help=part)
    strict = "fail for laws that stay undecided and for advice of the grade strict."
    group.addoption("--samplercheck-strict", action="store_true", help=strict)
    group.addoption(
        "--samplercheck-report", metavar="DIR", help="write the report of each run to DIR/TARGET/report.json."
    )
    full = "show broken laws with the traceback, every violation and what was tried."
    group.addoption("--samplercheck-full-trace", action="store_true", help=full)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks, and refuse options that mean nothing."""
    config.addinivalue_line("markers", f"{MARK}(suite): made by samplercheck.parametrize_with_laws.")
    config.addinivalue_line("markers", f"{GROUP_MARK}: judges a law of samplercheck in real process groups.")
    names = ("profile", "world", "report", "shard")
    given = ("samplercheck", *(f"samplercheck_{name}" for name in names))
    named = any(one.startswith("samplercheck::") for one in config.args)
    if named or any(config.getoption(name) for name in given):
        from samplercheck.pytesting.options import check_options

        check_options(config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Wrapper:
    """Add the targets of pyproject.toml to the session."""
    report = yield
    if isinstance(collector, pytest.Session) and collector.config.getoption("samplercheck"):
        from samplercheck.pytesting.items import add_configured

        add_configured(collector, report)
    return report


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make the items of a function that is marked."""
    if metafunc.definition.get_closest_marker(MARK) is not None:
        from samplercheck.pytesting.items import parametrize

        parametrize(metafunc)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that use process groups."""
    if "process_group" in getattr(item, "fixturenames", ()):
        from samplercheck.pytesting.fixtures import mark_group_item

        mark_group_item(item)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Plan the runs of the items that are left."""
    if ITEMS in sys.modules:
        from samplercheck.pytesting.session import open_runs

        open_runs(session)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Wrapper:
    """Keep the item while it is run: ``law()`` asks which it is."""
    if item.get_closest_marker(MARK) is None:
        return (yield)
    from samplercheck.pytesting.asking import running

    with running(item):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse tests and known failures that ask for nothing."""
    if item.get_closest_marker(MARK) is not None:
        from samplercheck.pytesting.asking import check_known

        check_known(item)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Wrapper:
    """Fail a test that has passed without judging its law."""
    __tracebackhide__ = True  # also where other plugins fail a test that is none of ours
    result = yield
    if item.get_closest_marker(MARK) is not None:
        from samplercheck.pytesting.asking import check_asked

        check_asked(item)
    return result


@pytest.fixture
def samplercheck(request: pytest.FixtureRequest) -> Any:
    """Judge targets by all laws: ``samplercheck.run(target).raise_for_failures()``."""
    from samplercheck.pytesting.fixtures import Kit

    return Kit(request)


@pytest.fixture(scope="session")
def simulated_world(request: pytest.FixtureRequest) -> Any:
    """Call a function in simulated ranks: ``simulated_world(world_size).run(function)``."""
    from samplercheck.pytesting.fixtures import SimulatedWorlds

    return SimulatedWorlds(request.config)


@pytest.fixture(scope="session")
def process_group(request: pytest.FixtureRequest) -> Generator[Any, None, None]:
    """Call a function in real ranks: ``process_group(world_size, backend="gloo").run(function)``."""
    from samplercheck.pytesting.fixtures import open_groups

    yield from open_groups(request.config)


# What workers of pytest-xdist share: the controller names a directory, each worker sends what it knows.


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Name a directory in which all workers meet; it is made when it is needed."""
    import tempfile
    import uuid

    if node.config.getoption("dist") == "each":  # perhaps other interpreters: each has its own runs
        return
    place = f"{tempfile.gettempdir()}/samplercheck-{uuid.uuid4().hex}"
    node.workerinput[SHARED_INPUT] = node.config.stash.setdefault(SHARED, place)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take in what a worker knows."""
    sent = getattr(node, "workeroutput", {}).get(SHARED_INPUT)
    if sent:
        from samplercheck.pytesting.session import take_in

        take_in(node.config, sent)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send what is known to the controller, or write the reports."""
    if SESSION in sys.modules:
        from samplercheck.pytesting.session import close_runs

        close_runs(session)
    if SHARED in session.config.stash:
        import shutil

        shutil.rmtree(session.config.stash[SHARED], ignore_errors=True)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Add a section on what was run."""
    if SESSION in sys.modules:
        from samplercheck.pytesting.session import write_summary

        write_summary(terminalreporter, config)
