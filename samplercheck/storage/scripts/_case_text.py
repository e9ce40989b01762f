"""A case as text: the expressions and lines that build, iterate and read a target in one rank.

Called by ``Filling``, which adds what a violation is about. All that a case fixes is written as a literal.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from functools import cached_property
from pathlib import Path

from torch.utils.data import BatchSampler

from samplercheck.storage.scripts._texts import NAMES, PIECES, WORDS
from samplercheck.storage.templates import fill
from samplercheck.targets import features
from samplercheck.targets.locate import Place, locate
from samplercheck.targets.provenance import Provenance
from samplercheck.targets.target import Target
from samplercheck.values.case import Case
from samplercheck.values.limits import step_cap
from samplercheck.values.owed import compute_owed, far_epochs
from samplercheck.worlds.in_rank.surroundings import node_size_of

WIDTH, MOST_WRITTEN = 110, 32
SEEDERS = {"torch": "torch.manual_seed({})", "random": "random.seed({})", "numpy": "numpy.random.seed({})"}
FEATURES = {
    "lengths": (
        f"{features.HUGE} + i % {features.HUGE} if draw.random() < {features.SHARE_OF_HUGE} "
        "else draw.randint(1, 9)"
    ),
    "labels": "draw.randrange({})",
    "weights": "round(draw.uniform(0.1, 4.0), 3)",
}


class CaseText:
    """One case of one target in words of Python; ``name`` is the variable that holds the object of a rank."""

    def __init__(self, provenance: Provenance, case: Case, *, in_groups: bool = False) -> None:
        self.provenance, self.in_groups, self.prefix = provenance, in_groups, ""
        self.place, self.ranks = Place.of(provenance.place), tuple[int, ...]()
        self.case, self.binding, self.traits = case, provenance.binding, provenance.traits
        self.contract, self.factory = provenance.target.contract, provenance.target.factory
        self.batched, self.named = provenance.kind == "batches", provenance.binding.named
        self.owed = compute_owed(case, self.contract, batched=self.batched)
        self.cap, self.sets_epochs = step_cap(case, self.contract), self.contract.sets_epochs
        self.is_loader, self.is_stream = "loader" in self.traits, "stream" in self.traits
        self.name = "loader" if self.is_loader else "stream" if self.is_stream else "sampler"
        self.visits = (*range(case.epochs), *far_epochs(case, self.contract))
        self.helpers: dict[str, str] = {}

    def of(self, case: Case) -> CaseText:
        """Return another case of the same target, for the same file."""
        other = CaseText(self.provenance, case, in_groups=self.in_groups)
        other.helpers, other.prefix, other.ranks = self.helpers, "other_", self.ranks
        return other

    def define(self, piece: str, **names: object) -> str:
        """Let a piece stand above all others in the file, and nothing here."""
        self.helpers[piece] = "\n".join(fill(PIECES[piece], self, **names)).rstrip() + "\n"
        return ""

    @property
    def rank(self) -> str:
        """What stands for the rank: its number where there is one alone."""
        return str(self.ranks[0]) if len(self.ranks) == 1 and not self.in_groups else "rank"

    def import_target(self) -> list[str]:
        """Return the lines that import the target; what is no name is imported by its text."""
        place, name = self.place, self.place.importable
        if place.is_file and (name in sys.stdlib_module_names or not name.isidentifier()):
            return [f"{self.target} = runpy.run_path({str(Path(place.module))!r})[{place.root!r}]"]
        folder = str(Path(place.module).parent) if place.is_file else ""
        lines = [f"sys.path.insert(0, {folder!r})"]
        if all(part.isidentifier() for part in (*name.split("."), place.root)):
            given = f" as {self.target}" * (self.target != place.root)
            return [*lines, f"from {name} import {place.root}{given}"]
        return [*lines, f"{self.target} = getattr(importlib.import_module({name!r}), {place.root!r})"]

    @property
    def target(self) -> str:
        """The name of what is imported, another where scripts use it themselves, unless for the same."""
        root, names = self.place.root, NAMES.get(self.place.module, ())
        return root if root.isidentifier() and (root in names or root not in WORDS) else "target"

    @cached_property
    def is_target(self) -> bool:
        """Whether the place names a target of the kit's, which holds the factory."""
        return isinstance(locate(self.provenance.place), Target)

    @cached_property
    def call(self) -> str:
        """What is called to build the object of a rank."""
        return ".".join((self.target, *self.place.attribute.split(".")[1:], *["factory"] * self.is_target))

    def value(self, name: str, bound: object, changes: dict[str, str]) -> str:
        """Return what one bound name means here, as text; most are ``bound`` to what stands there."""
        case, rank = self.case, self.rank
        per_place = self.contract.replicas if self.binding.deals_by_place else 1
        dealt = f"{rank} // {per_place}" if per_place > 1 else rank
        known = {
            "rank": str(int(rank) // per_place) if rank.isdigit() else dealt,
            "world_size": str(case.world_size // per_place),
            "global_rank": rank,
        }
        if name in known:
            return known[name]
        if name in features.INNERS:
            return self.inner(name, changes)
        if name == "case":
            fields = [f"{key}={value!r}" for key, value in case.to_dict().items() if key != "format"]
            self.helpers[name] = f"case = types.SimpleNamespace({', '.join(fields)})"
            return name
        if name == "dataset":
            return self.dataset()
        if name in FEATURES:
            return self.list_of(name)
        return repr(bound)

    def dataset(self) -> str:
        """Return the dataset: its samples are their own indices."""
        read = [name for name in FEATURES if name not in self.named and self.mentions(rf"\.{name}\b")]
        if not read:
            return f"range({self.case.length})"
        body = "\n".join(f"    {name} = {self.list_of(name)}" for name in read)
        self.helpers["dataset"] = f"class Dataset(list):\n{body}\n"
        return f"Dataset(range({self.case.length}))"

    def list_of(self, name: str) -> str:
        """Return the variable that holds a feature of all samples."""
        values, variable = features.feature(self.case, name), f"{self.prefix}{name}"
        text = repr(values)
        if len(values) > MOST_WRITTEN and name not in dict(self.case.features):
            seed = f"{name}/{len(values)}/{self.case.seed}"
            self.helpers[f"{variable} drawn"] = f'draw = random.Random("{seed}")'
            term, last = FEATURES[name].format(max(1, min(len(values) // 4, features.MOST_LABELS))), ""
            if name == "lengths" and len(values) > features.FEW:
                term, last = f"min({term}, {features.LONGEST - 1})", f"[:-1] + [{features.LONGEST}]"
            text = f"[{term} for {'i' if name == 'lengths' else '_'} in range({len(values)})]{last}"
        self.helpers[variable] = f"{variable} = {text}"
        return variable

    def inner(self, name: str, changes: dict[str, str], *, is_watched: bool = False) -> str:
        """Return a sound sampler, or batch sampler, to wrap.

        One that is watched has no attributes that a wrapper could set without a change.
        """
        case = self.case
        shuffle = True if self.contract.order == "shuffled" else changes.get("shuffle", case.shuffle)
        seed, size = changes.get("seed", case.seed), str(changes.get("batch_size", case.batch_size))
        sampler = f"DistributedSampler(range({case.length}), 1, 0, shuffle={shuffle}, seed={seed})"
        moves_on = self.contract.epochs == "advance"
        if is_watched or moves_on:
            key, shuffles = f"{seed}/{{self.epoch{' - 1' * moves_on}}}", shuffle and case.length > 1
            self.define("inner_class", key=key, shuffles=shuffles, moves_on=moves_on)
            sampler = f"Inner(range({case.length}))"
        if name == "sampler":
            return sampler
        size = str(case.batch_size) if size == "batch_size" else size
        self.define("batches", size=size, varies=self.contract.batches == "variable", is_watched=is_watched)
        return f"Batches({sampler}, {size}, {changes.get('drop_last', case.drop_last)})"

    def build(self, name: str = "", /, **changes: object) -> str:
        """Return the lines that build the object of a rank, some values changed; "None" leaves one out."""
        known = {key: str(value) for key, value in changes.items() if key in self.named}
        shared = self.seed("1") if self.contract.ambient_rng == "shared" else []
        return "\n".join([*shared, f"{name or self.name} = {self._call(known)}"])

    def _call(self, changes: dict[str, str]) -> str:
        bound = self.binding.values_in(self.case)
        values = {
            key: changes.get(name) or self.value(name, bound.get(key), changes)
            for key, name in self.binding.parameters.items()
            if changes.get(name) != "None"
        }
        values |= {name: repr(value) for name, value in self.case.options}
        signature, leading = self.binding.signature.parameters, []
        first = next(iter(signature), "")
        if first in values and signature[first].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            leading.append(values.pop(first))
        leading += [values.pop(one, repr(signature[one].default)) for one in self.binding.positional]
        text = ", ".join([*leading, *(f"{key}={value}" for key, value in values.items())])
        if len(text) + len(self.call) < WIDTH:
            return f"{self.call}({text})"
        return f"{self.call}(\n{textwrap.indent(textwrap.fill(text, WIDTH), '    ')}\n)"

    def begin(self, epoch: str | int, name: str = "", **changes: str) -> list[str]:
        """Return the lines that start an epoch as a training script does."""
        if not self.sets_epochs:
            return []
        is_inside = isinstance(self.factory, type) and issubclass(self.factory, BatchSampler)
        names = {"it": name or self.name, "epoch": epoch, "changes": changes, "is_inside": is_inside}
        return fill(PIECES["epoch_begins"], self, **names, is_first=str(epoch) == "0")

    def read(self, source: str = "", limit: str | int = "") -> str:
        """Return the expression of a pass as a list of samples, or of batches as lists.

        What yields nothing before it fails may yield either, and is read as it is.
        """
        source, limit = source or self.name, str(limit) or (str(self.cap) if self.contract.endless else "")
        source = f"itertools.islice({source}, {limit})" if limit else source
        if self.is_loader or self.is_stream:
            first = "item[0]"
            if not self.is_loader:  # in a sample of a stream a number beside other parts is the index
                first = "next((part for part in item if type(part) is int), item[0])"
            self.define("indices", first=first)
            return f"[indices(item) for item in {source}]"
        if self.batched:
            return f"[list(map(int, batch)) for batch in {source}]"
        return f"list(map(int, {source}))" if self.provenance.kind else f"list({source})"

    def seed(self, more: str = "") -> list[str]:
        """Return the lines that put the generators of the process that matter into a state of the rank."""
        used, shared = [name for name in SEEDERS if f"moves {name}" in self.traits], ["torch"]
        is_shared = self.contract.ambient_rng == "shared"
        used = used or shared * (is_shared or self.mentions(r"\binitial_seed\("))
        state = more if is_shared and more else f"{more} + {self.rank}" if more else self.rank
        seeds = [SEEDERS[name].format(state) for name in used]
        if more or self.in_groups or not self.mentions(r"\benviron\b|\bgetenv\("):
            return seeds
        return [self.set_place(node_size_of(self.case.world_size)), *seeds]

    def set_place(self, node: int) -> str:
        """Return the line that sets what launchers set for a rank; of nodes only what is asked for."""
        of_node = f"str({self.rank} // {node})"
        more = {"LOCAL_WORLD_SIZE": f'"{node}"', "GROUP_RANK": of_node, "NODE_RANK": of_node}
        asked = "".join(f", {name}={value}" for name, value in more.items() if self.mentions(name))
        place = f'RANK=str({self.rank}), WORLD_SIZE="{self.case.world_size}"'
        return f"os.environ.update({place}, LOCAL_RANK=str({self.rank} % {node}){asked})"

    def joined(self, passes: str) -> str:
        """Return an expression of all samples of several passes, batches opened."""
        return f"chain(*chain(*{passes}))" if self.batched else f"chain(*{passes})"

    def flat(self, taken: str) -> str:
        """Return an expression of the samples of one pass, batches opened."""
        return f"list(chain(*{taken}))" if self.batched else taken

    def mentions(self, pattern: str) -> bool:
        """Whether the file that defines the target says something; what cannot be read says nothing."""
        return re.search(pattern, self._source) is not None

    @cached_property
    def _source(self) -> str:
        try:
            path = inspect.getsourcefile(inspect.unwrap(self.factory)) or ""
            return Path(path).read_text("utf-8", "replace")
        except (OSError, TypeError):
            return ""
