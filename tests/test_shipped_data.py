"""The encyclopedia, questions, claims and exemplars that come with the kit."""

import re
from collections import Counter

import msgspec
import pytest

from react_kit import load_task, open_wiki
from react_kit.corpora.memory import Article, MemoryCorpus
from react_kit.corpora.titles import base, fold
from react_kit.envs.wikipedia import SHOWN, WikipediaEnv
from react_kit.parsing import parse_action
from react_kit.prompts import ExemplarFile
from react_kit.resources import share
from react_kit.trajectory import Instance

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
