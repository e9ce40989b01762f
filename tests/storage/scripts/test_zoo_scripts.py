"""Scripts of the zoo's bugs end with 1, and with 0 when the sound twin takes the bug's place.

All laws that a bug breaks are asked, each in a script of its own and those of one case in one script.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch.distributed  # what scripts import: a child that is forked has it already

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.storage.scripts import count_lines, script_of, scripts_of
from samplercheck.storage.store import Store, remove_scripts
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.support.replayed_zoo import place, zoo_file
from tests.zoo.cases import SIMULATED, is_strict, worlds_of, zoo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from samplercheck.targets.provenance import Provenance
    from samplercheck.values.case import Case
    from samplercheck.values.report import LawResult

ROOT = Path(__file__).parents[3]
NO_SCRIPT = dict.fromkeys(
    (
        *("skip_spent_by_the_first_iterator", "skip_spent_in_one_order"),
        *("ended_iterator_begins_again", "loader_spends_the_skip"),
    ),
    "it takes a resumed pass, and a loader to resume beside it",
)
HIDDEN = {("account_kept_in_the_class", "SC801"): "a script has no loader that was given up before"}
SHORT, FAMILIES = 20, ("SC0", "SC1", "SC2", "SC3", "SC4", "SC5", "SC7")
HANG = "SC002"
SAMPLE = {
    "epoch_zero_not_passed_on": "SC505",
    "state_eaten_by_its_reader": "SC703",
    "tidied_up_after_loading": "SC703",
    "batches_dealt_out_unevenly": "SC104",
    "copies_on_one_rank": "SC107",
    "counts_an_abandoned_pass": "SC701",
    "drop_before_shuffle": "SC106",
    "endless_ranks_walk_apart": "SC103",
    "endless_share_of_each_lap": "SC103",
    "epoch_lost_in_pickle": "SC504",
    "every_rank_draws_the_same": "SC103",
    "negative_rank_takes_all": "SC003",
    "padded_from_the_end": "SC307",
    "place_lost_when_saved_after_loading": "SC707",
    "place_restored_from_the_state": "SC705",
    "position_on_the_object": "SC502",
    "second_resume_drift": "SC703",
    "split_into_empty_parts": "SC602",
    "state_of_another_dataset_taken": "SC706",
    "set_epoch_counts_calls": "SC502",
    "static_partition": "SC305",
    "wrapper_without_set_epoch": "SC505",
}
"""Bugs of many kinds that are found in a second or two, and the law that each is run by."""
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="scripts are run in forked children here")
assert torch.distributed.is_available()


class Seen(Store):
    """A store that keeps what scripts are made of."""

    def keep(
        self, target: str, results: Iterable[LawResult], provenance: Provenance | None = None, *_: Any
    ) -> Any:
        """Remember them, and store nothing."""
        del target
        self.found: dict[Case, list[LawResult]] = {}
        self.provenance = provenance
        for result in results:
            if result.failure is not None:
                self.found.setdefault(result.failure.case, []).append(result)
        return {}


def search(slug: str, folder: Path, select: tuple[str, ...] | None = None) -> Seen:
    """Run a bug, by all laws or some."""
    module, store = zoo_file(slug), Seen(folder)
    settings = {"deadlines": Deadlines(seconds=0.25)} if HANG in module.EXPECT else {}
    plan = Plan(
        target=sc.target(place(slug), contract=sc.Contract(**module.CONTRACT), axes=module.AXES),
        profile="quick",
        worlds=worlds_of(module),
        store=store,
        explains=False,
        strict=is_strict(module),
        world_settings=settings,
        **({"select": select} if select else {}),
    )
    carry_out(plan)
    return store


def find_by_law(target: sc.Target, law: str, folder: Path, *, strict: bool = False) -> Seen:
    """Run a target by one law and return what was found."""
    store = Seen(folder)
    plan = Plan(
        target=target,
        profile="quick",
        worlds=SIMULATED,
        select=(law,),
        store=store,
        explains=False,
        strict=strict,
    )
    carry_out(plan)
    return store


def scripts(store: Seen) -> Iterator[tuple[str, str]]:
    """Yield the laws of each script, and its text: each law by itself, and those of a case that share one."""
    assert store.provenance is not None
    for case, results in store.found.items():
        for one in results:
            yield one.code, script_of(store.provenance, case, [one])
        for codes, text in scripts_of(store.provenance, case, results):
            if codes[1:]:
                yield "+".join(codes), text


def status_of(text: str, folder: Path) -> int:
    """Run a script as __main__ in a forked child and return its exit status; a traceback ends with 1."""
    path = folder / "script.py"
    path.write_text(text)
    child = os.fork()
    if not child:
        status = 1
        warnings.simplefilter("default")  # as where a person runs it
        try:
            runpy.run_path(str(path), run_name="__main__")
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:  # noqa: BLE001  (told by its traceback and the status)
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def with_twin(slug: str, text: str) -> str:
    """Return the script with the sound twin in the bug's place."""
    line = f"from tests.zoo.{slug} import bug\n"
    assert text.count(line) == 1
    return text.replace(line, f"from tests.zoo.{slug} import sound as bug\n")


