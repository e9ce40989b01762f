"""Parcels: what is rebuilt in a fresh interpreter, by its name or by value."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import types
from functools import partial

import cloudpickle
import pytest
from hypothesis import strategies as st

import samplercheck as sc
from samplercheck.targets.parcel import open_parcel, pack, seal, unpack
from samplercheck.values.errors import TargetError
from tests.targets.importable import Share, share, shifted

CASE = sc.Case.parse("n=7,world=2,batch=1")
# What a rank does with a parcel; nothing of the sender's but the bytes is there.
RECEIVE = """
import json, sys
import samplercheck as sc
from samplercheck.targets.parcel import unpack
binding = unpack(sys.stdin.buffer.read())
case = sc.Case.parse(sys.argv[1])
module = sys.modules.get(binding.factory.__module__) if hasattr(binding.factory, "__module__") else None
print(json.dumps({
    "items": [list(binding.build(case, rank, {})) for rank in range(case.world_size)],
    "by_name": getattr(module, getattr(binding.factory, "__name__", "?"), None) is binding.factory,
    "rule": binding.contract.batch_rule and binding.contract.batch_rule([1, 2], {}),
    "reference": binding.reference and list(binding.reference.build(case, 1, {})),
}))
"""


def received(parcel, cwd, case=CASE):
    """Return what a fresh interpreter makes of a parcel."""
    command = [sys.executable, "-c", RECEIVE, case.token]
    done = subprocess.run(command, input=parcel, capture_output=True, cwd=cwd, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def written(path, text):
    path.write_text(textwrap.dedent(text))
    return path


def imported(name):
    """Import a module that the test has written, without pytest's own way of doing so."""
    return __import__(name)


@pytest.fixture(autouse=True)
def _forget_modules():
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in [name for name in sys.modules if name.startswith("parcel_")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("factory", "items", "by_name"),
    [
        pytest.param(share, [[0, 2, 4, 6], [1, 3, 5]], True, id="function"),
        pytest.param(Share, [[0, 2, 4, 6], [1, 3, 5]], True, id="class"),
        pytest.param(partial(shifted, 1), [[1, 3, 5, 7], [2, 4, 6]], False, id="partial"),
        pytest.param(Share(start=10).build, [[10, 12, 14, 16], [11, 13, 15]], False, id="bound method"),
        pytest.param(lambda rank: [rank], [[0], [1]], False, id="lambda"),
    ],
)
def test_what_a_module_defines_travels(factory, items, by_name, tmp_path):
    answer = received(pack(sc.target(factory).bind()), tmp_path)
    assert (answer["items"], answer["by_name"]) == (items, by_name)


def test_factories_of_a_test_function_travel_with_what_they_close_over(tmp_path):
    offset, numbers = 100, [1, 2]

    class Shifted(Share):
        def __iter__(self):
            return (offset + item for item in super().__iter__())

    def build(rank, world_size, length):
        return [*Shifted(rank, world_size, length), *numbers]

    answer = received(pack(sc.target(build).bind()), tmp_path)
    assert answer["items"] == [[100, 102, 104, 106, 1, 2], [101, 103, 105, 1, 2]]


def test_a_module_travels_by_its_name_though_only_this_process_knew_its_folder(tmp_path):
    (tmp_path / "there").mkdir()
    written(tmp_path / "there" / "parcel_module.py", "def build(rank, length): return [rank, length]")
    sys.path.insert(0, str(tmp_path / "there"))
    binding = sc.target("parcel_module:build").bind()
    assert received(pack(binding), tmp_path) == {
        "items": [[0, 7], [1, 7]],
        "by_name": True,
        "rule": None,
        "reference": None,
    }


def test_a_module_that_another_one_of_its_name_hides_travels_by_value(tmp_path):
    for folder, number in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder / "parcel_twin.py", f"NUMBER = {number}\ndef build(rank): return [NUMBER]")
    sys.path.insert(0, str(tmp_path / "one"))
    build = imported("parcel_twin").build
    sys.path.insert(0, str(tmp_path / "two"))
    answer = received(pack(sc.target(build).bind()), tmp_path)
    assert (answer["items"], answer["by_name"]) == ([[1], [1]], False)


def test_a_module_that_no_file_holds_travels_by_value(tmp_path):
    made = types.ModuleType("parcel_made")
    exec("NUMBER = 5\ndef helper(): return NUMBER\ndef build(rank): return [helper()]", vars(made))
    sys.modules["parcel_made"] = made
    answer = received(pack(sc.target(made.build).bind()), tmp_path)
    assert answer["items"] == [[5], [5]]
    assert "parcel_made" not in cloudpickle.list_registry_pickle_by_value()


