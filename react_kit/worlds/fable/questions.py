"""Questions of one to four hops, comparisons, yes/no and claims, each with its chain of facts and their sentences."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

from react_kit.worlds.fable.articles import Article
from react_kit.worlds.fable.relations import BY_KIND, Relation
from react_kit.worlds.fable.states import STATES
from react_kit.worlds.fable.world import Thing, shown, with_article

HOPS, SHARES = (1, 2, 3, 4), (3, 10, 4, 3)  # of bridge questions, mostly two hops as in HotpotQA
# How a comparison asks which year is the earlier one; each holds the relation's key word.
FIRST = {
    "born": "has the earlier year of birth",
    "died": "died first",
    "founded": "was founded first",
    "united": "was united first",
    "published": "was published first",
    "shown": "was first shown earlier",
    "fell": "came to an end first",
}
LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


@dataclass(frozen=True)
class Fact:
    """What sentence `number` of the article `title` says."""

    title: str
    relation: str
    object: str
    number: int


@dataclass(frozen=True)
class Asked:
    """A question, or a claim whose answer is its label. `facts`: the chain of reasoning, in order."""

    text: str
    answer: str
    kind: str  # bridge, comparison, yes/no, claim
    facts: tuple[Fact, ...]
    about: str = ""  # the article to open where no fact decides

    @property
    def hops(self) -> int:
        return len(self.facts)


def questions(draw: random.Random, articles: list[Article]) -> Iterator[Asked]:
    """Without end, none twice: of ten six bridge questions, two comparisons and two with yes or no."""
    by_title = {a.thing.title: a for a in articles}
    seen: set[str] = set()
    for make in cycle(
        (bridge, comparison, bridge, greater_yes_no, bridge, bridge, comparison, bridge, same_yes_no, bridge)
    ):
        found = None
        while found is None or found.text in seen:
            found = make(draw, articles, by_title)
        seen.add(found.text)
        yield found


def claims(draw: random.Random, articles: list[Article]) -> Iterator[Asked]:
    """Without end: one label after the other, so that any number is balanced."""
    by_title = {a.thing.title: a for a in articles}
    seen: set[str] = set()
    for label in cycle(LABELS):
        found = None
        while found is None or found.text in seen:
            found = claim(draw, articles, by_title, label)
        seen.add(found.text)
        yield found


def bridge(draw: random.Random, articles: list[Article], by_title: dict[str, Article]) -> Asked | None:
    """`In which town was the author of The Bell of Orelia born?`: every hop's object is the next one's subject."""
    chain = _walk(draw, articles, by_title, draw.choices(HOPS, SHARES)[0])
    if chain is None:
        return None
    text = _sentence(chain[-1][1].ask, _subject(chain))
    answer = _object(*chain[-1])
    told = answer.removeprefix("the ")
    return None if told.lower() in text.lower() else Asked(text, told, "bridge", _facts(chain))


def comparison(draw: random.Random, articles: list[Article], by_title: dict[str, Article]) -> Asked | None:
    """`Which came first, the birth of A or the birth of B?`: two facts of a kind, and the smaller year is asked for."""
    pair = _pair(draw, articles, ("year",))
    if pair is None:
        return None
    (one, relation), (two, _) = pair
    first = min(one, two, key=lambda a: a.thing.facts[relation.name])  # type: ignore[arg-type,return-value]
    which = "Who" if one.thing.kind == "person" else "Which"
    text = f"{which} {FIRST[relation.name]}, {one.thing.full} or {two.thing.full}?"
    return Asked(text, first.thing.full.removeprefix("the "), "comparison", _facts(pair))


def greater_yes_no(
    draw: random.Random, articles: list[Article], by_title: dict[str, Article]
) -> Asked | None:
    """`Is the area of A greater than the area of B?`"""
    pair = _pair(draw, articles, ("year", "number"))
    if pair is None:
        return None
    (one, relation), (two, _) = pair
    a, b = one.thing.facts[relation.name], two.thing.facts[relation.name]
    assert isinstance(a, int)
    assert isinstance(b, int)
    more = "later than" if relation.to == "year" else "greater than"
    nouns = [relation.noun.format(s=x.thing.full) for x in (one, two)]
    return Asked(f"Is {nouns[0]} {more} {nouns[1]}?", "yes" if a > b else "no", "yes/no", _facts(pair))


def same_yes_no(draw: random.Random, articles: list[Article], by_title: dict[str, Article]) -> Asked | None:
    """`Is the river on which A stands the same as the river on which B stands?`, half of them yes."""
    relation = draw.choice(
        [r for rs in BY_KIND.values() for r in rs if r.to in ("country", "river", "town", "word")]
    )
    have = [a for a in _some(draw, articles) if relation.name in a.place]
    if len(have) < 2:
        return None
    one, wanted = have[0], draw.random() < 0.5
    rest = [a for a in have[1:] if (a.thing.facts[relation.name] == one.thing.facts[relation.name]) == wanted]
    if not rest:
        return None
    nouns = [relation.noun.format(s=x.thing.full) for x in (one, rest[0])]
    if any(_object(x, relation).lower() in n.lower() for x, n in zip((one, rest[0]), nouns, strict=True)):
        return None  # the names would tell
    pair = [(one, relation), (rest[0], relation)]
    return Asked(f"Is {nouns[0]} the same as {nouns[1]}?", "yes" if wanted else "no", "yes/no", _facts(pair))


def claim(
    draw: random.Random, articles: list[Article], by_title: dict[str, Article], label: str
) -> Asked | None:
    """A statement of one or two hops; refuted by another value of the same kind; or one that no article decides."""
    if label == "NOT ENOUGH INFO":
        return _undecided(draw, articles)
    chain = _walk(draw, articles, by_title, draw.choice((1, 1, 2)))
    if chain is None:
        return None
    article, relation = chain[-1]
    said = _object(article, relation)
    if said.lower() in _subject(chain).lower():  # as the profession of a namesake who is told apart by it
        return None
    if label == "REFUTES":
        others = [a for a in _some(draw, articles) if relation.name in a.place]
        others = [a for a in others if _object(a, relation) != said]
        if not others:
            return None
        said = _object(others[0], relation)
    return Asked(_stated(draw, relation, said, _subject(chain)), label, "claim", _facts(chain))


# What the articles never say: the kinds of the two things, and the statement.
UNDECIDED = (
    ("person", "town", "{a} owned a house in {b}."),
    ("person", "book", "{a} kept a copy of {b} by the bed."),
    ("person", "person", "{a} lent money to {b}."),
    ("town", "person", "A school in {a} is named after {b}."),
    ("book", "country", "{a} was once forbidden in {b}."),
    ("invention", "country", "The army of {b} bought {a}."),
    ("river", "person", "{b} swam across the {a}."),
    ("dynasty", "town", "A palace of {a} stood in {b}."),
    ("country", "country", "{a} and {b} once signed a treaty."),
)


def _undecided(draw: random.Random, articles: list[Article]) -> Asked | None:
    """Half of them about facts that other articles tell of their things, and this one withholds."""
    if draw.random() < 0.5:
        return _withheld(draw, articles)
    one, other, says = draw.choice(UNDECIDED)
    some = _some(draw, articles)
    a = next((x for x in some if x.thing.kind == one), None)
    b = next((x for x in some if x.thing.kind == other and x is not a), None)
    if a is None or b is None:
        return None
    text = says.format(a=a.thing.full, b=b.thing.full)
    return Asked(_sentence(text, ""), LABELS[2], "claim", (), a.thing.title)


def _withheld(draw: random.Random, articles: list[Article]) -> Asked | None:
    some = _some(draw, articles)
    # A town's country is left out: where the town is a capital, it could be found out the other way round.
    kept_back = ((a, r) for a in some for r in a.thing.known() if r.name not in a.place and r.name != "land")
    article, relation = next(kept_back, (None, None))
    if article is None or relation is None:
        return None
    said = next((_object(a, relation) for a in reversed(some) if relation.name in a.place), None)
    if said is None:
        return None
    text = _stated(draw, relation, said, article.thing.full)
    return Asked(text, LABELS[2], "claim", (), article.thing.title)


Link = tuple[Article, Relation]


def _walk(
    draw: random.Random, articles: list[Article], by_title: dict[str, Article], hops: int
) -> list[Link] | None:
    """A chain of `hops` facts whose things are all different; None where the walk ends too early."""
    article, chain, seen = draw.choice(articles), [], set()
    for hop in range(hops):
        seen.add(article.thing.title)
        last = hop == hops - 1
        told = [r for r in article.thing.known() if r.name in article.place]
        fit = [r for r in told if last or isinstance(article.thing.facts[r.name], Thing)]
        if not fit:
            return None
        relation = draw.choice(fit)
        chain.append((article, relation))
        value = article.thing.facts[relation.name]
        if not last:
            assert isinstance(value, Thing)
            if value.title in seen:
                return None
            article = by_title[value.title]
    return chain


def _pair(draw: random.Random, articles: list[Article], to: tuple[str, ...]) -> list[Link] | None:
    """Two articles of a kind whose facts differ in one relation."""
    relation = draw.choice([r for rs in BY_KIND.values() for r in rs if r.to in to])
    have = [a for a in _some(draw, articles) if relation.name in a.place][:2]
    if len(have) < 2 or have[0].thing.facts[relation.name] == have[1].thing.facts[relation.name]:
        return None
    return [(have[0], relation), (have[1], relation)]


def _subject(chain: list[Link]) -> str:
    """The noun phrase that leads to the last article: `the author of The Bell of Orelia`."""
    subject = chain[0][0].thing.full
    for _, relation in chain[:-1]:
        subject = relation.noun.format(s=subject)
    return subject


def _sentence(phrase: str, subject: str) -> str:
    text = phrase.format(s=subject).replace("river the river", "river")
    return text[0].upper() + text[1:]


def _stated(draw: random.Random, relation: Relation, object: str, subject: str) -> str:
    phrase = draw.choice(STATES[relation.name]).replace("{an}", with_article(object)).replace("{o}", object)
    return _sentence(phrase, subject)


def _some(draw: random.Random, articles: list[Article]) -> list[Article]:
    """Enough articles to find a pair in, drawn anew."""
    return draw.sample(articles, min(len(articles), 200))


def _object(article: Article, relation: Relation) -> str:
    return shown(article.thing.facts[relation.name], relation)


def _facts(chain: list[Link]) -> tuple[Fact, ...]:
    return tuple(Fact(a.thing.title, r.name, _object(a, r), a.place[r.name]) for a, r in chain)


ROUND = (bridge, comparison, bridge, greater_yes_no, bridge, bridge, comparison, bridge, same_yes_no, bridge)
