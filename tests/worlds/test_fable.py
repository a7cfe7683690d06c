"""The invented world: the same by seed, consistent, disjoint by half, and solvable by search and lookup alone."""

import json
import re

import msgspec
import pytest

from react_kit.corpora import MemoryCorpus
from react_kit.corpora.memory import Article
from react_kit.envs.wikipedia import WikipediaEnv
from react_kit.tasks import fever, hotpotqa
from react_kit.trajectory import Action, Instance
from react_kit.worlds.fable import Fable, fable
from react_kit.worlds.fable.names import half_of
from react_kit.worlds.fable.relations import BY_KIND, RELATIONS
from react_kit.worlds.fable.states import STATES
from react_kit.worlds.fable.text import FILLER, OPENING

RELATION = {r.name: r for r in RELATIONS}


@pytest.fixture(scope="module")
def world() -> Fable:
    return fable(seed=1, size=600, questions_=400, claims_=300)


@pytest.fixture(scope="module")
def corpus(world: Fable) -> MemoryCorpus:
    return MemoryCorpus([msgspec.convert(a, Article) for a in world.articles], "fable", "1")


def test_the_same_seed_gives_the_same_bytes_and_another_another(world: Fable) -> None:
    def written(made: Fable) -> str:
        return json.dumps([made.articles, made.hotpotqa, made.fever])

    assert written(fable(seed=1, size=600, questions_=400, claims_=300)) == written(world)
    assert written(fable(seed=2, size=600, questions_=400, claims_=300)) != written(world)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"size": 99}, "size is 99; expected 100 to 100000"),
        ({"size": 100_001}, "size is 100001"),
        ({"half": "test"}, "half is 'test'"),
        ({"size": 100, "questions_": 201}, "questions is 201; expected 0 to 200"),
        ({"claims_": -1}, "claims is -1"),
    ],
)
def test_an_impossible_world_is_refused(given: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        fable(**given)  # type: ignore[arg-type]


def test_a_smallest_world_is_whole() -> None:
    made = fable(size=100, questions_=100, claims_=90)
    assert (len(made.hotpotqa), len(made.fever)) == (100, 90)
    assert sum("sentences" in a for a in made.articles) == 100


def test_dev_and_train_share_no_title_and_no_invented_word(world: Fable) -> None:
    train = fable(seed=1, size=600, half="train", questions_=10, claims_=10)
    assert not {a["title"] for a in world.articles} & {a["title"] for a in train.articles}
    for made, half in ((world, "dev"), (train, "train")):
        towns = [a["title"] for a in made.articles if re.fullmatch(r"[A-Z][a-z]+", a["title"])]
        assert len(towns) > 100
        assert {half_of(t) for t in towns} == {half}


def test_titles_are_unique_and_articles_have_6_to_12_sentences(world: Fable) -> None:
    titles = [a["title"] for a in world.articles]
    assert len(set(titles)) == len(titles)
    lengths = [len(a["sentences"]) for a in world.articles if "sentences" in a]
    assert (min(lengths), max(lengths)) == (6, 12)
    shared = [a for a in world.articles if "meanings" in a]
    assert shared
    assert all(len(a["meanings"]) > 1 and set(a["meanings"]) <= set(titles) for a in shared)
    for a in world.articles:
        for s in a.get("sentences", ()):
            assert s[0].isupper(), s
            assert s[-1] == ".", s
            assert "{" not in s, s


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: f"{r.of} {r.name}")
def test_a_key_word_leads_to_its_fact_and_to_nothing_else(relation: object) -> None:
    r = RELATION[relation.name]  # type: ignore[attr-defined]
    assert len(set(r.said)) >= 4
    for phrase in (*r.said, r.noun, r.ask):
        assert r.key in phrase.lower()
        assert "{s}" in phrase or "{n}" in phrase
    assert all("{o}" in said or "{an}" in said for said in r.said)
    others = [said for other in BY_KIND[r.of] if other is not r for said in other.said]
    for phrase in (*others, *FILLER[r.of], *OPENING[r.of]):
        assert r.key not in phrase.lower()


def test_the_files_are_in_the_official_formats(world: Fable, tmp_path: object) -> None:
    path = tmp_path / "q.json"  # type: ignore[operator]
    path.write_text(json.dumps(world.hotpotqa))
    assert [i.question for i in hotpotqa.load(path)] == [q["question"] for q in world.hotpotqa]
    path.write_text("\n".join(map(json.dumps, world.fever)))
    loaded = fever.load(path)
    assert [i.answer for i in loaded[:3]] == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    titles = {a["title"] for a in world.articles}
    assert all(ref.title in titles for i in loaded for group in i.evidence for ref in group)


