"""What a certificate has to say: what its caller expects, and the laws, phases and faults of its profile.

Asked by ``checks``, which must not wait for torch: laws and faults are read from the text of their files. The
functions yield what is otherwise, in words; nothing where all is as it should be.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from samplercheck.certifying.shapes import (
    differences_of_axes,
    differences_of_contract,
    differences_of_counts,
    differences_of_place,
    differences_of_small_scope,
    differences_of_words,
)
from samplercheck.certifying.source import digest_of
from samplercheck.certifying.statement import INSTALLED, Plain
from samplercheck.search.profiles import PROFILES, for_loaders, modestly
from samplercheck.targets.imports import package_folders
from samplercheck.targets.locate import Place
from samplercheck.values.batch_rules import READY
from samplercheck.values.choices import MAY_BE_FUNCTIONS, name_function
from samplercheck.values.contract import Contract
from samplercheck.values.errors import InputError, UsageError
from samplercheck.worlds import GROUPS

FEW = 4
FAULTS, LAWS = Path(__file__).parent / "faults", Path(__file__).parents[1] / "laws"
_FAULT = re.compile(r'KnownFault\(\s*"([^"]+)",\s*"(\w+)"')
_LAW = re.compile(r"^LAW = Law\(.*?^\)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"[\w.]+:[\w.]+")
OWN = "SC"
"""What the codes of the kit's own laws begin with; others are the project's."""


class Expectation(NamedTuple):
    """What the caller expects a certificate to be about: its target, and all fields of its contract."""

    target: str | None = None
    contract: Plain | None = None

    @classmethod
    def of(cls, target: str | None, contract: Contract | None) -> Expectation:
        """Return what is expected; refuse a function in the contract whose name others may have, too."""
        functions = [getattr(contract, name, None) for name in MAY_BE_FUNCTIONS]
        named = {name_function(one): one for one in functions if callable(one) and type(one) not in READY}
        for name, function in named.items():
            owner = getattr(function, "__self__", None)
            if not _NAME.fullmatch(name) or not (owner is None or isinstance(owner, type | ModuleType)):
                raise UsageError(
                    f"No certificate can be held against {name}: others may have that name, too. Leave the "
                    "contract out, which the certified files decide, or name a function of a module."
                )
        return cls(target, None if contract is None else contract.to_dict())

    def judge_target(self, scope: Plain, root: Path) -> tuple[bool, str]:
        """Return whether it is about this target, and about that one's file; and which it is about."""
        predicate = scope["predicate"]
        says = " at ".join(dict.fromkeys([predicate["target"], predicate["place"]]))
        if self.target is not None and not _is_named(self.target, predicate, root):
            return False, f"{says}, and not {self.target}"
        files = _files_of_place(scope, root)
        module = Place.of(predicate["place"]).module
        astray = "" if files else f"{module} is none of the files that it is about"
        astray = astray or "".join(differences_of_place(predicate["place"], [*_find_intact(files, root)]))
        return not astray, f"{says}: {astray}" if astray else says

    def judge_contract(self, predicate: Plain) -> tuple[bool, str]:
        """Return whether it is about this contract, and which it is about."""
        said, usual = predicate["contract"], Contract().to_dict()
        axes = differences_of_axes(predicate["axes"], predicate["drawn_axes"])
        wrong = [one for part in (said, predicate["changes"]) for one in differences_of_contract(part)]
        if odd := "; ".join(dict.fromkeys([*wrong, *axes])):
            return False, odd
        whole = {**usual, **said}
        text = _contract_text(whole, usual)
        if self.contract is None or self.contract == whole:
            return True, text
        return False, f"{text}, and not {_contract_text(self.contract, usual)}"


def differences_of_laws(laws: list[Plain]) -> Iterator[str]:
    """Yield which laws are left out, strange or judged by other code, and which counts contradict them."""
    here = known_laws()
    codes = [one["code"] for one in laws]
    yield from _named("not judged", here.keys() - set(codes))
    yield from _named("unknown here", {code for code in codes if code.startswith(OWN)} - here.keys())
    yield from _named("named twice", _doubled(codes))
    known = [one for one in laws if one["code"] in here]
    changed = {one["code"] for one in known if one["version"] != here[one["code"]][0]}
    yield from _named("judged by other code", changed)
    other = {one["code"] for one in known if (one["name"], one["statement"]) != here[one["code"]][1:]}
    yield from _named("in other words than here", other - changed)
    judged_nothing = {one["code"] for one in laws if one["outcome"] == "holds" and not one["judged"]}
    yield from _named("said to hold in no case", judged_nothing)
    judged = {one["code"] for one in laws if one["outcome"] != "holds" and (one["judged"] or one["planted"])}
    yield from _named("said not to apply, and judged", judged)
    if not any(one["outcome"] == "holds" for one in laws):
        yield "no law holds"


