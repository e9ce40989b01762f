"""``samplercheck watch``: a job's loaders are watched without a line of code, and nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import samplercheck as sc
from samplercheck.training.audit import read_folder
from samplercheck.training.ledger_file import Kind
from samplercheck.training.startup import open_hook
from tests.support.command_line import call
from tests.training.jobs import broken

SCRIPT = Path(__file__).with_name("script.py")
LOOP = """
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
held = DataLoader(torch.arange(8.0), batch_size=4)
for epoch in range(2):
    loader = DataLoader(torch.arange(64.0), batch_size=4, shuffle=True)
    for batch in loader:
        model(batch.reshape(-1, 1) / 64).mean().backward()
        optimizer.step()
    with torch.no_grad():
        list(held)
"""


def watch(folder, *words, **environment):
    with open_hook(folder / "ledger", exact=True) as added:
        run = subprocess.run(
            words, env={**os.environ, **added, **environment}, capture_output=True, text=True, check=False
        )
        assert run.stderr == ""
    assert not Path(added["PYTHONPATH"].split(os.pathsep)[0]).exists()
    return run.returncode


@pytest.mark.thorough
def test_loaders_are_told_apart_by_where_they_were_built(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    assert watch(tmp_path, sys.executable, str(tmp_path / "loop.py")) == 0
    report = sc.audit(tmp_path / "ledger")
    assert report.ok, str(report)
    assert report.target == "loop.py:8"
    assert "loop.py:6: nothing was trained on, not judged" in report.notes
    assert report.tried[0].cases == 2


@pytest.mark.thorough
@pytest.mark.parametrize("under_watch", [False, True])
def test_a_class_of_loaders_is_watched_by_the_script_itself(tmp_path, under_watch):
    first = "import torch\nfrom torch.utils.data import DataLoader\n"
    words = "import samplercheck as sc\nfor _ in range(2):\n    sc.watch(DataLoader, 'own')\n"
    (tmp_path / "loop.py").write_text(LOOP.replace(first, first + words, 1))
    if under_watch:
        assert watch(tmp_path, sys.executable, str(tmp_path / "loop.py")) == 0
    else:
        subprocess.run([sys.executable, "loop.py"], cwd=tmp_path, env=own_environment(), check=True)
    report = sc.audit(tmp_path / ("ledger" if under_watch else "own"))
    assert report.ok, str(report)
    assert (report.target, report.tried[0].cases) == ("loop.py:11", 2)


def own_environment():
    """The environment of a script that imports this very kit from another directory."""
    return {**os.environ, "PYTHONPATH": str(Path(sc.__file__).parents[1])}


@pytest.mark.slow
@pytest.mark.gloo
@pytest.mark.parametrize("fault", ["", "loader-not-saved"])
def test_ranks_under_torchrun_are_watched(tmp_path, fault):
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    asked = [*launch, str(SCRIPT), str(tmp_path), "--bare", *(["--fault", fault] if fault else [])]
    for die in (10, -1):
        call("watch", "--ledger", str(tmp_path / "ledger"), "--exact", "--", *asked, "--die", str(die))
    assert broken(sc.audit(tmp_path / "ledger")) == ({"SC1101", "SC1102"} if fault else set())


def test_the_exit_code_is_the_command_s_and_a_job_without_loaders_is_said(tmp_path):
    done = call("watch", "--ledger", str(tmp_path), "--", sys.executable, "-c", "raise SystemExit(7)")
    assert done.exit_code == 7
    assert "nothing was written" in done.output


def test_a_command_that_does_not_exist_is_said(tmp_path):
    done = call("watch", "--ledger", str(tmp_path), "--", str(tmp_path / "missing"))
    assert done.exit_code == 2
    assert "cannot be run" in " ".join(done.output.split())


def test_a_sitecustomize_of_the_user_is_run_as_well(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('mine')")
    with open_hook(tmp_path / "ledger", exact=False) as added:
        path = os.pathsep.join([added["PYTHONPATH"], str(tmp_path)])
        done = subprocess.run(
            [sys.executable, "-c", "import sys; print('torch' in sys.modules)"],
            env={**os.environ, **added, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout.split() == ["mine", "False"]


AGAIN = """
import inspect
from torch.utils.data import DataLoader
loader = DataLoader(range(8), batch_size=4)
names = [name for name in inspect.signature(type(loader).__init__).parameters if name != "self"]
print(type(loader)(**{name: getattr(loader, name) for name in names[:2]}).batch_size, len(names) > 10)
"""


@pytest.mark.thorough
def test_a_trainer_that_builds_a_loader_again_finds_its_parameters(tmp_path):
    (tmp_path / "again.py").write_text(AGAIN)
    with open_hook(tmp_path / "ledger", exact=False) as added:
        said = subprocess.check_output(
            [sys.executable, str(tmp_path / "again.py")], env={**os.environ, **added}, text=True
        )
    assert said.split() == ["4", "True"]


TWICE = """
import sys
import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = TensorDataset(torch.arange(32.0))
plain = DataLoader(data, batch_size=4)
other = DataLoader(data, batch_size=8)
rest = DataLoader(data, batch_sampler=list(BatchSampler(SequentialSampler(data), 4, False))[3:])
for loader in (rest, plain):
    for (batch,) in loader:
        model(batch.reshape(-1, 1) / 32).mean().backward()
        optimizer.step()
        if loader is plain:
            with torch.no_grad():
                list(other)
"""


@pytest.mark.thorough
def test_loaders_of_one_dataset_are_one_unless_they_are_iterated_at_once(tmp_path):
    (tmp_path / "loop.py").write_text(TWICE)
    assert watch(tmp_path, sys.executable, str(tmp_path / "loop.py")) == 0
    ledgers = read_folder(tmp_path / "ledger")
    cells = {name: [kind for one in of for kind in one.cells["kind"]] for name, of in ledgers.items()}
    batches = {name: kinds.count(Kind.BATCH) for name, kinds in cells.items()}
    assert batches == {"loop.py:8": 5 + 8, "loop.py:9": 8 * 4}
