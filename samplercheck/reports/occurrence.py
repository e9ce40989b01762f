"""Occurrence: after what, and in which cases, a law is broken, in words.

Read by the verdict and the blocks of the first screen, from the plain data of a report. Pure.
"""

from __future__ import annotations

import re

from samplercheck.explain.words import (
    EVERYWHERE,
    EXCEPT_EMPTY,
    IN_NO_OTHERS,
    SINCE,
    say_how_often,
    say_region,
    split_epochs,
)
from samplercheck.reports.standing import Plain, event_of
from samplercheck.values.layout import case_in_brief, case_text, printable
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.values.wording import HISTORY, SAME_PROCESS, join_words, pluralise

LONGEST, ONE_LINE = 176, 66
OTHER_CASES, SMALLEST, SUCH_AS = "other cases", "; the smallest: ", ", such as "
WORKERS = "with DataLoader workers"
BEHIND_OTHERS = f"after other objects {SAME_PROCESS}"
LARGER, LONGER = "only in larger cases", "only in larger or longer cases"
SELDOM, LONG = "seldom, in no usual small case", "seen only over many epochs"
FEW_SAMPLES, FEW_RANKS = 4, 3
"""So few make no larger case of one that lies beside the small scope for another reason."""
DIVIDED = "also where length is a multiple of world_size"
LONG_RUN = ("in the long run", "over many epochs")
NO_RULE, LONG_RULE = "no rule known", "no short rule"
SOME_WORKERS = re.compile(r"with (?:\d+ or more )?((?:persistent |DataLoader )?)workers")
TOGETHER, _SINCE = "epochs together", re.compile(rf"{SINCE} epoch \d+(?:: |$)")
"""What several epochs have to be is not wrong before the last of them, which need not be said."""
_ALWAYS = re.compile(r"(?:always|whenever) (?!.* either )")
_COUNTED = re.compile(r"\d small cases|\bcases? tried |\(\d[\d,]* of \d[\d,]*\)")
ANY_WORKERS = re.compile(r"\bworkers?\b")


def describe_when(one: Plain) -> str:
    """Say in words after what a law is broken in a run and in which cases."""
    if one["failure"].get("cause", "").startswith(HISTORY):
        return event if (event := event_of(one)).endswith(SAME_PROCESS) else BEHIND_OTHERS
    where = _say_where(one["failure"]).replace(EXCEPT_EMPTY, "")  # of which nobody would think
    text, small = _join(_name_event(one), where), _count(one["failure"])
    if not (small and text.endswith(OTHER_CASES)):
        return text
    larger = _count_larger(one["failure"])
    aside = _say_divided(one["failure"])
    return f"{text} ({small}{larger}{aside}){SMALLEST}{case_in_brief(one['failure']['case'])}"


def describe_region(one: Plain) -> str:
    """Say when a law fails, in the words of ``describe_when`` where there are any, with numbers of cases."""
    failure, event = one["failure"], _name_event(one)
    if failure.get("cause", "").startswith(HISTORY):
        return describe_when(one)
    region, small, words = printable(failure["region"]), _count(failure), _say_in_words(failure)
    if region == EVERYWHERE and small and failure["failing"] < failure["tried"]:
        text = f"always ({small}; the others could not be judged)"
    elif region and not words:
        epochs, where = split_epochs(region)
        where = f"{where} ({small})" if small else where
        text = f"{epochs}: {where}" if epochs else where
    else:
        text = _say_where(failure)
        if region and small and not _COUNTED.search(text):
            counts = f" ({small})", f" ({small.replace(' small', '')})"
            text += next((one for one in counts if len(text + one) <= ONE_LINE), counts[0])
    return _join(event, text)


def _name_event(one: Plain) -> str:
    """Return what comes before the failure in a run, with how many workers it takes."""
    return _count_workers(event_of(one), one["failure"])


def _count_workers(text: str, failure: Plain) -> str:
    """Return a text with the least number of workers in it, if one worker is not enough to fail."""
    least = failure.get("workers", 0)
    return SOME_WORKERS.sub(rf"with {least} or more \1workers", text) if least > 1 else text


