"""Scripts of faults that were planted into sound samplers end with 1, and with 0 for the sampler itself.

So every kind of contract has its scripts, and what a script allows is what the law allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import pytest

import samplercheck as sc
from samplercheck.certifying.faults import select_faults
from samplercheck.certifying.faults.ranks import is_stream
from samplercheck.engine import probe
from samplercheck.search.axes import batch_of, combinations
from samplercheck.worlds import open_world
from tests.storage.scripts.planted import FACTORIES, PROMISES, kind_for
from tests.storage.scripts.test_zoo_scripts import find_by_law, needs_fork, scripts, status_of

if TYPE_CHECKING:
    from pathlib import Path

PLACE = "tests.storage.scripts.planted"
APART = 16
"""Of so many faults in a row each sampler gets one, and the next sampler another one."""
BY_COUNT = "unlike-its-twin"
"""A fault of some objects only, by how many the process has built: a script has others."""
ASKS = {"counts_its_node", "shuffles_on_its_node"}
"""They ask the environment for their node, which a script sets where the file of the factory says so."""
TOO_EARLY = "plans_late"
"""It has no length before its first pass, which only a mutant has."""
BEHIND = {"own_set_epoch", "set_epoch", "loader", "stream", "own_loader"}
"""What a mutant may have that its sampler has not, so that a script would call what is not there."""


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("name", sorted(PROMISES.keys() - ASKS - {TOO_EARLY}))
def test_a_script_fails_for_a_planted_fault_and_passes_for_the_sound_sampler(
    name: str, tmp_path: Path
) -> None:
    contract, axes = PROMISES[name]
    target = sc.target(FACTORIES[name], contract=contract, axes=axes)
    binding = target.bind()
    with open_world("simulated") as world:
        scope = probe(world, binding, combinations(target.axes, 0)[0])
    for number, fault in enumerate(select_faults(scope)):
        if (number + crc32(name.encode())) % APART or fault.name == BY_COUNT:
            continue
        planted = f"{kind_for(fault.kind, is_stream=is_stream(scope))}_{name}"
        mutant = sc.target(f"{PLACE}:{planted}", contract=contract, axes=axes)
        store = find_by_law(mutant, fault.aim, tmp_path)
        if store.provenance is None or BEHIND & (scope.traits ^ store.provenance.traits):
            continue
        if any(one.batch_size != batch_of(binding, one.batch_size, one.world_size) for one in store.found):
            continue  # its batches are not seen to have the size that they were written with
        for laws, text in scripts(store):
            if text:
                sound = text.replace(f"import {planted}\n", f"import sound_{name} as {planted}\n")
                assert (status_of(text, tmp_path), status_of(sound, tmp_path)) == (1, 0), (laws, text)
