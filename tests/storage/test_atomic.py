"""Files appear whole or not at all."""

from __future__ import annotations

import pytest

from samplercheck.storage.atomic import write_whole


def test_a_file_that_cannot_be_written_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    write_whole(path, b"first")
    with pytest.raises(TypeError):
        write_whole(path, "no bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]
