"""The regression test that is written names the very case, contract and world, and is Python."""

from __future__ import annotations

import ast

import pytest

import samplercheck as sc
from samplercheck.running.replaying import regression_test
from samplercheck.running.replaying._subjects import ReplayCase
from samplercheck.running.replaying._verdicts import FAILED, ReplayVerdict
from samplercheck.storage.case_file import Breach

RULE = "budget(lengths,8)"


def the_call(contract, recorded, world):
    """The arguments of ``sc.replay`` in the test that is written for one failure."""
    breach = Breach("pkg:x", "SC604", "a batch is too long", "pkg:x", recorded, contract)
    subject = ReplayCase(case=sc.Case(length=2), law="SC604", breach=breach)
    text = regression_test([ReplayVerdict(word=FAILED, subject=subject, law="SC604")], world=world)
    (call,) = [one for one in ast.walk(ast.parse(text)) if ast.unparse(one).startswith("sc.replay(")][-1:]
    assert isinstance(call, ast.Call)
    return [*map(ast.unparse, call.args), *map(ast.unparse, call.keywords)]


@pytest.mark.parametrize(
    ("recorded", "world", "told"),
    [
        ("simulated", None, []),
        ("gloo", None, ["world='gloo'"]),
        ("simulated", "gloo", ["world='gloo'"]),
        ("gloo", "simulated", []),
    ],
)
def test_it_asks_in_the_world_in_which_the_case_was_asked(recorded, world, told):
    assert the_call({}, recorded, world) == ["'SC604?n=2,world=1,batch=1'", "target='pkg:x'", *told]


def test_it_promises_what_was_promised():
    _, target = the_call({"batch_rule": RULE}, "simulated", None)
    assert target == f"target=sc.target('pkg:x', contract=sc.Contract(batch_rule={RULE!r}))"
    assert sc.Contract(batch_rule=RULE).batch_rule == sc.rules.budget("lengths", 8)
