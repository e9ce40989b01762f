"""Collectives in the simulated world give what a process group gives."""

from __future__ import annotations

import math
import pickle
import warnings

import numpy as np
import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing

from samplercheck.worlds.simulation.collectives import SimulatedGroup
from samplercheck.worlds.simulation.results import Request
from tests.worlds.simulation.talking import results_of, talking, trace_of

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # new torch renames collectives
WORLDS = (1, 2, 3)
OPS = {"SUM": sum, "PRODUCT": math.prod, "MIN": min, "MAX": max}


def own(rank: int, size: int, seed: int = 0) -> np.ndarray:
    """What one rank has: a row of three numbers for each rank."""
    return np.random.default_rng([seed, rank]).integers(-9, 10, (size, 3))


def everyone(size: int, seed: int = 0) -> np.ndarray:
    return np.stack([own(rank, size, seed) for rank in range(size)])


def folded(name: str, rows: np.ndarray) -> list[int]:
    """Reduce over the ranks, number by number, in plain Python."""
    return [OPS[name](column) for column in zip(*rows.tolist(), strict=True)]


def as_lists(tensors) -> list:
    return [tensor.tolist() for tensor in tensors]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", WORLDS)
class TestOfTensors:
    def test_broadcast_gives_everyone_the_roots(self, size, seed):
        def act(rank, size):
            given = torch.tensor(own(rank, size, seed))
            dist.broadcast(given, size - 1)
            return given.tolist()

        assert results_of(act, size) == [everyone(size, seed)[-1].tolist()] * size

    @pytest.mark.parametrize("name", OPS)
    def test_all_reduce_folds_number_by_number(self, size, seed, name):
        def act(rank, size):
            given = torch.tensor(own(rank, size, seed)[0])
            dist.all_reduce(given, op=getattr(dist.ReduceOp, name))
            return given.tolist()

        assert results_of(act, size) == [folded(name, everyone(size, seed)[:, 0])] * size

    def test_all_reduce_averages_fractions(self, size, seed):
        def act(rank, size):
            given = torch.tensor(own(rank, size, seed)[0], dtype=torch.float64)
            dist.all_reduce(given, op=dist.ReduceOp.AVG)
            return given.tolist()

        expected = [value / size for value in folded("SUM", everyone(size, seed)[:, 0])]
        assert all(result == pytest.approx(expected) for result in results_of(act, size))

    @pytest.mark.parametrize("name", OPS)
    def test_reduce_gives_the_root_alone(self, size, seed, name):
        def act(rank, size):
            given = torch.tensor(own(rank, size, seed)[0])
            dist.reduce(given, 0, op=getattr(dist.ReduceOp, name))
            return given.tolist()

        results = results_of(act, size)
        assert results[0] == folded(name, everyone(size, seed)[:, 0])
        assert results[1:] == [own(rank, size, seed)[0].tolist() for rank in range(1, size)]

    def test_all_gather_lists_the_ranks_in_order(self, size, seed):
        def act(rank, size):
            lists = [torch.zeros(size, 3, dtype=torch.int64) for _ in range(size)]
            dist.all_gather(lists, torch.tensor(own(rank, size, seed)))
            return as_lists(lists)

        assert results_of(act, size) == [everyone(size, seed).tolist()] * size

    def test_all_gather_into_tensor_joins_the_ranks(self, size, seed):
        def act(rank, size):
            whole = torch.zeros(size * size, 3, dtype=torch.int64)
            dist.all_gather_into_tensor(whole, torch.tensor(own(rank, size, seed)))
            return whole.tolist()

        assert results_of(act, size) == [everyone(size, seed).reshape(-1, 3).tolist()] * size

    def test_gather_lists_the_ranks_at_the_root(self, size, seed):
        def act(rank, size):
            lists = (
                [torch.zeros(size, 3, dtype=torch.int64) for _ in range(size)] if rank == size - 1 else None
            )
            dist.gather(torch.tensor(own(rank, size, seed)), lists, dst=size - 1)
            return as_lists(lists or [])

        assert results_of(act, size) == [[]] * (size - 1) + [everyone(size, seed).tolist()]

    def test_scatter_deals_out_the_roots_rows(self, size, seed):
        def act(rank, size):
            mine = torch.zeros(3, dtype=torch.int64)
            dist.scatter(mine, list(torch.tensor(own(rank, size, seed))) if rank == 0 else None, src=0)
            return mine.tolist()

        assert results_of(act, size) == own(0, size, seed).tolist()

    @pytest.mark.parametrize("name", OPS)
    def test_reduce_scatter_gives_each_rank_its_row(self, size, seed, name):
        def act(rank, size):
            mine = torch.zeros(3, dtype=torch.int64)
            dist.reduce_scatter(
                mine, list(torch.tensor(own(rank, size, seed))), op=getattr(dist.ReduceOp, name)
            )
            return mine.tolist()

        expected = [folded(name, everyone(size, seed)[:, rank]) for rank in range(size)]
        assert results_of(act, size) == expected

    def test_reduce_scatter_tensor_gives_each_rank_its_part(self, size, seed):
        def act(rank, size):
            mine = torch.zeros(3, dtype=torch.int64)
            dist.reduce_scatter_tensor(mine, torch.tensor(own(rank, size, seed)).reshape(-1))
            return mine.tolist()

        assert results_of(act, size) == everyone(size, seed).sum(axis=0).tolist()

    def test_all_to_all_swaps_rows(self, size, seed):
        def act(rank, size):
            rows = [torch.zeros(3, dtype=torch.int64) for _ in range(size)]
            dist.all_to_all(rows, list(torch.tensor(own(rank, size, seed))))
            return as_lists(rows)

        assert results_of(act, size) == everyone(size, seed).transpose(1, 0, 2).tolist()

    def test_all_to_all_single_swaps_rows(self, size, seed):
        def act(rank, size):
            rows = torch.zeros(size, 3, dtype=torch.int64)
            dist.all_to_all_single(rows, torch.tensor(own(rank, size, seed)))
            return rows.tolist()

        assert results_of(act, size) == everyone(size, seed).transpose(1, 0, 2).tolist()

    def test_all_to_all_single_takes_sizes(self, size, seed):
        def act(rank, size):
            # Rank r sends r + 1 rows to each rank, and so gets s + 1 from each rank s.
            given = torch.full(((rank + 1) * size, 2), rank + 10 * seed)
            taken = torch.zeros(sum(range(1, size + 1)), 2, dtype=torch.int64)
            dist.all_to_all_single(taken, given, [one + 1 for one in range(size)], [rank + 1] * size)
            return taken.tolist()

        expected = [[one + 10 * seed] * 2 for one in range(size) for _ in range(one + 1)]
        assert results_of(act, size) == [expected] * size


