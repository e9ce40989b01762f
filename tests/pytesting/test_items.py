"""From the decorator to items: names, order, other parametrisations, marks, and what is refused."""

from __future__ import annotations

import pytest

from samplercheck import pytest_plugin
from samplercheck.laws import ALL_LAWS
from samplercheck.pytesting.marking import MARK
from samplercheck.pytesting.options import GROUP_MARK
from tests.pytesting.suites import write_suite


def collected(pytester: pytest.Pytester, *words: str) -> list[str]:
    """The items that a session collects, in order, without their files."""
    plain = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly")
    result = pytester.inline_run("--collect-only", *plain, *words)
    calls = result.getcalls("pytest_collection_finish")
    return [item.nodeid.partition("::")[2] for item in calls[0].session.items]


def test_the_plugin_writes_the_marks_as_the_package_does():
    assert pytest_plugin.MARK == MARK
    assert pytest_plugin.GROUP_MARK == GROUP_MARK


def test_every_law_is_an_item_in_the_order_of_the_codes(pytester):
    write_suite(pytester, "@sc.parametrize_with_laws('samplers:Strided')\ndef test_x(law): law()")
    assert collected(pytester) == [f"test_x[{law.label}]" for law in ALL_LAWS]


def test_a_target_in_words_is_not_imported_to_collect(pytester):
    write_suite(pytester, "@sc.parametrize_with_laws('nowhere:x', select=['SC104'])\ndef test_x(law): law()")
    assert collected(pytester) == ["test_x[SC104-equal-steps]"]


@pytest.mark.parametrize(
    ("targets", "names"),
    [
        ("'samplers:Strided', 'samplers:uneven'", ["Strided-", "uneven-"]),
        ("'one:Same', 'two:Same'", ["one-Same-", "two-Same-"]),
        ("'samplers:Strided', 'samplers:Strided'", ["samplers-Strided-1-", "samplers-Strided-2-"]),
        ("sc.target('samplers:Strided', name='a [b]')", [""]),
    ],
)
def test_several_targets_are_named_as_shortly_as_tells_them_apart(pytester, targets, names):
    write_suite(pytester, f"@sc.parametrize_with_laws({targets}, select=['SC104'])\ndef test_x(law): law()")
    assert collected(pytester) == [f"test_x[{name}SC104-equal-steps]" for name in names]


def test_two_decorators_stand_for_the_targets_of_both(pytester):
    write_suite(
        pytester,
        "@sc.parametrize_with_laws('a:A', select=['SC104'])\n"
        "@sc.parametrize_with_laws('b:B', select=['SC102'])\n"
        "def test_x(law): law()",
    )
    assert collected(pytester) == ["test_x[A-SC104-equal-steps]", "test_x[B-SC102-complete]"]


def test_methods_classes_and_other_parametrisations(pytester):
    write_suite(
        pytester,
        """
        @sc.parametrize_with_laws("a:A", select=["SC102", "SC104"])
        class TestX:
            @pytest.mark.parametrize("x", [1, 2])
            def test_m(self, law, x): law()

        class TestY:
            @sc.parametrize_with_laws("a:A", select=["SC104"])
            def test_m(self, law): law()
        """.replace("\n        ", "\n"),
    )
    assert sorted(collected(pytester)) == [
        "TestX::test_m[SC102-complete-1]",
        "TestX::test_m[SC102-complete-2]",
        "TestX::test_m[SC104-equal-steps-1]",
        "TestX::test_m[SC104-equal-steps-2]",
        "TestY::test_m[SC104-equal-steps]",
    ]


@pytest.mark.parametrize(
    ("worlds", "marked"),
    [
        ("None", {"SC901", "SC902"}),
        ("'auto'", {"SC901", "SC902"}),
        ("['simulated']", set()),
        ("['simulated', 'gloo']", {"SC901", "SC902"}),
        ("'gloo'", {law.code for law in ALL_LAWS}),
    ],
)
def test_laws_that_only_process_groups_can_show_are_marked_and_grouped(pytester, worlds, marked):
    write_suite(pytester, f"@sc.parametrize_with_laws('a:A', worlds={worlds})\ndef test_x(law): law()")
    result = pytester.inline_run("--collect-only", "-q")
    items = result.getcalls("pytest_collection_finish")[0].session.items
    assert {one.callspec.params["law"].code for one in items if one.get_closest_marker(GROUP_MARK)} >= marked
    groups = [one.get_closest_marker("xdist_group") for one in items if one.get_closest_marker(GROUP_MARK)]
    assert {mark.args for mark in groups} <= {("samplercheck-pg",)}
    others = [one for one in items if not one.get_closest_marker(GROUP_MARK)]
    assert {one.callspec.params["law"].code for one in others} & marked == set()
    assert not any(one.get_closest_marker("xdist_group") for one in others)


def test_the_mark_deselects_the_items_of_process_groups(pytester):
    write_suite(pytester, "@sc.parametrize_with_laws('a:A')\ndef test_x(law): law()")
    left = collected(pytester, "-m", "not samplercheck_pg")
    assert "test_x[SC901-group-agrees]" not in left
    assert "test_x[SC104-equal-steps]" in left


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("'a:A', select=['SC14']", "*Law 'SC14' does not exist. Did you mean*"),
        ("'a:A', skip=['SC104']", "*Skipping SC104 needs a reason*"),
        ("'a:A', profile='quik'", "*Did you mean 'quick'*"),
        ("'a:A', worlds='glo'", "*Did you mean 'gloo'*"),
        ("", "*No target is given*"),
        ("'a:A', known_failures={'SC104': 'q7m2xw9k'}", "*write samplercheck.known(*"),
    ],
)
def test_what_is_misspelt_is_an_error_of_the_collection(pytester, arguments, said):
    write_suite(pytester, f"@sc.parametrize_with_laws({arguments})\ndef test_x(law): law()")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([said])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--samplercheck-profile", "quik"], "*Did you mean 'quick'*"),
        (["--samplercheck-world", "glo"], "*Did you mean 'gloo'*"),
        (["--samplercheck-report", "test_laws.py"], "*cannot be written to: File exists*"),
    ],
)
def test_options_that_mean_nothing_are_usage(pytester, words, said):
    write_suite(pytester, "def test_x(): pass")
    result = pytester.runpytest_inprocess(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])