def _join(event: str, where: str) -> str:
    """Return after what and where a law is broken; that it takes workers, or long, is said once."""
    is_said = ANY_WORKERS.search(event) and ANY_WORKERS.search(where)
    is_long = event.startswith(LONG_RUN) and where.startswith((LARGER, LONGER))
    is_long |= bool(event) and where.startswith(LONG)
    where = _SINCE.sub("", where) if event.endswith(TOGETHER) else where
    return event if is_said or is_long else ": ".join(filter(None, (event, where)))


def _say_where(failure: Plain) -> str:
    """Say in words in which cases a law fails, as far as that was tested."""
    tried, world = failure["tried"], printable(failure["world"])
    if world != "simulated" and not failure["failing"] and not failure["region"]:
        ranks = failure["case"]["world_size"]
        return f"in real {world} groups, the smallest of {ranks} processes" if ranks > 1 else ""
    if words := _say_in_words(failure):
        if words.endswith(IN_NO_OTHERS) and (larger := failure.get("larger_tried", 0)):
            counted = f" ({failure['larger']:,} of {larger:,} larger cases)"
            return f"{words.removesuffix(IN_NO_OTHERS)}{counted}{IN_NO_OTHERS}"
        often = say_how_often(_fail_alike(failure), tried)  # which says nothing of larger ones
        return words.replace(f"{often},", f"{often}{_count_larger(failure, with_size=True)},")
    if not failure["failing"]:
        case = failure["case"]
        is_few = 0 < case.get("length", 0) <= FEW_SAMPLES and case["world_size"] <= FEW_RANKS
        is_long = case.get("epochs", 0) >= MANY_EPOCHS
        beyond = (LONG if is_few else LONGER) if is_long else SELDOM if is_few else LARGER
        larger = _give_example(beyond, failure, SUCH_AS) if tried else ""
        return _count_workers(WORKERS, failure) if failure["case"]["workers"] else larger
    made_up = join_words([*failure["case"]["features"]])
    data = f"with made-up {printable(made_up)} " if made_up else ""
    often = f"{data}{say_how_often(_fail_alike(failure), tried)}{_count_larger(failure, with_size=True)}"
    rule = LONG_RULE if failure["region"] else NO_RULE
    return _give_example(f"{often}{_say_divided(failure)}, {rule}", failure)


def _give_example(text: str, failure: Plain, before: str = SMALLEST) -> str:
    """Return a text with the smallest case that is known to fail, where that is short."""
    example = f"{text}{before}{case_text(failure['case'])}"
    return example if len(example) <= LONGEST else text


def _count_larger(failure: Plain, *, with_size: bool = False) -> str:
    """Return how large small cases are, and how many larger ones fail; nothing where that is not known."""
    longest, tried = failure.get("longest", 0), failure.get("larger_tried", 0)
    size = f" (of at most {pluralise(longest, 'sample')})" if with_size and longest else ""
    return f"{size} and {failure['larger']:,} of {tried:,} larger ones" if tried else size


def _say_divided(failure: Plain) -> str:
    """Say that ranks are uneven where nothing is left over, which everybody takes for the reason."""
    return f", {DIVIDED}" if failure.get("divided") else ""


def _say_in_words(failure: Plain) -> str:
    """Say the region of a law in words; empty where there are none, or too many."""
    counts = {"tried": failure["tried"], "inside": failure.get("inside", 0)}
    words = printable(say_region(failure["region"], failing=_fail_alike(failure), **counts))
    first, others, _ = words.partition(", or ")
    if len(words) > LONGEST and others and _ALWAYS.match(first):
        words = f"{first}, sometimes in {OTHER_CASES}"
    return words if len(words) <= LONGEST else ""


def _fail_alike(failure: Plain) -> int:
    """Return how many small cases fail as is shown."""
    return int(failure.get("alike", 0) or failure["failing"])


def _count(failure: Plain) -> str:
    """Return how many small cases fail as is shown, with the noun; nothing where none does."""
    failing = _fail_alike(failure)
    return f"{failing:,} of {failure['tried']:,} small cases" if failing and failure["tried"] else ""
