"""FEVER: what is rewarded, and the public file as it is."""

from collections import Counter
from pathlib import Path

import pytest

from react_kit import PAPER, TASKS, load_task
from react_kit.corpora import MemoryCorpus
from react_kit.errors import KitError
from react_kit.parsing import make_action
from react_kit.tasks.fever import title_of
from react_kit.trajectory import Instance

DEV = Path(__file__).parents[3] / "shared" / "data" / "fever" / "paper_dev.jsonl"


@pytest.mark.parametrize(
    ("answer", "reward"), [("NOT ENOUGH INFO", 1.0), ("not enough information.", 1.0), ("SUPPORTS", 0.0)]
)
def test_the_environment_rewards_the_right_label(greek: MemoryCorpus, answer: str, reward: float) -> None:
    env = TASKS["fever"].make_env(greek, PAPER)
    env.reset(Instance("1", "fever", "Beta.", "NOT ENOUGH INFO"))
    assert env.step(make_action("finish", answer, "")).reward == reward


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("A_-LSB-b-RSB-_-LCB-c-RCB-", "A [b] {c}"),
        ("Beyoncé_Knowles", "Beyoncé Knowles"),
        ("AC/DC-COLON-_Live", "AC/DC: Live"),
        ("Plain", "Plain"),
    ],
)
def test_page_names_are_titles_with_escapes(page: str, title: str) -> None:
    assert title_of(page) == title


def test_the_public_development_claims_are_all_there() -> None:
    if not DEV.is_file():
        pytest.skip("needs ../shared/data")
    claims = load_task("fever", path=DEV)
    assert Counter(i.answer for i in claims) == dict.fromkeys(
        ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), 3_333
    )
    assert (claims[3_522].question, claims[3_522].answer) == (
        "Civilization IV was hailed as a masterwork of filmmaking.",
        "NOT ENOUGH INFO",
    )
    assert all(bool(i.evidence) == (i.answer != "NOT ENOUGH INFO") for i in claims)
    assert not any("-LRB-" in ref.title or "_" in ref.title for i in claims for s in i.evidence for ref in s)


@pytest.mark.parametrize("row", ['{"claim": "C.", "label": "MAYBE"}', '{"claim": " ", "label": "REFUTES"}'])
def test_a_row_that_means_nothing_is_named(tmp_path: Path, row: str) -> None:
    (tmp_path / "x.jsonl").write_text('{"claim": "A."}\n' + row)
    with pytest.raises(KitError, match=r"x\.jsonl line 2 "):
        load_task("fever", path=tmp_path / "x.jsonl")
