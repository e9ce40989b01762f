"""The process groups of the simulated world: every collective of a rank is handed in to a log.

Used inside ranks of the simulated world, through ``torch.distributed``. One group serves all ranks:
the log says which of them is running. Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import torch
import torch.distributed as dist
from torch import Tensor

from samplercheck.worlds.simulation.collective_log import CollectiveLog, Work
from samplercheck.worlds.simulation.results import (
    REDUCTIONS,
    Request,
    as_list,
    check_list,
    check_reduction,
    may_go_on,
    parts,
    rows,
    unnest,
)

BACKEND = "samplercheck"
ENTRANCE = "_ask"
"""The method of a group through which each of its collectives goes."""
_Base: Any = dist.ProcessGroup  # its methods are overloaded differently from version to version


class SimulatedGroup(_Base):  # type: ignore[misc]  # untyped
    """A process group whose rank is whichever the world is running.

    Method names are torch's, of older and newer versions; each hands in a request. ``number`` is 0 for
    the group of the world itself.
    """

    def __init__(self, log: CollectiveLog, members: Sequence[int], number: int = 0) -> None:
        super().__init__(0, len(members))
        self.log = log
        self.members = tuple(members)
        self.number = number
        self.backend = "gloo"
        self._size = len(self.members)
        self._places = {rank: place for place, rank in enumerate(self.members)} if number else None
        self._name = ""

    def rank(self) -> int:
        """Return the place of the rank that is running."""
        return self.log.place if self._places is None else self._places.get(self.log.place, -1)

    def size(self) -> int:
        """Return the number of ranks."""
        return self._size

    def getBackendName(self) -> str:  # noqa: N802  (torch's name)
        """Return the name of the backend."""
        return BACKEND

    @property
    def is_open(self) -> bool:
        """Whether torch still knows this group."""
        try:
            return bool(dist.get_process_group_ranks(self))
        except (KeyError, ValueError):
            return False

    @property
    def group_name(self) -> Any:
        """The name under which torch registered the group."""
        return self._name

    def _set_group_name(self, name: Any) -> None:
        self._name = name

    @property
    def _device_types(self) -> list[torch.device]:
        """Read by torch to place the buffers of its object collectives."""
        return [torch.device("cpu")]

    def part(self, members: tuple[int, ...]) -> SimulatedGroup:
        """Return a new group of some of the ranks."""
        group = SimulatedGroup(self.log, members, self.log.number(members))
        self.log.strays.append(group)
        return group

    def new_group(self, ranks: Sequence[int], group_name: Any = "", **_: Any) -> SimulatedGroup | None:
        """Called by newer versions of torch, whatever the backend; nothing for a rank left out."""
        if self.log.place not in ranks:
            return None
        group = self.part(tuple(ranks))
        group._set_group_name(group_name)  # noqa: SLF001  (of its own class)
        return group

    def broadcast(self, tensors: Any, opts: Any = None, **named: Any) -> Work:
        """Hand in a broadcast."""
        tensors, root = as_list(tensors), self._root(opts, named)
        return self._ask("broadcast", tensors if self._place() == root else [], tensors, opts, root=root)

    def allreduce(self, tensors: Any, opts: Any = None, **named: Any) -> Work:
        """Hand in an all_reduce."""
        tensors = as_list(tensors)
        return self._ask("all_reduce", tensors, tensors, opts, reduction=self._reduction(opts, named))

    allreduce_coalesced = allreduce

    def reduce(self, tensors: Any, opts: Any = None, *rest: Any, **named: Any) -> Work:
        """Hand in a reduce."""
        tensors, root = as_list(tensors), self._root(opts, named)
        reduction = self._reduction(rest[0] if rest else opts, named)
        return self._ask(
            "reduce", tensors, tensors if self._place() == root else [], opts, root=root, reduction=reduction
        )

    def allgather(self, outputs: Any, inputs: Any, opts: Any = None, **_: Any) -> Work:
        """Hand in an all_gather."""
        outputs, inputs = unnest(outputs), as_list(inputs)
        self._check("all_gather", outputs, inputs[0])
        return self._ask("all_gather", inputs, outputs, opts)

    def all_gather_single(self, output: Tensor, given: Tensor, opts: Any = None, **_: Any) -> Work:
        """Hand in an all_gather into one tensor."""
        pieces = parts("all_gather_into_tensor", output, given, self._size)
        return self._ask("all_gather", [given], pieces, opts, name="all_gather_into_tensor")

    _allgather_base = all_gather_single

    def gather(self, outputs: Any, inputs: Any, opts: Any = None, **named: Any) -> Work:
        """Hand in a gather."""
        inputs, root, into = as_list(inputs), self._root(opts, named), []
        if self._place() == root:
            into = unnest(outputs)
            self._check("gather", into, inputs[0])
        return self._ask("gather", inputs, into, opts, root=root)

    def scatter(self, outputs: Any, inputs: Any, opts: Any = None, **named: Any) -> Work:
        """Hand in a scatter."""
        outputs, root, given = as_list(outputs), self._root(opts, named), []
        if self._place() == root:
            given = unnest(inputs)
            self._check("scatter", given, outputs[0])
        return self._ask("scatter", given, outputs, opts, root=root)

    def reduce_scatter(self, outputs: Any, inputs: Any, opts: Any = None, **named: Any) -> Work:
        """Hand in a reduce_scatter."""
        outputs, inputs = as_list(outputs), unnest(inputs)
        self._check("reduce_scatter", inputs, outputs[0])
        return self._ask("reduce_scatter", inputs, outputs, opts, reduction=self._reduction(opts, named))

    def reduce_scatter_single(self, output: Tensor, given: Tensor, opts: Any = None, **named: Any) -> Work:
        """Hand in a reduce_scatter of one tensor."""
        pieces = parts("reduce_scatter_tensor", given, output, self._size)
        details = {"reduction": self._reduction(opts, named), "name": "reduce_scatter_tensor"}
        return self._ask("reduce_scatter", pieces, [output], opts, **details)

    _reduce_scatter_base = reduce_scatter_single

    def alltoall(self, outputs: Any, inputs: Any, opts: Any = None, **_: Any) -> Work:
        """Hand in an all_to_all."""
        self._check("all_to_all", outputs, None)
        self._check("all_to_all", inputs, outputs[self._place()])
        return self._ask("all_to_all", inputs, outputs, opts)

    def all_to_all_single(
        self,
        output: Tensor,
        given: Tensor,
        output_sizes: Any = (),
        input_sizes: Any = (),
        opts: Any = None,
        **_: Any,
    ) -> Work:
        """Hand in an all_to_all of rows of one tensor."""
        inputs, outputs = rows(given, input_sizes, self._size), rows(output, output_sizes, self._size)
        return self._ask("all_to_all", inputs, outputs, opts, name="all_to_all_single")

    alltoall_base = all_to_all_single

    def barrier(self, opts: Any = None, **_: Any) -> Work:
        """Hand in a barrier."""
        return self._ask("barrier", [], [], opts)

    def monitored_barrier(self, *_: Any, **__: Any) -> None:
        """Hand in a barrier."""
        self._ask("barrier", [], [], None, name="monitored_barrier", asynchronous=False)

    def _ask(self, kind: str, inputs: list[Tensor], outputs: list[Tensor], opts: Any, **details: Any) -> Work:
        request = Request(
            name=details.pop("name", kind),
            kind=kind,
            members=self.members,
            number=self.number,
            place=self._place(),
            inputs=list(inputs),
            outputs=list(outputs),
            asynchronous=details.pop("asynchronous", may_go_on(opts)),
            **details,
        )
        for tensor in (*inputs, *outputs):
            check_reduction(request.reduction, tensor)
            if tensor.device.type != "cpu" or tensor.layout is not torch.strided:
                self.log.refuse(f"called {request.name} with a tensor on {tensor.device} ({tensor.layout})")
        return self.log.ask(request)

    def _check(self, name: str, several: Sequence[Tensor], one: Tensor | None) -> None:
        check_list(name, several, one, size=self._size, place=self._place())

    def _place(self) -> int:
        place = self.rank()
        if place < 0 or (self.number and not self.is_open):
            self.log.refuse("used a process group that another rank or an earlier case has made")
        return place

    def _root(self, opts: Any, named: Mapping[str, Any]) -> int:
        root: int = getattr(opts, "rootRank", named.get("root", opts))
        if not 0 <= root < self._size:
            raise RuntimeError(f"invalid root rank: {root} of {self._size} ranks")
        return root

    def _reduction(self, opts: Any, named: Mapping[str, Any]) -> str:
        operation = getattr(opts, "reduceOp", named.get("op", opts))
        if operation is None:
            return "sum"
        name = str(getattr(operation, "op", operation)).rpartition(".")[2].lower()
        if name not in REDUCTIONS:
            self.log.refuse(f"reduced with {name}")
        return name


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(group: SimulatedGroup, *_: Any, **__: Any) -> NoReturn:
        point_to_point = name in ("send", "recv", "recv_anysource")
        why = "point-to-point is not simulated" if point_to_point else "which is not simulated"
        group.log.refuse(f"called {name}: {why}")

    return refuse


for _name in (
    "send",
    "recv",
    "recv_anysource",
    "allgather_coalesced",
    "all_gather_single_coalesced",
    "allgather_into_tensor_coalesced",
    "reduce_scatter_single_coalesced",
    "reduce_scatter_tensor_coalesced",
    "split_group",
    "merge_remote_group",
    "_start_coalescing",
    "_end_coalescing",
):
    setattr(SimulatedGroup, _name, _refusal(_name))
