"""The encyclopedia, questions, claims and exemplars that come with the kit."""

import re
from collections import Counter

import msgspec
import pytest

from react_kit import load_task, open_wiki
from react_kit.corpora.memory import Article, MemoryCorpus
from react_kit.corpora.titles import fold
from react_kit.envs.wikipedia import SHOWN, WikipediaEnv
from react_kit.parsing import parse_action
from react_kit.prompts import ExemplarFile
from react_kit.resources import share
from react_kit.trajectory import Action, Instance

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
    assert len(articles("dev")) + len(articles("train")) >= 60
    questions, claims = load_task("hotpotqa"), load_task("fever")
    kinds = Counter(i.kind for i in questions)
    assert len(questions) >= 30
    assert min(kinds["bridge"], kinds["comparison"]) >= 10
    assert sum(i.answer in ("yes", "no") for i in questions) >= 6
    labels = Counter(i.answer for i in claims)
    assert set(labels) == {"SUPPORTS", "REFUTES", "NOT ENOUGH INFO"}
    assert min(labels.values()) >= 8
    assert sum(bool(a.meanings) for a in wiki().articles.values()) >= 4


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
    assert all(6 <= len(a.sentences) <= 14 for a in articles("dev"))


def test_the_splits_share_no_article_and_ask_about_none_of_the_other() -> None:
    train = {t for a in articles("train") for t in (a.title, *a.aliases)}
    for task in ("hotpotqa", "fever"):
        for instance in load_task(task):
            refs = {ref.title for group in instance.evidence for ref in group}
            assert not refs & {a.title for a in articles("train")}
            said = f"{instance.question} {instance.answer}"
            assert [t for t in train if re.search(rf"\b{re.escape(t)}\b", said, re.I)] == [], said
        for instance in load_task(task, split="tiny-train"):
            refs = {ref.title for group in instance.evidence for ref in group}
            assert refs <= {a.title for a in articles("train")}


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


def reachable(instance: Instance, limit: int) -> bool:
    """Can an agent see every gold sentence of one evidence set, knowing only the question and what it was shown?

    It searches titles that stand in the question or in shown text, and looks up words of the question.
    """
    for group in instance.evidence:
        env, shown, seen, actions = WikipediaEnv(wiki()), instance.question, set(), 0
        env.reset(instance)
        titles = list(dict.fromkeys(ref.title for ref in group))
        while titles and actions < limit - 1:
            known = [t for t in titles if any(fold(name) in fold(shown) for name in names(t))]
            if not known:
                break
            titles.remove(known[0])
            outcome = env.step(Action("search", {"entity": known[0]}, ""))
            actions += 1
            shown, seen = shown + " " + outcome.observation.text, seen | set(outcome.observation.sentences)
            for ref in (r for r in group if r.title == known[0] and r not in seen):
                word = best_word(instance.question, ref.title, ref.id)
                for _ in range(limit):
                    if ref in seen or actions >= limit - 1:
                        break
                    outcome = env.step(Action("lookup", {"string": word}, ""))
                    actions += 1
                    shown, seen = (
                        shown + " " + outcome.observation.text,
                        seen | set(outcome.observation.sentences),
                    )
        if set(group) <= seen:
            return True
    return not instance.evidence


def names(title: str) -> list[str]:
    return [title, title.split(" (")[0], *wiki().articles[title].aliases]


def best_word(question: str, title: str, sentence: int) -> str:
    """The word of the question that finds that sentence in the fewest lookups."""
    sentences = [fold(s) for s in wiki().articles[title].sentences]
    hits = {}
    for word in re.findall(r"[\w'-]{3,}", fold(question)):
        found = [i for i, s in enumerate(sentences) if word in s]
        if sentence in found:
            hits[word] = found.index(sentence)
    return min(hits, key=lambda w: hits[w]) if hits else "nothing"


@pytest.mark.parametrize(("task", "limit"), [("hotpotqa", 7), ("fever", 5)])
def test_every_answer_can_be_found_within_the_step_limit(task: str, limit: int) -> None:
    assert [i.question for i in load_task(task) if not reachable(i, limit)] == []


@pytest.mark.parametrize(("name", "count"), [("hotpotqa", 6), ("fever", 3)])
def test_every_exemplar_is_what_the_environment_returns(name: str, count: int) -> None:
    file = exemplars(name)
    assert len(file.exemplars) == count
    train = {i.question: i.answer for i in load_task(name, split="tiny-train")}
    for exemplar in file.exemplars:
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
    assert sorted(e.answer for e in exemplars("fever").exemplars) == [
        "NOT ENOUGH INFO",
        "REFUTES",
        "SUPPORTS",
    ]
