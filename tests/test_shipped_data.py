"""The encyclopedia, questions, claims and exemplars that come with the kit."""

import re
from collections import Counter
from typing import Any

import msgspec
import pytest

from react_kit import TASKS, Episode, load_task, open_wiki
from react_kit.corpora.memory import Article, MemoryCorpus
from react_kit.corpora.titles import base, fold
from react_kit.envs.wikipedia import SHOWN, WikipediaEnv
from react_kit.parsing import parse_action
from react_kit.prompts import ExemplarFile
from react_kit.report.style import label
from react_kit.resources import share
from react_kit.trajectory import Call, Instance
from react_kit.worlds.fable import standard

ROLES = {"decompose", "extract", "commonsense", "arithmetic", "reformulate", "track", "conclude"}


def wiki() -> MemoryCorpus:
    corpus = open_wiki("tiny")
    assert isinstance(corpus, MemoryCorpus)
    return corpus


def articles(split: str) -> list[Article]:
    return [a for a in wiki().articles.values() if a.split == split and not a.meanings]


def exemplars(name: str) -> ExemplarFile:
    return msgspec.json.decode(share("prompts", f"{name}.json").read_bytes(), type=ExemplarFile)


def test_there_is_enough_of_everything() -> None:
    assert len(articles("dev")) >= 250
    questions, claims = load_task("hotpotqa"), load_task("fever")
    assert len(questions) >= 160
    assert len(claims) >= 120
    kinds = Counter(i.kind for i in questions)
    assert min(kinds["bridge"], kinds["comparison"]) >= 50
    assert sum(i.answer in ("yes", "no") for i in questions) >= len(questions) / 5
    labels = Counter(i.answer for i in claims)
    assert set(labels) == {"SUPPORTS", "REFUTES", "NOT ENOUGH INFO"}
    assert min(labels.values()) >= 40
    assert sum(all(len(group) > 1 for group in i.evidence) for i in claims if i.evidence) >= 20
    assert sum(bool(a.meanings) for a in wiki().articles.values()) >= 10
    assert sum(len(a.links) for a in articles("dev")) >= 250


def test_neither_yes_nor_a_label_is_the_answer_to_expect() -> None:
    said = Counter(i.answer for i in load_task("hotpotqa") if i.answer in ("yes", "no"))
    assert abs(said["yes"] - said["no"]) <= 2
    firsts = [i.question.split(" or ")[0] for i in load_task("hotpotqa") if i.kind == "comparison"]
    first = [
        i.answer in f
        for i, f in zip((i for i in load_task("hotpotqa") if i.kind == "comparison"), firsts, strict=True)
        if i.answer not in ("yes", "no")
    ]
    assert 0.3 <= sum(first) / len(first) <= 0.7


def test_articles_are_well_formed() -> None:
    keys: Counter[str] = Counter()
    for a in wiki().articles.values():
        keys.update({fold(t) for t in (a.title, *a.aliases)})
        assert bool(a.meanings) != bool(a.sentences)
        assert all(m in wiki().articles for m in a.meanings)
        for sentence in a.sentences:
            assert re.fullmatch(r"[^\n\[\]“”’]+\.", sentence), sentence
            assert sentence == sentence.strip()
            assert len(sentence.split()) <= 24, sentence
    assert [k for k, n in keys.items() if n > 1] == []


@pytest.mark.parametrize("split", ["tiny", "tiny-train"])
@pytest.mark.parametrize("task", ["hotpotqa", "fever"])
def test_evidence_exists_and_decides(task: str, split: str) -> None:
    for instance in load_task(task, split=split):
        for group in instance.evidence:
            for ref in group:
                assert ref.id < len(wiki().articles[ref.title].sentences)
        has_evidence = bool(instance.evidence)
        assert has_evidence == (instance.answer != "NOT ENOUGH INFO")
        if instance.kind == "bridge":
            (first, *_, last) = instance.evidence[0]
            assert instance.answer is not None
            assert instance.answer in wiki().articles[last.title].sentences[last.id]
            assert instance.answer not in instance.question
            assert all(instance.answer not in s for s in wiki().articles[first.title].sentences), (
                instance.question
            )


def test_the_official_context_is_the_encyclopedias_own_text() -> None:
    for file in ("hotpotqa_dev.json", "hotpotqa_train.json"):
        for row in msgspec.json.decode(share("data", "tiny", file).read_bytes()):
            assert {t for t, _ in row["context"]} == {t for t, _ in row["supporting_facts"]}
            for title, sentences in row["context"]:
                assert tuple(sentences) == wiki().articles[title].sentences


def test_many_bridge_answers_need_a_lookup() -> None:
    bridges = [i for i in load_task("hotpotqa") if i.kind == "bridge"]
    beyond = [i for i in bridges if i.evidence[0][-1].id >= SHOWN]
    assert len(beyond) >= len(bridges) / 3