@pytest.mark.parametrize("size", WORLDS)
class TestOfObjects:
    """Objects of different sizes, so that torch pads the buffers in which it sends them."""

    def test_all_gather_object(self, size):
        def act(rank, size):
            gathered = [None] * size
            dist.all_gather_object(gathered, {"rank": rank, "pad": "x" * 100 * rank})
            return gathered

        expected = [{"rank": rank, "pad": "x" * 100 * rank} for rank in range(size)]
        assert results_of(act, size) == [expected] * size

    def test_broadcast_object_list(self, size):
        def act(rank, size):
            objects = [("from", rank), "y" * rank]
            dist.broadcast_object_list(objects, src=size - 1)
            return objects

        assert results_of(act, size) == [[("from", size - 1), "y" * (size - 1)]] * size

    def test_gather_object(self, size):
        def act(rank, size):
            gathered = [None] * size if rank == 0 else None
            dist.gather_object("z" * 50 * rank, gathered, dst=0)
            return gathered

        assert results_of(act, size) == [["z" * 50 * rank for rank in range(size)]] + [None] * (size - 1)

    def test_scatter_object_list(self, size):
        def act(rank, size):
            mine = [None]
            dist.scatter_object_list(
                mine, [("to", one, "w" * 70 * one) for one in range(size)] if rank == 0 else None
            )
            return mine[0]

        assert results_of(act, size) == [("to", one, "w" * 70 * one) for one in range(size)]


class TestWaiting:
    @pytest.mark.parametrize("wait", [dist.barrier, dist.monitored_barrier])
    def test_barriers_let_all_ranks_through(self, wait):
        trace = trace_of(talking(lambda rank, size: wait()), world_size=3)
        assert [one.items.tolist() for one in trace.epochs[0].passes] == [[0, 3], [1], [2]]
        assert [record.notes["collectives"] for record in trace.of("epochs")] == [1, 1, 1]

    def test_async_work_is_complete_at_once(self):
        def act(rank, size):
            given = torch.tensor([rank + 1])
            work = dist.all_reduce(given, async_op=True)
            future = work.get_future().wait()
            return (
                work.wait(),
                work.is_completed(),
                given.item(),
                future[0].item(),
                dist.barrier(async_op=True).wait(),
            )

        assert results_of(act, 2) == [(True, True, 3, 3, True)] * 2

    def test_several_collectives_follow_one_another(self):
        def act(rank, size):
            total = torch.tensor([rank + 1.0])
            for _ in range(4):
                dist.all_reduce(total)
            return total.item()

        assert results_of(act, 3) == [6.0 * 27] * 3


