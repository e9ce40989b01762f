"""Sizes that a user names: how numbers may be written, and what is refused."""

from __future__ import annotations

import pytest

from samplercheck.errors import UsageError
from samplercheck.values.sizes import LARGEST, Sizes, read_size, sizes_from


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("100000", 10**5),
        ("1e8", 10**8),
        ("1E8", 10**8),
        ("1e+8", 10**8),
        ("1.5e3", 1_500),
        ("1_000_000", 10**6),
        ("1,000,000", 10**6),
        ("10^10", 10**10),
        ("2^22", 2**22),
        (" 12 ", 12),
        ("9223372036854775807", LARGEST),
    ],
)
def test_numbers_may_be_written_as_people_write_them(text: str, number: int) -> None:
    assert read_size(text, "--length") == number


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "1.25e1", "1e", "1__0", "1,00", "0x10", "10^", "١٢"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--length is .*, no whole number: write 1e8"):
        read_size(text, "--length")


@pytest.mark.parametrize("text", ["1e19", "9223372036854775808", "10^99"])
def test_what_no_index_can_reach_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="too large"):
        read_size(text, "--length")


def test_ranks_and_batches_need_a_length() -> None:
    assert sizes_from(None) is None
    assert sizes_from(100, 4) == Sizes(length=100, world_size=4)
    with pytest.raises(UsageError, match="needs the length"):
        sizes_from(None, 4)


@pytest.mark.parametrize("sizes", [{"length": 0}, {"length": 5, "world_size": 0}, {"length": 2**64}])
def test_sizes_are_from_one_up(sizes: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="use an integer from 1 up"):
        Sizes(**sizes)


def test_sizes_survive_json() -> None:
    sizes = Sizes(length=10**10, world_size=8)
    assert Sizes(**sizes.to_dict()) == sizes