def statuses(slug: str, store: Seen, folder: Path) -> dict[str, tuple[int, int]]:
    """Return how the scripts of a bug end, and with its sound twin, by laws."""
    return {
        laws: (status_of(text, folder), status_of(with_twin(slug, text), folder))
        for laws, text in scripts(store)
    }


@pytest.mark.thorough
@needs_fork
@pytest.mark.parametrize("slug", SAMPLE)
def test_scripts_of_many_kinds_fail_for_the_bug_and_pass_for_its_twin(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    store = search(slug, tmp_path, (SAMPLE[slug],))
    assert statuses(slug, store, tmp_path) == {SAMPLE[slug]: (1, 0)}
    assert [count_lines(text) <= SHORT for _, text in scripts(store)] == [True]


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("slug", sorted({module.SLUG for module in zoo()} - NO_SCRIPT.keys()))
def test_every_script_of_a_bug_fails_and_passes_for_its_sound_twin(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    store = search(slug, tmp_path)
    told = statuses(slug, store, tmp_path)
    found = {laws: ended for laws, ended in told.items() if (slug, laws) not in HIDDEN}
    assert found
    assert found == dict.fromkeys(found, (1, 0))
    if worlds_of(zoo_file(slug)) == SIMULATED:
        lengths = {laws: count_lines(text) for laws, text in scripts(store) if is_short(laws, text)}
        assert {laws: n for laws, n in lengths.items() if n > SHORT} == {}


def is_short(laws: str, text: str) -> bool:
    """Whether a script is of several laws, or of the families whose scripts are short, and of no group."""
    return ("+" in laws or laws[:-2] in FAMILIES) and "init_process_group" not in text


@pytest.mark.thorough
def test_laws_whose_script_would_be_long_have_several_which_their_blocks_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store()
    target = sc.target(place("not_reiterable"))
    select = ("SC102", "SC105", "SC201", "SC304", "SC501", "SC502")
    plan = Plan(
        target=target, profile="quick", worlds=SIMULATED, select=select, store=store, explains=False
    )
    report = carry_out(plan)
    by_case: dict[str, dict[str, str]] = {}
    for one in report.failures:
        assert one.failure is not None
        named = re.search(r"without this kit +python (.+)", one.failure.text)
        assert named is not None
        by_case.setdefault(one.failure.case.id, {})[one.code] = Path(named[1]).name
    (case_id, names), *_ = by_case.items()
    assert names["SC102"] == names["SC105"] == f"{case_id}.py"
    assert names["SC502"] == f"{case_id}-SC502.py"
    assert {path.name for path in store.failures.glob(f"{case_id}*.py")} == set(names.values())
    first = (store.failures / f"{case_id}.py").read_text()
    assert "\nIt breaks SC201, SC304, SC501 and SC502, too, which other scripts show.\n" in first
    assert all(count_lines(path.read_text()) <= SHORT for path in store.failures.glob("*.py"))
    remove_scripts(store.failures, case_id, target.name)
    assert not [*store.failures.glob(f"{case_id}*.py")]


@pytest.mark.slow
@pytest.mark.parametrize("slug", NO_SCRIPT)
def test_where_no_script_could_judge_there_is_none(slug: str, tmp_path: Path) -> None:
    assert {text for _, text in scripts(search(slug, tmp_path))} == {""}
