"""From experiments and checks to one file of plain Python, whose ranks run in turn or as a process group.

Called by ``script_of``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from samplercheck.storage.scripts._filling import Filling
from samplercheck.storage.scripts._texts import MODULES, NAMES, PIECES, Steps
from samplercheck.storage.templates import fill
from samplercheck.values.report import LawResult
from samplercheck.worlds import SIMULATED
from samplercheck.worlds.in_rank.surroundings import node_size_of

OTHERS = "passes != others"
"""What is wrong where the whole group has run twice, in fresh processes."""
SEEDS = re.compile(r"\s*(?:torch\.manual_seed|(?:numpy\.)?random\.seed)\(")
HANGS = "faulthandler.dump_traceback_later(20, exit=True)  # stops a rank that hangs, with exit code 1"


class Part(NamedTuple):
    """A law in a script: what the ranks do, and what is asked of it, with all names filled in."""

    result: LawResult
    text: Filling
    steps: Steps
    ranks: tuple[int, ...]
    lines: tuple[str, ...]
    asked: tuple[str, ...]
    wrong: str
    said: str

    @classmethod
    def fill(cls, result: LawResult, text: Filling, steps: Steps, check: str) -> Part:
        """Return the part of one law."""
        text.choose_ranks(steps.ranks)
        lines, asked = tuple(fill(steps.lines, text)), fill(check, text)
        wrong = " or ".join(line[3:] for line in asked if line.startswith("if "))
        said = next((line[4:] for line in asked if line.startswith("say ")), "")
        kept = tuple(line for line in asked if not line.startswith(("if ", "say ")))
        return cls(result, text, steps, text.ranks, lines, kept, wrong, said)

    def ask(self, end: str) -> list[str]:
        """Return the lines of the check."""
        said = f'f"{self.result.code} {self.result.law.name}: {self.said}"'
        return [*self.asked, *([f"if {self.wrong}:", f"    {end}({said})"] if self.wrong else [])]

    def show(self, rank: str) -> list[str]:
        """Return the line that prints what a rank has."""
        return [f'print(f"rank {rank}: {{{self.steps.shown}}}")'] if self.steps.shown else []

    def keep(self, parts: Sequence[Part]) -> list[str]:
        """Return the line that puts what one rank alone took where the checks of these parts look for it."""
        into = self.steps.into
        asked = "\n".join(line for part in parts for line in (*part.asked, part.wrong, part.said))
        return [f"{into} = [{self.steps.result}]"] if into and re.search(rf"\b{into}\b", asked) else []


def format_file(docstring: str, parts: Sequence[Part], *, hangs: bool) -> str:
    """Return the text of a script."""
    text = parts[0].text
    run = _run_in_group if text.in_groups else _run_in_turn
    body = run(parts, hangs=hangs)
    helpers = {name: code for part in parts for name, code in part.text.helpers.items()}
    defined = [f"\n{one}\n" if one.startswith(("class", "def")) else one for one in helpers.values()]
    code, target = "\n".join([*defined, *_seed_once(body)]), text.import_target()
    used = "\n".join([code, *(line for line in target if not line.startswith("from "))])
    modules = [name for name in MODULES.split() if name == "sys" or re.search(rf"(?<![.\w]){name}\.", used)]
    imports = [f"import {name}" for name in modules]
    for place, known in NAMES.items():
        names = [name for name in known if re.search(rf"\b{name}\b", code)]
        imports += [f"from {place} import {', '.join(names)}"] * bool(names)
    head = [f'"""{docstring}"""', "", *imports, "", *target, ""]
    return "\n".join([*head, code, ""])


def _seed_once(lines: Sequence[str]) -> list[str]:
    """Return lines without those that seed a generator which the next line seeds again."""
    seeded = [found.group() if (found := SEEDS.match(line)) else line for line in lines]
    return [
        line
        for line, one, following in zip(lines, seeded, [*seeded[1:], ""], strict=True)
        if one != following or not SEEDS.match(line)
    ]


def _share(parts: Sequence[Part]) -> list[list[Part]]:
    """Return the parts in groups that share what ranks do in one case."""
    found: dict[tuple[object, ...], list[Part]] = {}
    for part in parts:
        found.setdefault((part.text.case, part.steps, part.ranks, part.lines), []).append(part)
    return list(found.values())


def _run_in_turn(parts: Sequence[Part], *, hangs: bool) -> list[str]:
    several = sum(bool(part.wrong) for part in parts) > 1
    lines = [HANGS] * hangs + ["wrong = []"] * several
    for group in _share(parts):
        first, steps = group[0], group[0].steps
        if len(first.ranks) > 1:
            names = {**steps._asdict(), "lines": [*first.lines], "numbers": _numbers(first.ranks)}
            lines += fill(PIECES["ranks_in_turn"], first.text, **names)
        else:
            lines += [*first.lines, *first.show("".join(map(str, first.ranks))), *first.keep(group)]
        asked: list[str] = []
        for part in group:
            end = "wrong.append" if several else "sys.exit"
            lines += [line for line in part.ask(end) if line not in asked]
            asked += part.asked
    lines += ['sys.exit("\\n".join(wrong) or 0)'] * several
    if not any("spawn" in line for line in lines):
        return lines
    return ["", 'if __name__ == "__main__":', *(textwrap.indent(line, "    ") for line in lines)]


def _run_in_group(parts: Sequence[Part], *, hangs: bool) -> list[str]:
    size, inside, after, number = parts[0].text.world, [HANGS] * hangs, list[str](), 0
    for group in _share(parts):
        first, asked = group[0], [line for part in group for line in part.ask("sys.exit")]
        inside += [*first.lines, *first.show("{rank}")]
        if len(first.ranks) > 1 or first.steps.ranks == "world":
            taken = f"[ranks[rank][{number}] for rank in {_numbers(first.ranks)}]"
            after.append(f"{first.steps.into} = {taken}")
            if any(part.wrong == OTHERS for part in group):
                after.append(f"others = {taken.replace('ranks', 'runs[1]')}")
            inside.append(f"found.append({first.steps.result})")
            after, number = [*after, *asked], number + 1
        else:
            inside += [*first.keep(group), *asked]
    simulated = all(part.result.failure and part.result.failure.world == SIMULATED for part in parts)
    node, twice = node_size_of(size) if simulated else size, any(part.wrong == OTHERS for part in parts)
    names = {"inside": inside, "after": after, "number": number, "node": node, "twice": twice}
    return fill(PIECES["process_group"], parts[0].text, **names)


def _numbers(ranks: tuple[int, ...]) -> str:
    return f"range({len(ranks)})" if ranks == tuple(range(len(ranks))) else str(ranks)
