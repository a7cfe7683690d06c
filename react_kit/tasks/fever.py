"""FEVER (Thorne et al., 2018): is a claim supported, refuted, or is there not enough information?"""

from pathlib import Path
from typing import Any

import msgspec

from react_kit.corpora.page import Corpus
from react_kit.envs.wikipedia import WikipediaEnv
from react_kit.fidelity import Fidelity
from react_kit.prompts import load_prompts
from react_kit.resources import json_lines
from react_kit.tasks.base import Task
from react_kit.tasks.scoring import exact_match, label_score
from react_kit.trajectory import Instance, SentenceRef, digest
from react_kit.worlds.fable import Fable

_ESCAPES = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "-COLON-": ":", "_": " ",
}  # fmt: skip


LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


class Row(msgspec.Struct):
    """A line of the official JSONL; evidence: alternative sets of [annotation, evidence, page, sentence]."""

    claim: str
    id: int | str | None = None
    label: str | None = None
    verifiable: str = ""
    evidence: list[list[tuple[Any, Any, str | None, int | None]]] = []


def title_of(page: str) -> str:
    """`Mercury_-LRB-planet-RRB-` → `Mercury (planet)`."""
    for escape, character in _ESCAPES.items():
        page = page.replace(escape, character)
    return page


def load(path: Path) -> list[Instance]:
    """Instances of an official JSONL file."""
    return json_lines(path, Row, _instance, "in FEVER's official format")


def invented(world: Fable, deep: bool) -> list[Instance]:
    """A fable's claims, none of which is deep."""
    rows = [] if deep else msgspec.convert(world.fever, list[Row], strict=False)
    return [_instance(row, i) for i, row in enumerate(rows)]


def _instance(row: Row, position: int) -> Instance:
    if not row.claim.strip():
        raise msgspec.ValidationError("`claim` is empty")
    if row.label not in (None, *LABELS):
        raise msgspec.ValidationError(f"`label` is {row.label!r}, expected one of {', '.join(LABELS)}")
    sets = (
        tuple(
            SentenceRef(title_of(page), number)
            for _, _, page, number in group
            if page is not None and number is not None
        )
        for group in row.evidence
    )
    id = str(row.id) if row.id is not None else digest([row.claim, position])[:24]
    return Instance(id, "fever", row.claim.strip(), row.label, row.label or "", tuple(s for s in sets if s))


def make_env(corpus: Corpus, fidelity: Fidelity) -> WikipediaEnv:
    """The Wikipedia environment, rewarding the right label."""
    return WikipediaEnv(corpus, lambda i, a: exact_match(a, i.answer or ""), fidelity.page_after_miss)


FEVER = Task(
    name="fever",
    title="FEVER",
    metric="accuracy",
    metric_title="Acc",
    splits={"tiny": ("data", "tiny", "fever_dev.jsonl"), "tiny-train": ("data", "tiny", "fever_train.jsonl")},
    load=load,
    invented=invented,
    prompts=lambda: load_prompts("fever"),
    make_env=make_env,
    score=label_score,
    limit=lambda fidelity, _: fidelity.fever_steps,
)
