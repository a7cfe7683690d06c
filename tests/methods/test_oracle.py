"""The oracle sees what an agent could see, and types only what stands in the question or was shown."""

import pytest

from react_kit import Episode, load_task, open_wiki
from react_kit.corpora import MemoryCorpus
from react_kit.corpora.memory import Article
from react_kit.corpora.titles import fold
from react_kit.envs.wikipedia import WikipediaEnv
from react_kit.fidelity import PAPER
from react_kit.methods.oracle import solve
from react_kit.trajectory import Instance, SentenceRef

SPLITS = [(t, s) for t in ("hotpotqa", "fever") for s in ("tiny", "tiny-train", "fable", "fable-train")]
LATE = tuple(f"Sentence {n}." for n in range(6))


def corpus_of(split: str) -> MemoryCorpus:
    corpus = open_wiki("tiny" if "tiny" in split else split.replace("-deep", ""))
    assert isinstance(corpus, MemoryCorpus)
    return corpus


@pytest.mark.parametrize(("task", "split"), [*SPLITS, ("hotpotqa", "fable-deep")])
def test_it_finds_everything_within_the_step_limit(task: str, split: str) -> None:
    instances, corpus = load_task(task, split), corpus_of(split)
    for instance in instances:
        limit = instances.task.limit(PAPER, instance)
        actions = solve(corpus, instance, limit)
        assert actions[-1].name == "finish", instance.question
        assert len(actions) <= limit


@pytest.mark.parametrize(("task", "split"), SPLITS)
def test_it_types_only_what_it_has_read(task: str, split: str) -> None:
    for instance in load_task(task, split):
        env, read = WikipediaEnv(corpus_of(split)), fold(instance.question)
        env.reset(instance)
        for action in solve(env.corpus, instance, 11)[:-1]:  # type: ignore[arg-type]
            assert fold(action.argument or "") in read
            read += "\n" + fold(env.step(action).observation.text)


SMALL = MemoryCorpus(
    [
        Article("Ouse (river)", sentences=(*LATE, "The abbey stands on it.")),
        Article("Ouse (opera)", sentences=("An opera.",)),
        Article("Ouse", meanings=("Ouse (river)", "Ouse (opera)")),
        Article("Abbey", sentences=("A house of monks.",)),
    ],
    "small",
    "",
)


def asked(question: str, *facts: tuple[str, int]) -> Instance:
    return Instance("1", "hotpotqa", question, "x", evidence=(tuple(SentenceRef(*f) for f in facts),))


def moves(instance: Instance, limit: int = 7) -> list[str]:
    return [action.raw for action in solve(SMALL, instance, limit)]


def test_it_goes_by_a_disambiguation_and_looks_up_what_lies_further_on() -> None:
    question = asked("Which abbey stands on the Ouse?", ("Ouse (river)", 6))
    assert moves(question) == ["Search[Ouse]", "Search[Ouse (river)]", "Lookup[abbey]", "Finish[x]"]


def test_without_a_way_there_it_does_not_finish() -> None:
    assert moves(asked("Which house is it?", ("Abbey", 0))) == []
    assert moves(asked("Which abbey stands on the Ouse?", ("Ouse (river)", 6)), 3) == [
        "Search[Ouse]",
        "Search[Ouse (river)]",
    ]
    assert moves(asked("What of Ouse?", ("Ouse (river)", 6)))[-1] == "Search[Ouse (river)]"


def test_any_evidence_set_will_do_and_none_needs_nothing() -> None:
    sets = ((SentenceRef("Ouse (opera)", 0),), (SentenceRef("Abbey", 0),))
    assert moves(Instance("1", "fever", "An abbey is a house.", "x", evidence=sets)) == [
        "Search[Abbey]",
        "Finish[x]",
    ]
    assert moves(Instance("1", "fever", "Anything.", "NOT ENOUGH INFO")) == ["Finish[NOT ENOUGH INFO]"]


def test_as_a_method_it_answers_and_is_scored(scripted) -> None:  # type: ignore[no-untyped-def]
    instance = load_task("hotpotqa")[0]
    t = Episode.start(instance, "oracle", model=scripted()).run()
    assert (t.cell.method, t.stop, t.score["em"]) == ("oracle", "answered", 1.0)
