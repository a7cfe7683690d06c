"""The validator is silent on the kit's data, and names file, line and rule of whatever breaks one."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from react_kit.errors import KitError
from react_kit.resources import share
from react_kit.tasks.validate import check_fable, check_folder
from react_kit.worlds.fable import fable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(share("data", "tiny"), tmp_path / "tiny"))


def test_the_shipped_data_and_invented_worlds_keep_every_rule(folder: Path) -> None:
    assert check_folder(folder) == []
    for half in ("dev", "train"):
        assert check_fable(fable(3, 300, half, 200, 150)) == []  # type: ignore[arg-type]


Rows = list[dict[str, Any]]


def change(rows: Rows, line: int, **fields: Any) -> None:
    rows[line - 1] |= fields


@pytest.mark.parametrize(
    ("file", "edit", "line", "rule"),
    [
        ("articles.jsonl", lambda r: change(r, 3, title=r[1]["title"].upper()), 3, "a title occurs once"),
        ("articles.jsonl", lambda r: change(r, 2, sentences=[]), 2, "either sentences or meanings"),
        ("articles.jsonl", lambda r: change(r, 2, sentences=["No stop"]), 2, "full stop"),
        ("articles.jsonl", lambda r: change(r, 2, aliases=[r[4]["title"]]), 2, "no other article's title"),
        (
            "hotpotqa_dev.json",
            lambda r: change(r, 1, supporting_facts=[["Nowhere", 0]]),
            1,
            "names an article",
        ),
        (
            "hotpotqa_dev.json",
            lambda r: change(r, 1, supporting_facts=[["Eiffel Tower", 99]]),
            1,
            "number is below",
        ),
        ("hotpotqa_dev.json", lambda r: change(r, 1, answer="Lyon"), 1, "last supporting sentence"),
        (
            "hotpotqa_dev.json",
            lambda r: change(r, 1, question=f"Is it {r[0]['answer']}?"),
            1,
            "does not hold its answer",
        ),
        ("hotpotqa_dev.json", lambda r: change(r, 2, question=r[0]["question"]), 1, "a question occurs once"),
        ("hotpotqa_dev.json", lambda r: change(r, 1, context=[["Eiffel Tower", ["It."]]]), 1, "own text"),
        ("hotpotqa_dev.json", lambda r: change(r, 5, answer="Nobody"), 5, "one of the things that it names"),
        (
            "articles.jsonl",
            lambda r: change(r, 2, sentences=r[1]["sentences"][:3]),
            2,
            "has 6 to 14 sentences",
        ),
        ("articles.jsonl", lambda r: change(r, 2, links=[["rival", "Nowhere"]]), 2, "leads to an article"),
        ("articles.jsonl", lambda r: change(r, 2, links=[["rival", "Okapi"]]), 2, "names what it links to"),
        ("articles.jsonl", lambda r: change(r, 2, links=[["author", "Tycho Brahe"]]), 2, "of the same split"),
        (
            "hotpotqa_dev.json",
            lambda r: change(r, 1, question="Where was the engineer born?"),
            1,
            "an oracle finds the gold sentences within 7 steps",
        ),
        (
            "fever_dev.jsonl",
            lambda r: change(r, 1, claim="It has no moons."),
            1,
            "an oracle finds the gold sentences within 5 steps",
        ),
        (
            "fever_dev.jsonl",
            lambda r: change(r, 1, claim="Mercury (planet) was named by Tycho Brahe."),
            1,
            "names nothing that the other is about",
        ),
        (
            "hotpotqa_train.json",
            lambda r: change(r, 1, question="Was the Okapi known to the author of Gulliver's Travels?"),
            1,
            "names nothing that the other is about",
        ),
        ("fever_dev.jsonl", lambda r: change(r, 2, label="MAYBE"), 2, "a label is one of"),
        ("fever_dev.jsonl", lambda r: change(r, 1, evidence=[]), 1, "unless it says NOT ENOUGH INFO"),
        ("fever_dev.jsonl", lambda r: change(r, 2, claim=r[0]["claim"]), 1, "a claim occurs once"),
    ],
)
def test_a_broken_rule_is_named_with_file_and_line(
    folder: Path, file: str, edit: Callable[[Rows], None], line: int, rule: str
) -> None:
    path = folder / file
    lines = file.endswith("jsonl")
    rows = (
        [json.loads(row) for row in path.read_text().splitlines()] if lines else json.loads(path.read_text())
    )
    edit(rows)
    path.write_text("\n".join(map(json.dumps, rows)) if lines else json.dumps(rows))
    found = [str(p) for p in check_folder(folder)]
    assert any(p.startswith(f"{file} line {line}: ") and rule in p for p in found), found


def test_a_training_article_is_not_asked_about_in_dev(folder: Path) -> None:
    rows = json.loads((folder / "hotpotqa_train.json").read_text())
    (folder / "hotpotqa_dev.json").write_text(json.dumps(rows[:1]))
    assert any("the dev split asks about its own articles" in str(p) for p in check_folder(folder))


def test_a_file_that_is_no_json_is_named(folder: Path) -> None:
    (folder / "hotpotqa_dev.json").write_text("[{")
    with pytest.raises(KitError, match=r"hotpotqa_dev\.json is not a JSON list"):
        check_folder(folder)


def test_a_claim_against_its_own_facts_is_found() -> None:
    world = fable(3, 100, "dev", 10, 9)
    world.fever[0]["label"], world.fever[1]["label"] = "REFUTES", "SUPPORTS"
    assert [p.line for p in check_fable(world)] == [1, 2]
