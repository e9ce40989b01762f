"""Choosing: which of the signs that a target gives explain what its own contract breaks.

Asked by ``_proposing``, which judges each choice by few cases. Runs nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from samplercheck.engine.contracts._inference import InferenceVerdict
from samplercheck.engine.contracts._sign import CHUNKS, DRAWS, FREE, RATES, SHUFFLED_SHARES, SHUFFLES, Sign
from samplercheck.laws import (
    batches_mix,
    follows_weights,
    order_from_seed_and_epoch,
    ranks_mix,
    reshuffles,
    seed_matters,
)
from samplercheck.laws.law import GROUPING, Scope
from samplercheck.values.choices import FEATURES
from samplercheck.values.contract import Contract

DRAWN = (DRAWS.words, RATES.words)
Judged = Callable[[list[Sign]], InferenceVerdict | None]

MOVES = frozenset(
    one.LAW.code for one in (reshuffles, seed_matters, order_from_seed_and_epoch, ranks_mix, batches_mix)
)
"""What an order that is meant to be shuffled lacks where it does not move; no reason to call it free."""
SHARES = follows_weights.LAW.code
SAYS_RATES = frozenset({"weights", "shares", "frequencies"})
"""Parameters that say how often samples come, and the field that does."""


def choose_signs(judged: Judged, signs: list[Sign], scope: Scope, given: Contract) -> list[Sign]:
    """Return the signs that each explain something; an order is shuffled unless features may decide it."""
    free = [_as_free(one) for one in signs]
    if GROUPING & scope.named and free != signs:
        as_shuffled, as_free = judged(signs), judged(free)
        if as_shuffled and as_free and not as_shuffled.failures.keys() - as_free.failures.keys() <= MOVES:
            signs = free
    for sign in tuple(signs):
        rest = [other for other in signs if other is not sign]
        without, with_it = judged(rest), judged(signs)
        failing = set() if with_it is None else with_it.failures.keys()
        is_excused = bool(failing & {*sign.unless})
        says_nothing = without is not None and (without.failures.keys() <= failing or is_excused)
        if with_it is None or says_nothing:
            signs = rest
    signs = _keep_shares(judged, signs)
    has_rates = "datasets" in scope.named and SAYS_RATES.isdisjoint({*scope.named, *given.changes()})
    return _declare_rates(judged, signs) if has_rates else signs


def _keep_shares(judged: Judged, signs: list[Sign]) -> list[Sign]:
    """Return the signs with shares that ranks keep in the place of chunks, where that explains the same.

    What ranks keep is seen among several alone, chunks on one rank as well: they would excuse it unseen.
    """
    shares = [SHUFFLED_SHARES if one.fields == CHUNKS.fields else one for one in signs]
    in_chunks, in_shares = (judged(signs), judged(shares)) if shares != signs else (None, None)
    is_alike = in_chunks and in_shares and in_shares.failures.keys() == in_chunks.failures.keys()
    return shares if is_alike else signs


def _declare_rates(judged: Judged, signs: list[Sign]) -> list[Sign]:
    """Return the signs with datasets at rates of their own, where sizes do not decide those."""
    own = [
        replace(RATES, fields={**one.fields, **RATES.fields}) if one.words == DRAWS.words else one
        for one in signs
    ]
    plain = judged(signs) if own != signs else None
    return own if plain is not None and SHARES in plain.failures else signs


def _as_free(sign: Sign) -> Sign:
    """Return a sign with an order of its own in the place of a shuffled one."""
    if sign is SHUFFLES:
        return FREE
    return replace(sign, fields={**sign.fields, **FREE.fields}) if "order" in sign.fields else sign


def means_to_draw(signs: list[Sign], scope: Scope) -> bool:
    """Whether a target that draws balances its samples, or weighs them."""
    reads_shares = not scope.named.isdisjoint((*FEATURES, "datasets"))
    return reads_shares and any(one.words in DRAWN for one in signs)
