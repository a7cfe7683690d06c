"""HotpotQA (Yang et al., 2018): multi-hop questions, question-only setting (section 3.1)."""

from pathlib import Path
from typing import Any

import msgspec

from react_kit.corpora.page import Corpus
from react_kit.envs.wikipedia import WikipediaEnv
from react_kit.errors import KitError
from react_kit.fidelity import Fidelity
from react_kit.prompts import load_prompts
from react_kit.resources import file_bytes
from react_kit.tasks.base import Task
from react_kit.tasks.scoring import exact_match, qa_score
from react_kit.trajectory import Instance, SentenceRef, digest
from react_kit.worlds.fable import Fable

DEEP = ("3-hop", "4-hop")


class Row(msgspec.Struct):
    """The official format; what the fullwiki test file leaves out is optional."""

    question: str
    id: str = msgspec.field(name="_id", default="")
    answer: str | None = None
    type: str = ""
    level: str = ""
    supporting_facts: list[tuple[str, int]] = []
    context: list[Any] = []


def load(path: Path) -> list[Instance]:
    """Instances of an official JSON file (a list of objects)."""
    try:
        rows = msgspec.json.decode(file_bytes(path), type=list[Row])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise KitError(
            f"{path} is not in HotpotQA's official format: {e}. Expected a JSON list of questions."
        ) from e
    for i, row in enumerate(rows, 1):
        if not row.question.strip():
            raise KitError(f"{path}: question {i} is empty; expected text.")
    return [_instance(row, i) for i, row in enumerate(rows)]


def limit(fidelity: Fidelity, instance: Instance) -> int:
    """Seven steps; for a fable's questions of three and four hops, two a hop and three more."""
    hops = int(instance.kind[0]) if instance.kind in DEEP else 0
    return max(fidelity.hotpotqa_steps, 2 * hops + 3) if hops else fidelity.hotpotqa_steps


def invented(world: Fable, deep: bool) -> list[Instance]:
    """A fable's questions: those of one and two facts, or the deep ones of three and four hops."""
    rows = [row for row in world.hotpotqa if (row["level"] in DEEP) == deep]
    made = [_instance(row, i) for i, row in enumerate(msgspec.convert(rows, list[Row]))]
    return [msgspec.structs.replace(i, kind=row["level"]) for i, row in zip(made, rows, strict=True)]


def _instance(row: Row, position: int) -> Instance:
    evidence = tuple(SentenceRef(title, number) for title, number in row.supporting_facts)
    gold = row.answer if row.answer and row.answer.strip() else None  # no answer could match an empty one
    id = row.id or digest([row.question, position])[:24]
    return Instance(id, "hotpotqa", row.question.strip(), gold, row.type, (evidence,) if evidence else ())


def make_env(corpus: Corpus, fidelity: Fidelity) -> WikipediaEnv:
    """The Wikipedia environment, rewarding exact match."""
    return WikipediaEnv(corpus, lambda i, a: exact_match(a, i.answer or ""), fidelity.page_after_miss)


HOTPOTQA = Task(
    name="hotpotqa",
    title="HotpotQA",
    metric="em",
    metric_title="EM",
    splits={
        "tiny": ("data", "tiny", "hotpotqa_dev.json"),
        "tiny-train": ("data", "tiny", "hotpotqa_train.json"),
    },
    load=load,
    invented=invented,
    prompts=lambda: load_prompts("hotpotqa"),
    make_env=make_env,
    score=qa_score,
    limit=limit,
)
