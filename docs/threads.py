"""Where laws bit people: public threads on bugs that the project re-created, and on training jobs.

Called by ``pages`` for the pages of the laws.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
OF_JOBS = {
    "SC1101": [
        (
            "Ranks of which only one had saved its share trained on some images twice.",
            "bghira/SimpleTuner#2986",
        ),
        (
            "A job that went on with one rank of two used one state of two.",
            "NVIDIA-NeMo/Megatron-Bridge#5637",
        ),
        ("Half of the ranks went on, and the states of the others were lost.", "pytorch/torchtitan#811"),
    ],
    "SC1102": [
        (
            "Interrupted in the second epoch, a job went on in the order of the first.",
            "huggingface/accelerate#2016",
        ),
        ("The rest of an epoch was skipped to in another order.", "wyim-pgl/transgenic#59"),
    ],
    "SC1103": [
        ("What was skipped once was skipped in each later epoch.", "huggingface/accelerate#1451"),
        ("The same, in a script for fine-tuning.", "allenai/open-instruct#681"),
    ],
    "SC1104": [
        (
            "The first epoch after each resumption has epoch 0's order.",
            "Lightning-AI/pytorch-lightning#21938",
        ),
    ],
}
"""Of jobs: threads for the laws that the zoo, which is of samplers, does not have."""


def read_threads() -> dict[str, list[tuple[str, str]]]:
    """Return by law where it bit people: the story and source of bugs that were re-created, and of jobs."""
    found: dict[str, list[tuple[str, str]]] = {code: [*some] for code, some in OF_JOBS.items()}
    for path in sorted((ROOT / "tests" / "zoo").glob("[!_]*.py")):
        said = {}
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if name in ("SOURCE", "STORY", "EXPECT"):
                    said[name] = ast.literal_eval(node.value)
        public = "our own" not in said.get("SOURCE", "our own")
        for code in said.get("EXPECT", ()) if public else ():
            found.setdefault(code, []).append((said["STORY"], said["SOURCE"]))
    return found
