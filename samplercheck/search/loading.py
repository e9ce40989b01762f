"""Cases with workers: few and well chosen, because starting workers takes as long as many small cases.

Called by the engine, for the laws about DataLoader workers. No Hypothesis, no chance.
"""

from __future__ import annotations

from samplercheck.experiments.loaders import SPAWNED_FROM
from samplercheck.search.axes import Options, case_for
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case

SIZES = ((1, 1, 1, 2), (3, 1, 1, 1), (8, 1, 1, 1), (3, 2, 1, 2), (8, 2, 1, 2), (7, 2, 2, 2))
"""Length, places, batch size and workers: fewer samples than workers, a few batches for one worker and enough
that its epochs are not alike by luck, and two ranks of two workers each with too few samples for all, with as
many for each, with what does not divide."""
OF_A_STREAM = (6, 1, 4, 2)
"""Two workers of the only rank have three samples each, and the loader makes batches of four."""
OF_DRAWS = (64, 1, 1, 2)
"""Two workers that draw with replacement draw 32 samples each: enough that they cannot be equal by luck."""
OF_PASSES = (32, 1, 1, 1)
"""As many that no order comes twice by luck where the process's generator may be drawn on."""
SPAWNED = (7, 1, 2, SPAWNED_FROM)
"""The one case with a spawned worker, which costs seconds."""
OF_A_SAMPLER = ((8, 1, 1, 1), (8, 1, 2, 1))
"""A sampler stays in the main process: it meets workers only as somebody who asks ahead. Eight samples have
two labels, without which one that balances labels yields nothing; what makes pairs has no batch of one."""


def cases_with_workers(
    binding: Binding, options: Options, *, loads: bool, streams: bool = False, spawns: bool = False
) -> tuple[Case, ...]:
    """Return the cases, the smallest first; the last once more with the last combination of options.

    ``loads`` says that the target is a loader or a stream, ``streams`` that workers share its samples out,
    ``spawns`` asks for a spawned worker.
    """
    rows = [(size, options[0]) for size in (SIZES if loads else OF_A_SAMPLER)]
    if streams:
        is_drawn = binding.contract.coverage == "sampled"
        rows.append((OF_DRAWS if is_drawn else OF_A_STREAM, options[0]))
        if binding.contract.advances and binding.contract.ambient_rng == "shared":
            rows.append((OF_PASSES, options[0]))
    if loads and len(options) > 1:
        rows.append((SIZES[-1], options[-1]))
    if loads and spawns:
        rows.append((SPAWNED, options[0]))
    cases = (
        case_for(binding, length, places, batch, epochs=2, stop=1, workers=workers, options=option)
        for (length, places, batch, workers), option in rows
    )
    return tuple(dict.fromkeys(cases))
