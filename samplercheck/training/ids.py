"""Ids: which samples a batch holds: as the sampler said, as the user says, or by what is in it.

Called for each delivered batch, in the training process. Imports torch.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from samplercheck.values.errors import UsageError
from samplercheck.values.fingerprint import hash_words, mix

Ids = bytes
"""Eight bytes a sample, in their order."""

SEVERAL, WHOLE = (list, tuple, range), (int, np.int64)
MOST_LEAVES, MOST_COLUMNS = 4, 16


def ids_of_index(index: Any) -> Ids:
    """Return the ids of what a sampler yields: numbers as they are, anything else by its text."""
    if isinstance(index, SEVERAL) and index and type(index[0]) in WHOLE:
        try:
            return _packer(len(index))(*index)
        except (struct.error, TypeError):  # not all are, or they are large
            pass
    if isinstance(index, (torch.Tensor, np.ndarray)):
        index = index.tolist()
    index = list(index) if isinstance(index, SEVERAL) else [index]
    try:
        ids = np.array(index)
    except ValueError:  # of unlike lengths
        return hash_words(index).tobytes()
    if ids.ndim == 1 and ids.dtype.kind in "iu":
        return ids.astype(np.int64, copy=False).tobytes()
    return hash_words(index).tobytes()


@functools.lru_cache(maxsize=64)
def _packer(count: int) -> Callable[..., bytes]:
    return struct.Struct(f"{count}q").pack


def ids_given(ids: str | Callable[[Any], Any]) -> Callable[[Any], Ids]:
    """Return the function that takes the ids out of a batch: a key of it, or the caller's own."""
    if isinstance(ids, str):
        return lambda batch: _ids_at(batch, ids)
    return lambda batch: ids_of_index(ids(batch))


def _ids_at(batch: Any, key: str) -> Ids:
    if not isinstance(batch, Mapping) or key not in batch:
        known = ", ".join(map(str, batch)) if isinstance(batch, Mapping) else f"a {type(batch).__name__}"
        raise UsageError(f"ids={key!r} is not in a batch, which holds {known}: name one of its keys.")
    return ids_of_index(batch[key])


def ids_of_content(batch: Any) -> Ids:
    """Return a number for each sample by a part of its content: equal samples cannot be told apart."""
    leaves = list(_leaves(batch))[:MOST_LEAVES]
    size = next((len(leaf) for leaf in leaves), 0)
    total = np.zeros(size, np.uint64)
    for leaf in (one for one in leaves if len(one) == size):
        for column in _columns(leaf):
            total = mix((total + column).view(np.int64), 0)
    return total.tobytes()


def _leaves(batch: Any) -> Any:
    """Yield what has an entry for each sample: tensors and arrays, or lists of words."""
    if isinstance(batch, (torch.Tensor, np.ndarray)):
        yield batch.reshape(1) if batch.ndim == 0 else batch
    elif isinstance(batch, Mapping):
        for value in batch.values():
            yield from _leaves(value)
    elif isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        if batch and not isinstance(batch[0], (torch.Tensor, np.ndarray, Mapping, list, tuple)):
            yield hash_words(batch)
        else:
            for value in batch:
                yield from _leaves(value)
    else:
        yield hash_words([batch])


def _columns(leaf: Any) -> Any:
    """Yield some numbers of each sample, spread evenly over what it holds."""
    if isinstance(leaf, torch.Tensor):
        flat = leaf.detach().reshape(len(leaf), -1)
        chosen = flat[:, :: max(1, flat.shape[1] // MOST_COLUMNS)]
        values = chosen.to("cpu", torch.float64).numpy()
    else:
        values = np.asarray(leaf).reshape(len(leaf), -1)[:, :MOST_COLUMNS]
        values = values.astype(np.int64 if values.dtype.kind in "iu" else np.float64)
    for column in np.ascontiguousarray(values.T):
        yield np.ascontiguousarray(column).view(np.uint64)