class TestTensorsOfAllSorts:
    @pytest.mark.parametrize(
        "dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.uint8]
    )
    def test_the_type_stays(self, dtype):
        def act(rank, size):
            given = torch.tensor([rank + 1, 2], dtype=dtype)
            dist.all_reduce(given)
            return given.dtype, given.tolist()

        assert results_of(act, 2) == [(dtype, [3, 4])] * 2

    @pytest.mark.parametrize(
        ("name", "expected"),
        [("SUM", [True, True, False]), ("PRODUCT", [False, True, False]), ("MAX", [1, 1, 0])],
    )
    def test_truth_values_stay_truth_values(self, name, expected):
        def act(rank, size):
            given = torch.tensor([rank == 0, True, False])
            dist.all_reduce(given, op=getattr(dist.ReduceOp, name))
            return given.tolist()

        assert results_of(act, 2) == [expected] * 2

    def test_views_with_gaps_are_written(self):
        def act(rank, size):
            whole = torch.tensor([rank, 7, rank, 7])
            dist.all_reduce(whole[::2])
            return whole.tolist()

        assert results_of(act, 3) == [[3, 7, 3, 7]] * 3

    def test_empty_and_single_values(self):
        def act(rank, size):
            nothing, one = torch.zeros(0), torch.tensor(rank)
            dist.all_reduce(nothing)
            dist.all_reduce(one)
            return nothing.tolist(), one.item()

        assert results_of(act, 3) == [([], 3)] * 3

    def test_not_a_number_is_no_difference_between_runs(self):
        def act(rank, size):
            given = torch.tensor([math.nan])
            dist.all_reduce(given)
            dist.barrier()
            return math.isnan(given.item())

        assert results_of(act, 2) == [True, True]


@pytest.mark.parametrize("made", ["by the stand-in", "by torch"])
class TestNewGroups:
    @pytest.fixture(autouse=True)
    def _as_torch_does(self, made, monkeypatch):
        """Older versions of torch ask the backend for a new group, newer ones the group of the world."""
        if made == "by torch":
            monkeypatch.delattr(SimulatedGroup, "new_group")

    @pytest.mark.parametrize("arguments", [{}, {"ranks": range(3)}, {"backend": "nccl"}, {"backend": "gloo"}])
    def test_of_all_ranks_carry_collectives(self, arguments):
        def act(rank, size):
            group = dist.new_group(**arguments)
            given = torch.tensor([rank])
            dist.all_reduce(given, group=group)
            return given.item(), dist.get_rank(group), dist.get_world_size(group), dist.get_backend(group)

        backend = arguments.get("backend", "gloo")
        assert results_of(act, 3) == [(3, rank, 3, backend) for rank in range(3)]

    def test_of_some_ranks_leave_the_others_out(self):
        def act(rank, size):
            group = dist.new_group([0, 2])
            if rank == 1:
                return group == dist.GroupMember.NON_GROUP_MEMBER, dist.get_rank(group)
            given = torch.tensor([rank + 1])
            dist.broadcast(given, src=2, group=group)
            places = (
                dist.get_process_group_ranks(group),
                dist.get_global_rank(group, 1),
                dist.get_group_rank(group, 2),
            )
            return given.item(), dist.get_rank(group), *places

        assert results_of(act, 3) == [(3, 0, [0, 2], 2, 1), (True, -1), (3, 1, [0, 2], 2, 1)]

    def test_ranks_may_talk_in_groups_of_their_own(self):
        def act(rank, size):
            mine, _ = dist.new_subgroups_by_enumeration([[0, 1], [2, 3]])
            given = torch.tensor([rank])
            dist.all_reduce(given, group=mine)
            if rank < 2:
                dist.barrier(group=mine)
            dist.all_reduce(given)
            return given.item()

        assert results_of(act, 4) == [2 * 1 + 2 * 5] * 4

    def test_do_not_wait_for_one_another(self, monkeypatch):
        monkeypatch.setenv("TORCH_DIST_INIT_BARRIER", "1")  # torch then meets in its store at each opening
        assert results_of(lambda rank, size: dist.get_rank(dist.new_group()), 2) == [0, 1]
        assert results_of(lambda rank, size: dist.barrier(group=dist.new_group()), 2) == [None, None]

    def test_are_destroyed_on_demand(self):
        def act(rank, size):
            group = dist.new_group()
            dist.barrier(group=group)
            dist.destroy_process_group(group)
            with pytest.raises(ValueError, match="not registered"):
                dist.get_rank(group)
            return dist.get_world_size()

        assert results_of(act, 2) == [2, 2]

    def test_kept_in_a_cache_that_all_ranks_share_still_work(self):
        cache = []

        def act(rank, size):
            if not cache:
                cache.append(dist.new_group(backend="gloo"))
            given = torch.tensor([rank + 1])
            dist.all_reduce(given, group=cache[0])
            return given.item(), dist.get_rank(cache[0])

        assert results_of(act, 2) == [(3, 0), (3, 1)]

    def test_may_be_made_by_a_function_imported_before_the_world_opened(self):
        imported = dist.new_group

        def act(rank, size):
            group = imported([1, 0])
            given = torch.tensor([rank + 1])
            dist.all_reduce(given, group=group)
            return given.item(), dist.get_rank(group)

        assert results_of(act, 2) == [(3, 0), (3, 1)]

    def test_wrong_ranks_are_torchs_own_errors(self):
        trace = trace_of(talking(lambda rank, size: dist.new_group([0, 5])))
        assert [fault.error for fault in trace.faults] == ["ValueError", "ValueError"]


