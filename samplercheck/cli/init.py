"""``samplercheck init``: writes a test and a section of pyproject.toml for a target; never over anything.

Imports the target, and with it torch, to see which of its parameters the kit binds. What was done is
said on stderr; a workflow goes to stdout, to be sent where it belongs.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import click

from samplercheck.running.config import SECTION, read_config
from samplercheck.storage.atomic import write_whole
from samplercheck.targets.binding import Binding
from samplercheck.targets.locate import path_from_here
from samplercheck.targets.meanings import BOUND
from samplercheck.values.contract import Contract
from samplercheck.values.errors import UsageError
from samplercheck.values.report import Proposal
from samplercheck.values.wording import join_words

PYPROJECT = "pyproject.toml"
COMMENT = "It seems to {signs}: remove the contract if that is not meant."
QUESTION = "Is it meant to {signs}? Then declare {what}; if not, {codes} {are} the bug."
"""Of a contract that would excuse what loses or repeats data, or lets ranks wait."""
TEST = '''"""The laws of samplercheck on {name}: one test for each."""
{imports}
import samplercheck as sc


# Varied by name: {varied}.
{comment}@sc.parametrize_with_laws({target}{contract})
def test_{short}(law):
    law()
'''
WORKFLOW = """\
name: samplers

on:
  push:
  pull_request:

permissions:
  contents: read

jobs:
  samplercheck:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install . samplercheck
      # All targets of [tool.samplercheck.targets]; broken laws become annotations.
      - run: samplercheck run --format github --report samplercheck-report
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: samplercheck-report
          path: samplercheck-report
"""


@click.command()
@click.argument("target", required=False)
@click.option("--ci", type=click.Choice(["github"]), help="Print a workflow.")
def command(target: str | None, ci: str | None) -> int:
    """Write tests/test_NAME.py and a section of pyproject.toml for TARGET; what exists is left as it is.

    With --ci a workflow that runs all configured targets is printed.
    """
    if target is None and ci is None:
        raise UsageError("Name a target: samplercheck init package.module:attribute, or ask for --ci github.")
    if target is not None:
        _begin(target)
    if ci is not None:
        click.echo(WORKFLOW, nl=False)
    return 0


def _begin(target: str) -> None:
    from samplercheck.running.inferring import propose_for
    from samplercheck.targets.target import target as found

    bound = found(target)
    binding = bound.bind()
    root = _root()
    factory = _from_root(target, root)
    short = _short(target)
    seems = propose_for(bound)
    _write_test(root / "tests" / f"test_{short}.py", factory, short, binding, seems)
    _write_section(root / PYPROJECT, factory, short, binding, seems)
    if seems is not None and seems.doubted:
        click.echo(f"asks       whether it is meant to {join_words(seems.signs)}: see the comment", err=True)
    click.echo("now run    pytest, or samplercheck run " + short, err=True)


def _root() -> Path:
    """Return the directory of the project: that of the nearest pyproject.toml, else this one."""
    here = Path.cwd()
    return next((one for one in (here, *here.parents) if (one / PYPROJECT).is_file()), here)


def _from_root(target: str, root: Path) -> str:
    """Return the text of a target as it is found from the project's directory."""
    place, _, attribute = target.rpartition(":")
    if not place.endswith(".py"):
        return target
    return f"{Path(os.path.relpath(place, root)).as_posix()}:{attribute}"


def _short(target: str) -> str:
    """Return the name of a target as a function is called: ``bucket_sampler``."""
    last = re.split(r"[.:]", target)[-1]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", last).lower()


def _write_test(path: Path, factory: str, short: str, binding: Binding, seems: Proposal | None) -> None:
    place, _, attribute = factory.rpartition(":")
    is_file = place.endswith(".py")
    found = f"str(Path(__file__).parents[1] / {json.dumps(place)}) + {json.dumps(':' + attribute)}"
    declared = "" if seems is None else f"sc.{Contract(**seems.contract).text}"
    text = TEST.format(
        name=factory,
        imports="\nfrom pathlib import Path\n" if is_file else "",
        varied=", ".join(sorted(binding.named)) or "nothing but the ranks",
        target=found if is_file else json.dumps(factory),
        short=short,
        comment="" if seems is None else _comment(seems, f"contract={declared}") + "\n",
        contract=f", contract={declared}" if seems is not None and not seems.doubted else "",
    )
    _write_new(path, text)


def _comment(seems: Proposal, what: str) -> str:
    """Return the line above a contract: what it says, or the question whether it is meant."""
    are = "is" if len(seems.doubted) == 1 else "are"
    text = QUESTION if seems.doubted else COMMENT
    codes, signs = join_words(seems.doubted), join_words(seems.signs)
    return "# " + text.format(signs=signs, what=what, codes=codes, are=are)


def _write_new(path: Path, text: str) -> None:
    shown = path_from_here(str(path))
    if path.exists():
        click.echo(f"left       {shown}, which exists", err=True)
        return
    write_whole(path, text.encode())
    click.echo(f"wrote      {shown}", err=True)


def _write_section(path: Path, factory: str, short: str, binding: Binding, seems: Proposal | None) -> None:
    """Add the target to pyproject.toml, unless it is there or the file would not be read any more."""
    section, shown = _section(factory, short, binding, seems), path_from_here(str(path))
    if _has(path, short):
        click.echo(f"left       {shown}, which has [{SECTION}.targets.{short}]", err=True)
        return
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    joint = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    write_whole(path, (before + joint + section).encode())
    try:
        added = _has(path, short)
    except UsageError:
        added = False
    if not added:
        write_whole(path, before.encode())
        raise UsageError(f"{shown} cannot be added to as it stands. Add by hand:\n\n{section}")
    click.echo(f"added      [{SECTION}.targets.{short}] to {shown}", err=True)


def _has(path: Path, short: str) -> bool:
    config = read_config(path.parent)
    return config.path == path.resolve() and short in config.targets


def _section(factory: str, short: str, binding: Binding, seems: Proposal | None) -> str:
    lines = [f"[{SECTION}.targets.{short}]", f"factory = {json.dumps(factory)}"]
    if seems is not None:
        said = ", ".join(f"{name} = {json.dumps(value)}" for name, value in seems.contract.items())
        lines += [_comment(seems, "this"), f"{'# ' if seems.doubted else ''}contract = {{ {said} }}"]
    options = _options(binding)
    if options:
        shown = ", ".join(f"{name} = [{value}]" for name, value in options.items())
        lines.append("# Its own options keep their defaults; name values to vary them:")
        lines.append(f"# axes = {{ {shown} }}")
    return "\n".join(lines) + "\n"


def _options(binding: Binding) -> dict[str, str]:
    """Return the parameters that the kit does not bind, with defaults that TOML can say."""
    return {
        name: json.dumps(one.default)
        for name, one in binding.signature.parameters.items()
        if name not in BOUND and isinstance(one.default, (bool, int, float, str))
    }