def differences_of_phases(phases: list[Plain], laws: list[Plain], profile: str) -> Iterator[str]:
    """Yield which phases of a profile lack or tried fewer cases, and which laws they contradict."""
    name = profile.partition("@")[0]
    if name not in PROFILES:
        return
    whole = PROFILES[name]
    cases = {phase["phase"]: phase["cases"] for phase in phases}
    kinds = (whole, for_loaders(whole))
    if not cases.get("small scope"):
        yield "no small scope"
    for one in phases:
        if one["phase"] == "small scope" and one["cases"]:
            yield from differences_of_small_scope(one, kinds)
        yield from differences_of_words(one, {"modest": modestly(whole), "large": whole})
    yield from _named("named twice", _doubled([one["phase"] for one in phases]))
    yield from differences_of_counts(phases)
    modest = {modestly(kind, collectives=uses).examples for kind in kinds for uses in (False, True)}
    for phase, legal in (("modest", modest), ("large", {kind.examples for kind in kinds})):
        if legal != {0} and cases.get(phase, 0) not in legal:
            most = " or ".join(f"{one:,}" for one in sorted(legal, reverse=True))
            yield f"{cases.get(phase, 0):,} {phase} cases and not {most}"
    if whole.group_cases and not any(cases.get(name) for name in GROUPS):
        yield "no process groups"
    judged = {law["code"]: sum(phase["judged"].get(law["code"], 0) for phase in phases) for law in laws}
    otherwise = {law["code"] for law in laws if law["judged"] != judged[law["code"]]}
    yield from _named("counted otherwise", otherwise)


def differences_of_faults(sensitivity: Plain, laws: list[Plain]) -> Iterator[str]:
    """Yield which planted faults are unknown, left out or aimed elsewhere."""
    known = known_faults()
    aims = {fault["name"]: fault["law"] for fault in sensitivity["faults"]}
    named = [*(fault["name"] for fault in sensitivity["faults"]), *sensitivity["without_effect"]]
    yield from _named("faults unknown here", set(named) - known.keys())
    yield from _named("faults not spoken of", known.keys() - set(named))
    yield from _named("faults named twice", _doubled(named))
    elsewhere = {name for name, aim in aims.items() if known.get(name, aim) != aim}
    yield from _named("faults aimed elsewhere", elsewhere)
    planted = Counter(aims.values())
    seen = Counter(fault["law"] for fault in sensitivity["faults"] if fault["law"] in fault["seen_by"])
    counts = {code: (planted[code], seen[code]) for code in (law["code"] for law in laws)}
    others = {law["code"] for law in laws if (law["planted"], law["caught"]) != counts[law["code"]]}
    yield from _named("laws with other faults", others)


@cache
def known_faults() -> dict[str, str]:
    """Return the names of all faults that the kit can plant, each with the law that it is aimed at."""
    return {
        name: aim for path in FAULTS.glob("*.py") for name, aim in _FAULT.findall(path.read_text("utf-8"))
    }


@cache
def known_laws() -> dict[str, tuple[str, str, str]]:
    """Return for each of the kit's own laws the digest of its file, its name and its statement."""
    texts = {path: _LAW.search(path.read_text("utf-8")) for path in LAWS.glob("[!_]*.py")}
    return dict(_words_of(path, match[0]) for path, match in texts.items() if match is not None)


def _words_of(path: Path, text: str) -> tuple[str, tuple[str, str, str]]:
    """Return what the file of a law says of it; the rest of the file need not be parsed."""
    call = ast.parse(text.removeprefix("LAW = "), mode="eval").body
    words = {one.arg: one.value for one in call.keywords} if isinstance(call, ast.Call) else {}
    code, name, statement = (ast.literal_eval(words[one]) for one in ("code", "name", "statement"))
    return code, (digest_of(path), name, statement)


def _doubled(names: list[str]) -> set[str]:
    return {name for name, times in Counter(names).items() if times > 1}


def _named(what: str, names: set[str]) -> Iterator[str]:
    if names:
        more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
        yield f"{what}: {', '.join(sorted(names)[:FEW])}{more}"


def _is_named(text: str, predicate: Plain, root: Path) -> bool:
    # A name may be anything; one that looks like a place says nothing of the place that was certified.
    if text == predicate["place"] or (text == predicate["target"] and ":" not in text):
        return True
    given, certified = Place.of(text), Place.of(predicate["place"])
    is_file = given.is_file and certified.is_file and given.attribute == certified.attribute
    return is_file and Path(given.module).resolve() == (root / certified.module).resolve()


def _files_of_place(scope: Plain, root: Path) -> list[Plain]:
    """Return those of the files that were digested which are the module of the target."""
    certified = Place.of(scope["predicate"]["place"])
    module = certified.module
    files = [file for file in scope["subject"] if "\0" not in file["name"] + module]
    if certified.is_file:
        place = (root / module).resolve()
        return [file for file in files if (root / file["name"]).resolve() == place]
    ends = tuple(f"/{module.replace('.', '/')}{end}" for end in (".py", "/__init__.py"))
    return [file for file in files if f"/{file['name']}".endswith(ends)]


def _find_intact(files: list[Plain], root: Path) -> Iterator[Path]:
    """Yield where files are that were not changed; of others it is said elsewhere."""
    for file in files:
        homes = package_folders() if file["annotations"].get("home") == INSTALLED else (root,)
        for path in (home / file["name"] for home in homes):
            with suppress(InputError):
                if path.is_file() and digest_of(path) == file["digest"]["sha256"]:
                    yield path


def _contract_text(contract: Plain, usual: Plain) -> str:
    fields = (f"{name}={value!r}" for name, value in contract.items() if usual.get(name) != value)
    return f"Contract({text})" if (text := ", ".join(fields)) else "the default, Contract()"
