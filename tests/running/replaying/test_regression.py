"""The regression test that is written names the very case, contract and world, and is Python."""

from __future__ import annotations

import ast

import pytest

import samplercheck as sc
from samplercheck.running.replaying import regression_test
from samplercheck.running.replaying._subjects import ReplayCase
from samplercheck.running.replaying._verdicts import ERROR, FAILED, ReplayVerdict
from samplercheck.storage.case_file import Breach
from samplercheck.values.errors import ContractError, UsageError

RULE = "budget(lengths,8)"


def the_call(contract, recorded, world):
    """The arguments of ``sc.replay`` in the test that is written for one failure."""
    breach = Breach("pkg:x", "SC604", "a batch is too long", "pkg:x", recorded, contract)
    subject = ReplayCase(case=sc.Case(length=2), law="SC604", breach=breach)
    verdict = ReplayVerdict(
        word=FAILED, subject=subject, law="SC604", runs=3, place="pkg:x", contract=contract
    )
    text = regression_test([verdict], world=world)
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


# A stranger's file

EVIL = "x=__import__('os').system('touch pwned') or 1, tail"
NASTY = 'a"""\n__import__("os").system("touch pwned")\n"""\\'


def a_strangers_verdict(word, contract, runs, place="pkg:mine"):
    breach = Breach("mine", "SC104", NASTY, "evil:thing", "simulated", {EVIL: "keep"})
    subject = ReplayCase(case=sc.Case(length=2), law="SC104", breach=breach)
    return ReplayVerdict(word=word, subject=subject, law="SC104", runs=runs, place=place, contract=contract)


def test_what_was_refused_is_not_written():
    refused = a_strangers_verdict(ERROR, {}, 0, place="")
    with pytest.raises(UsageError, match="Nothing of this could be run and judged"):
        regression_test([refused])
    undecided = a_strangers_verdict(ERROR, {}, 3)
    with pytest.raises(UsageError, match="Nothing of this could be run and judged"):
        regression_test([undecided])
    text = regression_test([refused, undecided, a_strangers_verdict(FAILED, {}, 3)])
    assert text.count("sc.replay(") == 1


def test_what_was_run_is_written_and_not_what_the_file_names():
    text = regression_test([a_strangers_verdict(FAILED, {"tail": "keep"}, 3)])
    assert "evil:thing" not in text
    assert "sc.target('pkg:mine', contract=sc.Contract(tail='keep'))" in text
    calls = {ast.unparse(one.func) for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)}
    assert calls == {"sc.replay", "sc.target", "sc.Contract", "report.raise_for_failures"}


def test_a_field_that_no_contract_has_is_never_written():
    with pytest.raises(ContractError, match="does not exist"):
        regression_test([a_strangers_verdict(FAILED, {EVIL: "keep"}, 3)])


def test_what_is_no_ascii_is_written_as_escapes():
    text = regression_test([a_strangers_verdict(FAILED, {"reference": "caf\u00e9:x"}, 3, "caf\u00e9:y")])
    assert text.isascii()
    assert "caf\\xe9:y" in text


def test_no_test_is_written_of_what_fails_only_after_other_cases():
    """It would pass by its token, whatever the target does."""
    breach = Breach("pkg:x", "SC604", "a batch is too long", "pkg:x", before=("n=5",))
    subject = ReplayCase(case=sc.Case(length=2), law="SC604", breach=breach)
    verdict = ReplayVerdict(word=FAILED, subject=subject, law="SC604", runs=3, place="pkg:x")
    with pytest.raises(UsageError, match="fails only after others in the same process"):
        regression_test([verdict])
