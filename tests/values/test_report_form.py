"""Values are written by the fields of a form and read again, whatever the values call those fields."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from samplercheck.values.failure_form import ReportPart
from samplercheck.values.report_form import read, write


@dataclass(frozen=True)
class Note:
    fix: str
    places: tuple[tuple[int, ...], ...] = ()
    hidden: int = 0


class NoteData(ReportPart):
    label: str
    fix: str = msgspec.field(name="mend")
    places: list[list[int]]


@given(st.builds(Note, fix=st.text(), places=st.lists(st.lists(st.integers()).map(tuple)).map(tuple)))
def test_reading_is_the_inverse_of_writing(note):
    plain = write(NoteData, note, label="a note")
    assert list(plain) == ["label", "mend", "places"]
    assert plain["places"] == [list(place) for place in note.places]
    assert read(NoteData, Note, plain) == note


def test_what_is_given_overrules_and_what_lacks_has_its_default():
    assert write(NoteData, Note("pad"), label="x", fix="drop") == {"label": "x", "mend": "drop", "places": []}
    assert read(NoteData, Note, {"mend": "pad"}, hidden=3) == Note("pad", hidden=3)
