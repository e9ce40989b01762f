"""Text for terminals is ASCII and never wider than the screen, whatever it is made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck.values.case import Case
from samplercheck.values.layout import (
    case_in_brief,
    case_text,
    cut,
    cut_code,
    frame,
    is_of_python,
    last_frames,
    printable,
    row,
    sentence,
    shorten_line,
    split_case,
    wrap,
)
from tests.support.handmade import a_case


@given(st.text())
def test_printable_text_is_one_line_of_ascii(text: str) -> None:
    shown = printable(text)
    assert shown.isascii()
    assert all(" " <= char <= "~" for char in shown)


def test_printable_text_escapes_what_a_terminal_would_obey() -> None:
    assert printable("a\x1b[31mb\nc\u00e9\udc80") == "a\\x1b[31mb\\nc\\xe9\\udc80"


def test_a_sentence_begins_large_and_ends_with_a_stop() -> None:
    assert sentence("pad  the\nlast round") == "Pad the last round."
    assert sentence("Really?") == "Really?"
    assert sentence("rank's order, which is its own") == "Rank's order, which is its own."
    assert sentence(" ") == ""


def test_a_sentence_that_begins_with_a_name_a_path_or_code_keeps_it() -> None:
    for begin in ("fk.s:S", "fk.s", "len()", "drop_last", "one/neg.json", "seed=1", "b2", "torchData", "-"):
        assert sentence(f"{begin} is what it is") == f"{begin} is what it is."


def test_a_cut_keeps_both_ends_and_the_width() -> None:
    assert cut("package.module:Sampler", 11) == "pack...pler"
    assert cut("short", 11) == "short"


@given(st.text(), st.integers(1, 5))
def test_wrapped_lines_keep_to_the_width_and_the_number(text: str, most: int) -> None:
    lines = wrap(printable(text), indent=4, width=40, most=most)
    assert len(lines) <= most
    assert all(len(line) <= 40 for line in lines)


def test_a_row_begins_every_line_in_its_column() -> None:
    lines = row("fix", "word " * 30, column=11)
    assert len(lines) == 3
    assert lines[0].startswith("  fix      word")
    assert all(line.startswith("           word") for line in lines[1:])
    assert row("fix", "") == []


def test_a_case_is_told_by_its_place_and_what_is_not_the_default() -> None:
    features, options = {"lengths": [5, 1, 2]}, {"bucket": "wide"}
    case = a_case(length=3, world_size=2, shuffle=True, seed=9, features=features, options=options)
    text = "length=3 world_size=2 batch_size=1 shuffle seed=9 lengths=[5,1,2] bucket=wide"
    assert case_text(case.to_dict()) == text


def test_a_long_traceback_line_loses_its_folders_before_its_source() -> None:
    line = "/home/me/project/mypkg/samplers.py:12 in build: raise RuntimeError(world)"
    assert frame(line, 100) == line
    assert frame(line, 60) == ".../mypkg/samplers.py:12 in build: raise RuntimeError(world)"
    assert frame(line, 40) == ".../samplers.py:12 in build: raise ..."
    assert len(frame("x" * 300, 40)) == 40


def test_a_line_of_a_file_elsewhere_is_named_by_the_file_alone():
    assert shorten_line("/home/me/project/samplers.py:7: return a / b") == "samplers.py:7: return a / b"
    assert shorten_line("pkg/samplers.py:7: open('/a/b:3: ')") == "pkg/samplers.py:7: open('/a/b:3: ')"
    assert shorten_line("/usr/lib/python3/site-packages/torch/utils.py:3: pass") == "torch/utils.py:3: pass"


@pytest.mark.parametrize(("size", "more"), [(1, ""), (16, " batch_size=16")])
def test_a_case_in_brief_leaves_out_the_batch_size_of_one_alone(size: int, more: str) -> None:
    says = f"length=5 world_size=2{more}"
    case = Case(length=5, world_size=2, batch_size=size).to_dict()
    assert case_in_brief(case) == says
    assert split_case(f"Rank 0 yields 3 items ({says}).") == ("Rank 0 yields 3 items", says)
    assert split_case("Rank 0 yields 3 items.") == ("Rank 0 yields 3 items.", "")


def test_of_code_that_is_too_long_what_returns_it_goes_first() -> None:
    assert cut_code("a.py:9: return iter(pick(*places)(order))", 36) == "a.py:9: iter(pick(*places)(order))"
    assert cut_code("yield from order[rank::world_size]", 24) == "order[rank::world_size]"


LOGS = (
    "/venv/lib/python3.11/site-packages/kit/sampler.py:7 in __iter__: log.warning(text)",
    *(f"/usr/lib/python3.11/logging/__init__.py:{number} in handle: go(on)" for number in range(5)),
)


def test_the_end_of_a_traceback_has_a_line_that_is_not_of_python_itself() -> None:
    shown = last_frames("\n".join(LOGS), 3, 100)
    assert [line.strip().rpartition("/")[2].partition(" ")[0] for line in shown] == [
        "sampler.py:7",
        "__init__.py:3",
        "__init__.py:4",
    ]
    assert last_frames("\n".join(LOGS[1:]), 2, 100) == last_frames("\n".join(LOGS[-2:]), 2, 100)


@pytest.mark.parametrize(
    ("path", "is_own"),
    [
        ("/usr/lib/python3.12/random.py", False),
        (r"C:\Python312\Lib\random.py", False),
        ("/usr/lib/python3/dist-packages/kit.py", True),
        ("/venv/lib/python3.12/site-packages/kit.py", True),
        ("lib/sampler.py", True),
    ],
)
def test_lines_of_python_itself_are_known_by_their_path(path: str, is_own: bool) -> None:
    assert is_of_python(f"{path}:3 in go: x = 1") != is_own


def test_a_contract_that_is_too_long_for_a_line_is_given_in_parts_that_can_be_pasted() -> None:
    fields = "sharding=none,coverage=sampled,order=free,epochs=advance,ambient_rng=shared"
    assert wrap(f"--contract {fields}", indent=12) == [
        "            --contract sharding=none,coverage=sampled,order=free",
        "            --contract epochs=advance,ambient_rng=shared",
    ]
    assert wrap(f"--contract {fields}", width=120) == [f"--contract {fields}"]
