"""Files from outside are read, or are an error of one sentence and exit code 2; none is waited for."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from samplercheck.certifying.certificate import Certificate
from samplercheck.certifying.statement import SCOPE_FILE, TEST_FILE
from samplercheck.running.config import read_config
from samplercheck.storage.case_file import read_case
from samplercheck.storage.report_reading import read
from samplercheck.values.errors import InputError, StoreError, UsageError
from samplercheck.values.guarded import LONGEST, GuardedFile, _read, parse_guarded, parse_python, read_guarded
from tests.support.command_line import call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECONDS = 20.0
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "case": ("case.json", read_case),
    "report": ("report.json", read),
    "test statement": (TEST_FILE, Certificate.read),
    "scope statement": (SCOPE_FILE, Certificate.read),
    "config": ("pyproject.toml", lambda path: read_config(path.parent)),
}


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def no_end(path: Path) -> None:
    path.symlink_to("/dev/zero")


def nothing(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def a_folder(path: Path) -> None:
    path.mkdir()


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10**12)


def deep(path: Path) -> None:
    path.write_bytes(b"a = " + b"[" * 400_000 if path.suffix == ".toml" else b"[" * 400_000)


def many_parts(path: Path) -> None:
    path.write_bytes(b"a." * 400_000 + b"a = 1")


def no_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


BAD = [a_pipe, no_end, a_folder, sparse, deep, many_parts, no_text]


def put(reader: str, bad: Callable[[Path], None], folder: Path) -> Path:
    name, _ = READERS[reader]
    for other in (TEST_FILE, SCOPE_FILE):
        (folder / other).write_text("{}")
    (folder / name).unlink(missing_ok=True)
    bad(folder / name)
    return folder / name


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("reader", READERS)
def test_what_lies_there_is_an_error_at_once(
    reader: str, bad: Callable[[Path], None], tmp_path: Path
) -> None:
    path, started = put(reader, bad, tmp_path), time.monotonic()
    if READERS[reader][1] == Certificate.read and bad in (deep, many_parts, no_text):
        READERS[reader][1](path)  # what they say is looked at by verify
        return
    with pytest.raises(InputError, match=r" is no (?s:.*)\.$") as caught:
        READERS[reader][1](path)
    assert time.monotonic() - started < SECONDS
    assert isinstance(caught.value, StoreError)
    assert isinstance(caught.value, UsageError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("reader", READERS)
def test_on_the_command_line_it_is_exit_2_and_a_sentence(
    reader: str, bad: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(reader, bad, tmp_path)
    monkeypatch.chdir(tmp_path)
    words = {"case": ("replay", path.name), "report": ("report", "."), "config": ("run", "--show-config")}
    done = call(*words.get(reader, ("verify", ".")))
    if reader.endswith("statement") and bad in (deep, many_parts, no_text):
        verdict, _, refused = done.output.splitlines()[-1].partition(": ")
        assert (done.exit_code, verdict) == (1, "NOT VERIFIED")
        assert reader in refused.split(", ")
        return
    is_folder = reader == "case" and bad is a_folder  # which replay reads as one, and finds empty
    assert done.exit_code == (5 if is_folder else 2), done.output
    assert "Traceback" not in done.output
    assert "samplercheck itself" not in done.output


def test_a_link_that_leads_nowhere_is_no_configuration(tmp_path: Path) -> None:
    nothing(tmp_path / "pyproject.toml")
    assert read_config(tmp_path).path is None


def test_a_null_byte_in_a_name_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\\x00b is no thing: .*null (byte|character)"):
        read_guarded(tmp_path / "a\0b", "thing", 9)


def test_a_file_is_read_whole_up_to_its_bound(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert read_guarded(tmp_path / "x", "thing", 5) == b"12345"
    with pytest.raises(InputError, match="it is larger than 4 bytes"):
        read_guarded(tmp_path / "x", "thing", 4)


def test_a_file_that_comes_in_drops_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter(range(0, 10_000, 3))
    monkeypatch.setattr("samplercheck.values.guarded.time.monotonic", lambda: next(moments))
    taken: list[int] = []

    def drop(_: int) -> bytes:
        taken.append(1)
        return b"x"

    with pytest.raises(InputError, match=f"reading it took longer than {LONGEST:.0f} s"):
        _read(drop, tmp_path / "x", "thing", 10**6)
    assert len(taken) < LONGEST


def test_a_large_file_is_read_in_parts(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"0123456789")
    file = GuardedFile(tmp_path / "x", "thing", 10)
    assert (file.size, bytes(file.read([(2, 3), (8, 2)]))) == (10, b"23489")
    with pytest.raises(InputError, match="it is larger than 9 bytes"):
        GuardedFile(tmp_path / "x", "thing", 9)
    with pytest.raises(InputError, match="it is no plain file"):
        GuardedFile(tmp_path, "thing", 9)
    (tmp_path / "x").write_bytes(b"01")
    with pytest.raises(InputError, match="it became shorter while it was read"):
        file.read([(0, 3)])


def test_a_large_file_that_is_slow_all_along_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x").write_bytes(b"0123456789")
    moments = iter(range(0, 10_000, 3))
    monkeypatch.setattr("samplercheck.values.guarded.time.monotonic", lambda: next(moments))
    file = GuardedFile(tmp_path / "x", "thing", 10)
    for _ in range(3):
        file.read([(0, 1)])
    with pytest.raises(InputError, match="longer than it may"):
        file.read([(0, 1)])


@pytest.mark.parametrize(
    "error", [RecursionError("x"), MemoryError(), ValueError("a\x1b[31m"), SyntaxError("x")]
)
def test_what_a_parser_raises_is_one_sentence(error: Exception) -> None:
    def parse(_: bytes) -> None:
        raise error

    with pytest.raises(InputError, match=r"^some.json is no thing: .*\.$") as caught:
        parse_guarded(b"", "some.json", "thing", parse)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("nested", [b"a" + b".x" * 60_000, b"a" + b"()" * 60_000, b"1" + b"+1" * 60_000])
def test_a_source_that_would_end_python_3_10_is_not_parsed(
    nested: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samplercheck.values.guarded.sys.version_info", (3, 10, 13))
    with pytest.raises(InputError, match="nested too deep"):
        parse_python(nested, "a.py", "source file")
    assert parse_python(b"a.b(c)[0]\n" * 5_000, "a.py", "source file").body
