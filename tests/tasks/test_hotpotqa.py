"""HotpotQA: what is rewarded, and the public files as they are."""

import json
from collections import Counter
from pathlib import Path

import pytest

from react_kit import PAPER, TASKS, load_task
from react_kit.corpora import MemoryCorpus
from react_kit.errors import KitError
from react_kit.parsing import make_action
from react_kit.trajectory import Instance

DEV = Path(__file__).parents[3] / "shared" / "data" / "hotpotqa" / "hotpot_dev_v1_simplified.json"


@pytest.mark.parametrize(("answer", "reward"), [("The Beta.", 1.0), ("beta gamma", 0.0), ("alpha", 0.0)])
def test_the_environment_rewards_the_exact_answer(greek: MemoryCorpus, answer: str, reward: float) -> None:
    env = TASKS["hotpotqa"].make_env(greek, PAPER)
    env.reset(Instance("1", "hotpotqa", "Which?", "beta"))
    outcome = env.step(make_action("finish", answer, ""))
    assert (outcome.reward, outcome.done) == (reward, True)


def test_spaces_around_a_question_go_and_answers_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('[{"question": "Who?  ", "answer": " 2–3 "}]')
    (question,) = load_task("hotpotqa", path=tmp_path / "q.json")
    assert (question.question, question.answer) == ("Who?", " 2–3 ")


def test_ids_made_up_for_a_file_without_any_depend_on_text_and_place(tmp_path: Path) -> None:
    def ids(*questions: str) -> list[str]:
        path = tmp_path / "q.json"
        path.write_text(json.dumps([{"question": q} for q in questions]))
        return [i.id for i in load_task("hotpotqa", path=path)]

    assert ids("A?", "B?", "A?") == ids("A?", "B?", "A?")
    assert len(set(ids("A?", "B?", "A?"))) == 3
    assert ids("A?", "C?")[0] == ids("A?", "B?")[0]


def test_the_public_development_questions_are_all_there() -> None:
    if not DEV.is_file():
        pytest.skip("needs ../shared/data")
    questions = load_task("hotpotqa", path=DEV)
    assert len(questions) == 7_405
    assert Counter(i.kind for i in questions) == {"bridge": 5_918, "comparison": 1_487}
    answers = Counter(i.answer for i in questions)
    assert (answers["yes"], answers["no"]) == (225, 233)
    assert all(i.question == i.question.strip() for i in questions)


def test_an_empty_question_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"question": "Who?"}, {"question": " "}]')
    with pytest.raises(KitError, match=r"x\.json: question 2 is empty"):
        load_task("hotpotqa", path=tmp_path / "x.json")


def test_an_empty_gold_answer_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"question": "Who?", "answer": " "}]')
    assert load_task("hotpotqa", path=tmp_path / "x.json")[0].answer is None


def test_a_bottomless_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"question": "Who?", "context": ' + "[" * 100_000)
    with pytest.raises(KitError, match=r"x\.json is not in HotpotQA's official format"):
        load_task("hotpotqa", path=tmp_path / "x.json")