class TestOwnMistakes:
    """What is wrong with one rank's arguments is raised there, as a real group does."""

    @pytest.mark.parametrize(
        "act",
        [
            lambda rank, size: dist.broadcast(torch.zeros(1), 7),
            lambda rank, size: dist.all_gather([torch.zeros(1)] * (size + 1), torch.zeros(1)),
            lambda rank, size: dist.all_gather([torch.zeros(2)] * size, torch.zeros(1)),
            lambda rank, size: dist.all_gather_into_tensor(torch.zeros(size * 2), torch.zeros(1)),
            lambda rank, size: dist.reduce_scatter_tensor(torch.zeros(2), torch.zeros(size)),
            lambda rank, size: dist.reduce_scatter(torch.zeros(1), [torch.zeros(1)] * (size + 1)),
            lambda rank, size: dist.all_to_all_single(torch.zeros(3), torch.zeros(3), [1, 1], [1, 1]),
            lambda rank, size: dist.all_to_all_single(torch.zeros(3), torch.zeros(3)),
            lambda rank, size: dist.all_to_all([torch.zeros(1)], [torch.zeros(1)]),
            lambda rank, size: dist.scatter(torch.zeros(2), [torch.zeros(1)] * size, src=rank),
            lambda rank, size: dist.all_reduce(torch.zeros(1), op=dist.ReduceOp.BAND),
            lambda rank, size: dist.all_reduce(torch.tensor([1]), op=dist.ReduceOp.AVG),
        ],
    )
    def test_are_faults(self, act):
        trace = trace_of(talking(act))
        assert [fault.error for fault in trace.faults] in (["RuntimeError"] * 2, ["ValueError"] * 2)
        assert (trace.deadlock, trace.not_carried) == ("", "")


class TestNotCarried:
    @pytest.mark.parametrize(
        ("act", "text"),
        [
            (
                lambda rank, size: dist.send(torch.zeros(1), 1 - rank),
                "Rank 0 called send: point-to-point is not sim",
            ),
            (
                lambda rank, size: dist.recv(torch.zeros(1), 1 - rank),
                "Rank 0 called recv: point-to-point is not sim",
            ),
            (
                lambda rank, size: dist.all_reduce(torch.zeros(1, device="meta")),
                "called all_reduce with a tensor on m",
            ),
            (
                lambda rank, size: dist.all_reduce(torch.zeros(1).to_sparse()),
                "called all_reduce with a tensor on cpu",
            ),
            (lambda rank, size: dist.distributed_c10d._get_default_store().get("key"), "used the store"),
        ],
    )
    def test_what_simulation_cannot_do_is_said(self, act, text):
        trace = trace_of(talking(act))
        assert text in trace.not_carried
        assert trace.not_carried.endswith("This case needs a process group.")
        assert (trace.faults, trace.deadlock) == ((), "")

    @pytest.mark.skipif(not dist.is_gloo_available(), reason="torch without gloo")
    def test_a_real_group_never_blocks(self):
        def act(rank, size):
            store = dist.distributed_c10d._get_default_store()
            dist.ProcessGroupGloo(store, rank, size)  # type: ignore[call-arg]

        assert "opened a real group" in trace_of(talking(act)).not_carried

    def test_not_even_when_the_target_swallows_the_error(self):
        def act(rank, size):
            try:
                dist.send(torch.zeros(1), 1 - rank)
            except BaseException:  # noqa: BLE001
                return

        assert "called send" in trace_of(talking(act)).not_carried


