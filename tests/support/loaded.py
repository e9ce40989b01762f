"""Traces written by hand of targets that were run with workers: what each rank yielded, way by way."""

from __future__ import annotations

from tests.support.traces import a_pass, a_record, a_trace

KEPT = (1, 2, True)
FRESH = (1, 2, False)
TWO = (2, 1, False)


def a_rank(home, *ways, stopped=None, roles=("loader",), **notes):
    """What one rank recorded: its epochs without workers, then ways with theirs."""
    passes, of = [], []
    for number, epochs in enumerate([home, *[epochs for _, epochs in ways]]):
        passes += [a_pass(one, epoch=epoch) for epoch, one in enumerate(epochs)]
        of += [number] * len(epochs)
    names = ((0, None, False), *[way for way, _ in ways])
    return a_record(*passes, ways=names, of=tuple(of), stopped=stopped or {}, roles=roles, **notes)


def loaded(*ranks, **details):
    """A trace of an experiment ``workers``."""
    details.setdefault("workers", 1)
    return a_trace(*[[]] * len(ranks), others={"workers": list(ranks)}, **details)
