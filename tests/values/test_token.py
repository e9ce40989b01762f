"""Tokens: short, readable, the exact inverse of parsing, and what is told of a wrong one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.values._token import LONGEST, parse_token
from samplercheck.values.errors import CaseError
from tests.support.strategies import any_cases


@given(any_cases())
def test_parse_is_the_inverse_of_token(case):
    again = Case.parse(case.token)
    assert again == case
    assert again.to_dict() == case.to_dict()
    assert again.token == case.token


@pytest.mark.parametrize(
    ("case", "token"),
    [
        (Case(length=3, world_size=2, drop_last=True), "n=3,world=2,batch=1,drop_last"),
        (Case(length=0), "n=0,world=1,batch=1"),
        (Case(length=1, shuffle=True, seed=7, epochs=2), "n=1,world=1,batch=1,shuffle,seed=7,epochs=2"),
        (
            Case(length=9, stop=0, workers=2, resume_world_size=4),
            "n=9,world=1,batch=1,stop=0,workers=2,resume_world=4",
        ),
        (
            Case(length=2, features={"weights": [0.5, 0], "lengths": [1, 16]}),
            "n=2,world=1,batch=1,lengths=1:16,weights=0.5:0",
        ),
        (
            Case(length=1, options={"b": True, "a": "x,y", "c": None, "d": -0.5}),
            'n=1,world=1,batch=1,a!"x%2Cy",b!true,c!null,d!-0.5',
        ),
        (Case(length=0, features={"labels": []}), "n=0,world=1,batch=1,labels="),
        (Case(length=2, features={"labels": ["cat", "a:b"]}), 'n=2,world=1,batch=1,labels="cat":"a%3Ab"'),
    ],
)
def test_a_token_is_short_and_readable(case, token):
    assert case.token == token
    assert Case.parse(token) == case


def test_a_token_may_have_spaces_around_its_parts_and_leave_out_defaults():
    assert Case.parse(" n=3 , world=2 ,shuffle ") == Case(length=3, world_size=2, shuffle=True)
    assert Case.parse("n=5") == Case(length=5)


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "is not part of a token"),
        ("world=2", "needs a length"),
        ("n=3,wrold=2", "Did you mean 'world'"),
        ("n=3,n=4", "'n' appears twice"),
        ("n=3,x!1,x!2", "'x!' appears twice"),
        ("n=", "needs a whole number"),
        ("n=-1", "needs a whole number"),
        ("n=1.5", "needs a whole number"),
        ("n=٣", "needs a whole number"),
        ("n=" + "9" * 21, "needs a whole number"),
        ("n=99999999999999999999", "is not legal"),
        ("n=3,shuffle=True", "is not part of a token"),
        ("n=3,world=0", "from 1 to"),
        ("n=2,lengths=1", "needs 2 numbers"),
        ("n=2,lengths=1::2", "needs numbers joined by"),
        ("n=2,lengths=1:x", "needs numbers joined by"),
        ("n=1,lengths=true", "needs numbers joined by"),
        ('n=1,lengths="x"', "needs numbers joined by"),
        ('n=2,labels="x":1', "needs 2 numbers >= 0 or texts"),
        ("n=1,weights=NaN", "needs numbers joined by"),
        ("n=1,weights=1e999", "needs 1 numbers"),
        ("n=1,weights=-1", "needs 1 numbers"),
        ("n=1,x!", "needs a number, true"),
        ("n=1,x!hello", "needs a number, true"),
        ("n=1,x![1]", "needs a number, true"),
        ("n=1,x!NaN", "needs a number, true"),
        ("n=1,x!1e999", "x=inf is not plain data"),
        ("n=1,x!" + "9" * 5000, "needs a number, true"),
        ("n=1,x!" + "9" * 4000, "above 2.8192 is not plain data"),
        ("n=1,!1", "not a parameter name"),
        ("n=1,two words!1", "not a parameter name"),
    ],
)
def test_a_wrong_token_is_an_error_that_says_what_is_wrong(token, said):
    with pytest.raises(CaseError, match=said):
        Case.parse(token)


def test_a_token_too_long_to_be_one_is_refused_unread():
    with pytest.raises(CaseError, match="too long"):
        Case.parse("n=3," + "x" * LONGEST)


@given(st.text() | st.text(alphabet='nworldbatch=!,:0123456789."%truefalsenull-e '))
@example("n=1,x!" + "[" * 100_000)
@example("n=1,x!%FF")
@example('n=1,x!"\\ud800"')
def test_any_text_is_a_case_or_a_case_error(text):
    try:
        case = Case.parse(text)
    except CaseError:
        return
    assert Case.parse(case.token) == case


@pytest.mark.thorough
@given(any_cases(), st.data())
def test_a_damaged_token_is_a_case_or_a_case_error(case, data):
    token = case.token
    cut = data.draw(st.integers(0, len(token)))
    put = data.draw(st.sampled_from(["", ",", "!", "=", "%", '"', ":", "1", "\n"]))
    try:
        parse_token(token[:cut] + put + token[cut + 1 :])
    except CaseError:
        return