@pytest.mark.parametrize(("name", "count"), [("hotpotqa", 6), ("fever", 3)])
def test_every_exemplar_is_what_the_environment_returns(name: str, count: int) -> None:
    file = exemplars(name)
    assert (len(file.exemplars), len(file.spare)) == (count, 3)
    train = {i.question: i.answer for i in load_task(name, split="tiny-train")}
    for exemplar in (*file.exemplars, *file.spare):
        assert train[exemplar.question] == exemplar.answer
        env = WikipediaEnv(wiki())
        env.reset(Instance("x", name, exemplar.question))
        for step in exemplar.steps:
            action = parse_action(step.action).action
            assert action is not None
            outcome = env.step(action)
            assert outcome.done == (step.observation is None)
            if step.observation is not None:
                assert outcome.observation.text == step.observation
        assert action.name == "finish"
        assert action.argument == exemplar.answer


def test_the_exemplars_show_every_role_of_a_thought() -> None:
    roles = Counter(
        r for n in ("hotpotqa", "fever") for e in exemplars(n).exemplars for s in e.steps for r in s.role
    )
    assert set(roles) == ROLES


def test_fevers_exemplars_show_each_label_once() -> None:
    for some in (exemplars("fever").exemplars, exemplars("fever").spare):
        assert sorted(e.answer for e in some) == ["NOT ENOUGH INFO", "REFUTES", "SUPPORTS"]


@pytest.mark.parametrize("name", ["hotpotqa", "fever"])
def test_no_exemplar_names_what_dev_is_about(name: str) -> None:
    names = {n for a in articles("dev") for n in (a.title, base(a.title), *a.aliases)}
    for e in (*exemplars(name).exemplars, *exemplars(name).spare):
        text = " ".join([e.question, *(f"{s.thought} {s.action} {s.observation}" for s in e.steps)])
        assert [n for n in names if re.search(rf"\b{re.escape(n)}\b", text, re.I)] == []


# --- the cards ------------------------------------------------------------------------------------------------

CARDS = {
    "tiny": ("hotpotqa tiny", "fever tiny"),
    "fable": ("hotpotqa fable", "hotpotqa fable-deep", "fever fable"),
}


class Silent:
    """The baselines ask no model."""

    name, identity = "none", {"endpoint": "none", "model": "none"}

    def sample(self, prompt: str, **_: Any) -> list[Call]:
        raise AssertionError("nobody is asked")


def percent(control: str, task: str, split: str) -> str:
    """Title baselines do not judge claims."""
    if control in ("title-overlap", "bm25", "most-linked") and task == "fever":
        return "–"
    corpus = open_wiki("tiny" if split == "tiny" else "fable")
    instances = load_task(task, split)
    scores = [
        Episode.start(i, control, model=Silent(), corpus=corpus).run().score[instances.task.metric]
        for i in instances
    ]
    return f"{100 * sum(scores) / len(scores):.1f}"


def baselines(folder: str) -> str:
    columns = [tuple(column.split()) for column in CARDS[folder]]
    head = ["", *(f"{TASKS[task].title}, {split}" for task, split in columns)]
    rows = [head, ["---"] * len(head)]
    for control in ("oracle", "bm25", "title-overlap", "most-linked", "random-title", "majority"):
        rows.append([label(control), *(percent(control, *column) for column in columns)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def sizes() -> str:
    dev, train = (_sizes(*names) for names in (("tiny", "dev"), ("tiny-train", "train")))
    lines = ["| | dev | train |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {what} | {n:,} | {train[what]:,} |" for what, n in dev.items())])


def _sizes(split: str, name: str) -> dict[str, int]:
    questions, claims, some = load_task("hotpotqa", split), load_task("fever", split), articles(name)
    kinds = Counter("yes/no" if i.answer in ("yes", "no") else i.kind for i in questions)
    return {
        "articles": len(some),
        "sentences": sum(len(a.sentences) for a in some),
        "links": sum(len(a.links) for a in some),
        "disambiguation titles": sum(bool(a.meanings) for a in wiki().articles.values() if a.split == name),
        "questions": len(questions),
        "bridge": kinds["bridge"],
        "with the answer beyond the fifth sentence": sum(
            i.kind == "bridge" and i.evidence[0][-1].id >= SHOWN for i in questions
        ),
        "comparison": kinds["comparison"],
        "yes or no": kinds["yes/no"],
        "claims, a third each label": len(claims),
        "that need two sentences": sum(all(len(g) > 1 for g in i.evidence) for i in claims if i.evidence),
    }


@pytest.mark.parametrize("folder", CARDS)
def test_a_cards_baselines_are_what_they_score(folder: str) -> None:
    assert baselines(folder) in share("data", folder, "README.md").read_text(encoding="utf-8")


def test_tinys_card_counts_what_is_there() -> None:
    assert sizes() in share("data", "tiny", "README.md").read_text(encoding="utf-8")


def test_fables_card_counts_what_is_there() -> None:
    card = share("data", "fable", "README.md").read_text(encoding="utf-8")
    world = standard("dev")
    shared = sum("meanings" in a for a in world.articles)
    assert f"1,000 articles and {shared} disambiguation titles" in card
    for split in ("fable", "fable-deep", "fable-train"):
        assert f"| `{split}` | {len(load_task('hotpotqa', split))} questions" in card