def test_a_file_is_loaded_by_its_path_with_its_neighbours(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    written(folder / "parcel_neighbour.py", "def double(items): return [2 * item for item in items]")
    written(
        folder / "parcel_sampler.py",
        """
        import threading
        from parcel_neighbour import double

        LOCK = threading.Lock()  # what a module holds need not travel

        class Mine:
            def __init__(self, rank, world_size, length):
                self.items = double(range(rank, length, world_size))
            def __iter__(self):
                with LOCK:
                    return iter(self.items)
        """,
    )
    binding = sc.target(f"{folder / 'parcel_sampler.py'}:Mine").bind()
    answer = received(pack(binding), tmp_path)
    assert (answer["items"], answer["by_name"]) == ([[0, 4, 8, 12], [2, 6, 10]], True)


@pytest.mark.parametrize("way", ["script", "notebook"])
def test_what_main_defines_travels(way, tmp_path):
    code = """
        import sys
        import samplercheck as sc
        from samplercheck.targets.parcel import pack

        STEP = 3

        class Mine:
            def __init__(self, rank, length):
                self.items = range(rank, length, STEP)
            def __iter__(self):
                return iter(self.items)

        sys.stdout.buffer.write(pack(sc.target(Mine).bind()))
        """
    script = written(tmp_path / "script.py", code)
    runs = f"import __main__; exec({script.read_text()!r}, vars(__main__))"  # cell by cell, without a file
    command = [sys.executable, *([script] if way == "script" else ["-c", runs])]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert received(done.stdout, tmp_path)["items"] == [[0, 3, 6], [1, 4]]


def test_the_contract_travels_with_its_rule_and_its_reference(tmp_path):
    contract = sc.Contract(batch_rule=lambda batch, _: len(batch) < 2, reference=Share)
    answer = received(pack(sc.target(share, contract=contract).bind()), tmp_path)
    assert (answer["rule"], answer["reference"]) == (False, [1, 3, 5])


@pytest.mark.thorough
def test_the_contract_of_torch_keeps_its_reference(tmp_path):
    binding = sc.target(share, contract=sc.Contract.torch()).bind()
    case = sc.Case.parse("n=5,world=2,batch=1")
    assert received(pack(binding), tmp_path, case)["reference"] == [1, 3, 0]


def test_of_the_axes_only_the_names_travel_and_cases_bring_the_values(tmp_path):
    def build(rank, bucket, kind):
        return [rank, bucket, kind]

    binding = sc.target(build, axes={"bucket": st.integers(1, 9), "kind": ["a", "b"]}).bind()
    case = sc.Case(length=2, world_size=1, batch_size=1, options=(("bucket", 4), ("kind", "b")))
    assert received(pack(binding), tmp_path, case)["items"] == [[0, 4, "b"]]
    assert unpack(pack(binding)).axes == {"bucket": (), "kind": ()}


def test_what_cannot_be_rebuilt_is_an_error_that_names_the_target(tmp_path):
    module = written(tmp_path / "parcel_gone.py", "def build(rank): return [rank]")
    sys.path.insert(0, str(tmp_path))
    parcel = pack(sc.target("parcel_gone:build").bind())
    del sys.modules["parcel_gone"]
    module.unlink()
    expected = r"^parcel_gone:build cannot be rebuilt in another process \(ModuleNotFoundError: .*parcel_gone"
    with pytest.raises(TargetError, match=expected):
        unpack(parcel)


def test_a_module_that_leaves_when_it_is_imported_is_an_error(tmp_path):
    module = written(tmp_path / "parcel_leaves.py", "def build(rank): return [rank]")
    sys.path.insert(0, str(tmp_path))
    parcel = pack(sc.target("parcel_leaves:build").bind())
    del sys.modules["parcel_leaves"]
    written(module, "raise SystemExit('not here, in this other process')")
    with pytest.raises(TargetError, match=r"cannot be rebuilt in another process \(SystemExit: not here"):
        unpack(parcel)


def test_things_are_opened_as_they_were_sealed():
    things = {"numbers": [1, 2], "twice": lambda n: 2 * n}
    out = open_parcel(seal("someone's", things))
    assert (out["numbers"], out["twice"](4)) == ([1, 2], 8)
