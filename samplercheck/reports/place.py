"""Place: the line of code that decided a mistake, with what it does, and the same in one line of the screen.

Read by the verdict, from the plain data of a report. Pure.
"""

from __future__ import annotations

import re

from samplercheck.reports.mistakes import HARMS, Mistake
from samplercheck.reports.standing import Plain, consequence_of, detail_of
from samplercheck.values.layout import cut, cut_code, is_of_python, shorten_line
from samplercheck.values.wording import CHANGES_OWN, PASSES_FROM

LONGEST_LINE, SHORTEST_CODE, SHORTEST_ALONE = 66, 36, 22
_FRAME = re.compile(r"^(\S+:\d+) in \S+?: (.+)$", re.MULTILINE)
_LINE = re.compile(
    r"(\S+?:\d+)(?:: (.*?))?"
    r"(?:; ((?:this|only|failing|it|the|\w+\(\)) [^;]*?)(?: \(\d+ (?:cases tried|compared)\))?)?"
)


def choose_line(failure: Plain) -> str:
    """Return the line that decided a failure, but not one that says no more than where passes come from."""
    line = str(failure.get("line", ""))
    return "" if line.endswith(PASSES_FROM) else line


def name_line(mistake: Mistake) -> tuple[str, str]:
    """Return the line of code that decided a mistake with what it does, and the same cut to one line.

    Where none is known, that of the law that says why.
    """
    lines = [choose_line(failure) for failure in (mistake.lead["failure"], mistake.explained)]
    lines.sort(key=lambda line: CHANGES_OWN not in line)
    lines += [f"{place}: {code}" for place, code in _choose_frame(mistake.lead)]
    line = shorten_line(next(filter(None, lines), ""))
    found = _LINE.fullmatch(line)
    if found is None:
        return line, cut(line, LONGEST_LINE)
    place, code = found.group(1), f": {found.group(2)}" if found.group(2) else ""
    does = f" ({found.group(3)})" if found.group(3) else ""
    return f"{place}{code}{does}", _cut_to_line(place, code, does)


def _choose_frame(one: Plain) -> list[tuple[str, str]]:
    """Return the line that raised or, of what hangs, the outermost of the target: where it is is luck."""
    lines = [line for line in detail_of(one["failure"]).splitlines() if not is_of_python(line)]
    frames = _FRAME.findall("\n".join(lines)) or _FRAME.findall(detail_of(one["failure"]))
    own = [frame for frame in frames if "site-packages" not in frame[0]] or frames
    return own[:1] if consequence_of(one) == HARMS[0] else frames[-1:]


def _cut_to_line(place: str, code: str, does: str) -> str:
    """Return all three in one line: what the code shows gives way first, then folders, then its end."""
    if len(f"{place}{code}{does}") <= LONGEST_LINE:
        return f"{place}{code}{does}"
    name = place.rpartition("/")[2]
    shows_it = does.endswith("() ends here)") or does == f" (this changes {code[2:].partition(' ')[0]})"
    if shows_it and len(f"{name}{code}") <= LONGEST_LINE:
        return f"{place if len(f'{place}{code}') <= LONGEST_LINE else name}{code}"
    shortest = SHORTEST_CODE if does else SHORTEST_ALONE
    fits = len(f"{name}{code}{does}") <= LONGEST_LINE
    if fits or not does or len(f"{place}{does}") + shortest > LONGEST_LINE:
        place = name
    room = LONGEST_LINE - len(f"{place}{does}")
    brief = code if len(code) <= room else cut_code(code, room) if room >= shortest else ""
    return f"{place}{brief}{does}"
