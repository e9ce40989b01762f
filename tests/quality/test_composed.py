"""Sound samplers that nobody has written raise no alarm: parts that are sound, put together by chance."""

from __future__ import annotations

import pytest

import samplercheck as sc
from tests.quality.composed import ORDERS, RANKS, TAILS, compose
from tests.support.brief import look_briefly
from tests.support.complaints import complaints

BRIEFLY, NIGHTLY = range(8), range(8, 120)


def report_of(seed, folder):
    text, contract = compose(seed)
    (folder / f"composed{seed}.py").write_text(text)
    return sc.run(f"{folder}/composed{seed}.py:Composed", sc.Contract(**contract), profile="quick")


@pytest.mark.thorough
@pytest.mark.parametrize("seed", BRIEFLY)
def test_sound_parts_make_a_sound_sampler(seed, tmp_path):
    with look_briefly(briefly=True):
        assert complaints(report_of(seed, tmp_path)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("seed", NIGHTLY)
def test_sound_parts_make_a_sound_sampler_whatever_is_put_together(seed, tmp_path):
    report = report_of(seed, tmp_path)
    assert complaints(report) == {}
    assert report.ok


def test_all_parts_are_put_together_sooner_or_later():
    texts = [compose(seed)[0] for seed in (*BRIEFLY, *NIGHTLY)]
    lines = [one.text for one in ORDERS.values()] + [text for _, text in RANKS.values()]
    for part in filter(None, [*lines, *(text.split("UNIT")[0] for _, text in TAILS.values())]):
        assert any(part in text for text in texts), part
    assert len({*texts}) > len(texts) - 5
    for number, text in enumerate(texts):
        compile(text, f"composed{number}", "exec")