def test_questions_are_of_all_kinds_and_no_bridge_holds_its_answer(world: Fable) -> None:
    levels = {q["level"] for q in world.hotpotqa}
    assert levels == {"1-hop", "2-hop", "3-hop", "4-hop", "comparison", "yes/no"}
    assert len({q["question"] for q in world.hotpotqa}) == 400
    for q in world.hotpotqa:
        assert q["question"][0].isupper()
        assert "river the river" not in q["question"]
        if q["type"] == "bridge":
            assert q["answer"].lower() not in q["question"].lower()
    yes_no = [q["answer"] for q in world.hotpotqa if q["level"] == "yes/no"]
    assert len(yes_no) == 80  # a fifth
    assert 20 < yes_no.count("yes") < 60


class Oracle:
    """Finds a chain of facts as an agent could: it types only what it has read."""

    def __init__(self, corpus: MemoryCorpus, question: str) -> None:
        self.env, self.read = WikipediaEnv(corpus), question
        self.env.reset(Instance("q", "hotpotqa", question))

    def do(self, name: str, text: str) -> str:
        assert text.lower() in self.read.lower(), (text, self.read)
        seen = self.env.step(Action(name, {"x": text}, "")).observation.text
        self.read += "\n" + seen
        return seen

    def find(self, title: str, relation: str, value: str) -> None:
        bare = title if title in self.read else title.split(" (")[0]
        seen = self.do("search", bare)
        if value not in seen:
            # The key word stands in the question, or where the relation is a hop within, in its noun phrase.
            seen = self.do("lookup", RELATION[relation].key)
        assert value in seen, (title, relation, value, seen)


def limit(facts: int) -> int:
    return 7 if facts <= 2 else 2 * facts + 3


def test_every_question_can_be_answered_by_search_and_lookup_within_the_limit(
    world: Fable, corpus: MemoryCorpus
) -> None:
    for q in world.hotpotqa:
        oracle = Oracle(corpus, q["question"])
        for title, relation, value in q["chain"]:
            oracle.find(title, relation, value)
        assert oracle.env.steps + 1 <= limit(len(q["chain"]))
        if q["type"] == "bridge":
            assert q["answer"] in oracle.read.removeprefix(q["question"])


def test_every_claim_is_decided_by_its_evidence_within_five_steps(world: Fable, corpus: MemoryCorpus) -> None:
    for c in world.fever:
        oracle = Oracle(corpus, c["claim"])
        for title, relation, value in c["chain"]:
            oracle.find(title, relation, value)
        assert oracle.env.steps + 1 <= 5
        # Refuted and undecided claims name another value, or something that no article says.
        says_so = bool(c["chain"]) and c["chain"][-1][2] in c["claim"]
        assert says_so == (c["label"] == "SUPPORTS")


def test_supporting_sentences_hold_the_fact(world: Fable) -> None:
    sentences = {a["title"]: a["sentences"] for a in world.articles if "sentences" in a}
    for q in world.hotpotqa:
        for (title, number), (_, _, value) in zip(q["supporting_facts"], q["chain"], strict=True):
            assert value in sentences[title][number]


def test_time_runs_forward(world: Fable) -> None:
    from random import Random

    from react_kit.worlds.fable.world import people_the_world

    for thing in people_the_world(Random(3), 500, "dev"):
        facts = {k: v for k, v in thing.facts.items() if isinstance(v, int)}
        if thing.kind == "person":
            assert 38 <= facts["died"] - facts["born"] <= 88
            if "teacher" in thing.facts:
                assert 19 <= facts["born"] - thing.facts["teacher"].facts["born"] <= 45  # type: ignore[union-attr,operator]
        for made, maker in (("published", "author"), ("shown", "inventor")):
            if made in facts:
                by = thing.facts[maker].facts  # type: ignore[union-attr]
                assert by["born"] < facts[made] <= by["died"]  # type: ignore[operator]


def test_what_is_undecided_is_nowhere_told(world: Fable) -> None:
    """Half of these claims have the form of decided ones: the article withholds what others tell."""
    told = {a["title"]: " ".join(a["sentences"]).lower() for a in world.articles if "sentences" in a}
    undecided = [c["claim"] for c in world.fever if c["label"] == "NOT ENOUGH INFO"]
    about = 0
    for claim in undecided:
        for relation in RELATIONS:
            for states in STATES[relation.name]:
                form = re.escape(states).replace(re.escape("{s}"), "(?:[Tt]he )?(?P<s>.+)")
                form = re.sub(r"\\{(o|an)\\}", ".+", form)
                found = re.fullmatch(form, claim)
                if found and found["s"] in told:
                    about += 1
                    assert relation.key not in told[found["s"]]
    assert 30 < about < 70