class TestRequests:
    """What is compared when a rank is run again."""

    def request(self, given: bytes) -> Request:
        tensor = torch.tensor(list(given), dtype=torch.uint8)
        return Request("all_gather", "all_gather", (0, 1), 0, 0, inputs=[tensor], outputs=[])

    @pytest.mark.parametrize(
        ("before", "after", "same"),
        [
            (pickle.dumps("a") + b"..", pickle.dumps("a") + b"zz", True),
            (pickle.dumps("a") + b"..", pickle.dumps("b") + b"..", False),
            (pickle.dumps("a") + b"..", pickle.dumps("a") + b"...", False),
            (b"\x80 no pickle", b"\x80 no pickle", True),
            (b"\x80 no pickle", b"\x80 no pickl3", False),
            (b"plain.", b"plain:", False),
        ],
    )
    def test_bytes_count_but_for_what_follows_a_pickle(self, before, after, same):
        kept = self.request(before)
        kept.keep()
        assert kept.same_as(self.request(after)) is same

    def test_what_is_kept_is_a_copy(self):
        request = self.request(b"abc")
        given = request.inputs[0]
        request.keep()
        given.zero_()
        assert bytes(request.inputs[0].tolist()) == b"abc"
        assert request.describe() == "all_gather of uint8[3]"


class TestUnderOlderNames:
    def test_methods_of_groups_have_both_names(self):
        def act(rank, size):
            group, joined, part = dist.group.WORLD, torch.zeros(2), torch.zeros(1)
            group._allgather_base(joined, torch.tensor([rank + 1.0])).wait()
            group._reduce_scatter_base(part, joined).wait()  # type: ignore[call-arg]
            swapped = torch.zeros(2)
            group.alltoall_base(swapped, torch.tensor([rank, rank + 10.0]), [], []).wait()
            return joined.tolist(), part.tolist(), swapped.tolist()

        assert results_of(act, 2) == [([1, 2], [2], [0, 1]), ([1, 2], [4], [10, 11])]


def test_torch_distributed_is_as_before():
    before = dist.new_group, dist.get_backend, dist.distributed_c10d.new_group
    trace_of(talking(lambda rank, size: dist.barrier(group=dist.new_group())))
    assert (dist.new_group, dist.get_backend, dist.distributed_c10d.new_group) == before
    assert not dist.is_initialized()


# The same script in real processes


def script(rank: int, size: int) -> list:
    """Every collective once, with results as plain data."""
    warnings.simplefilter("ignore")
    found = []
    for name in ("SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"):
        given = torch.tensor(own(rank, size))
        dist.all_reduce(given, op=getattr(dist.ReduceOp, name))
        found.append((name, given.tolist()))
    given, parts = torch.tensor(own(rank, size)), [torch.zeros(3, dtype=torch.int64) for _ in range(size)]
    dist.all_gather(parts, given[0])
    dist.all_to_all(parts, list(given))
    joined, mine = torch.zeros(size * 3, dtype=torch.int64), torch.zeros(3, dtype=torch.int64)
    dist.all_gather_into_tensor(joined, given[0])
    dist.reduce_scatter_tensor(mine, joined)
    objects = [None] * size
    dist.all_gather_object(objects, "x" * rank)
    group = dist.new_group([1, 0])
    dist.broadcast(given, src=1, group=group)
    places = dist.get_rank(group), dist.get_process_group_ranks(group), dist.get_group_rank(group, 1)
    dist.monitored_barrier()
    return [
        *found,
        as_lists(parts),
        joined.tolist(),
        mine.tolist(),
        objects,
        given.tolist(),
        places,
        dist.get_backend(),
    ]


def in_a_real_rank(rank: int, size: int, directory: str) -> None:
    dist.init_process_group("gloo", init_method=f"file://{directory}/store", rank=rank, world_size=size)
    with open(f"{directory}/{rank}", "wb") as file:  # noqa: PTH123
        pickle.dump(script(rank, size), file)
    dist.destroy_process_group()


@pytest.mark.thorough
@pytest.mark.skipif(not dist.is_gloo_available(), reason="torch without gloo")
def test_gloo_gives_the_same(tmp_path):
    torch.multiprocessing.spawn(in_a_real_rank, (2, str(tmp_path)), nprocs=2)  # type: ignore[attr-defined]
    assert results_of(script, 2) == [pickle.loads((tmp_path / str(rank)).read_bytes()) for rank in range(2)]
