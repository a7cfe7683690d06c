"""Articles from things: facts in any order between sentences that carry none, each fact in one of its phrasings."""

import random
from dataclasses import dataclass

from react_kit.worlds.fable.relations import Relation
from react_kit.worlds.fable.text import FILLER, OPENING
from react_kit.worlds.fable.world import Thing, sentence

LONGEST = 12  # sentences
WITHHELD = 0.1  # of the facts are true and never told: claims about them cannot be decided
FEWEST = 2  # facts of which none is withheld


@dataclass(eq=False)
class Article:
    """`place`: relation's name → number of the sentence that states it, from 0."""

    thing: Thing
    sentences: list[str]
    place: dict[str, int]


def write(draw: random.Random, thing: Thing) -> Article:
    """An article of 6 to 12 sentences."""
    known = thing.known()
    facts = [r for r in known if len(known) <= FEWEST or draw.random() >= WITHHELD]
    spare = list(FILLER[thing.kind])
    draw.shuffle(spare)
    count = min(len(spare), max(6, draw.randint(len(facts) + 1, LONGEST)) - 1 - len(facts))
    parts: list[Relation | str] = [*facts, *spare[:count]]
    draw.shuffle(parts)
    sentences, place = [sentence(draw.choice(OPENING[thing.kind]), thing)], {}
    for part in parts:
        called = (
            draw.choice((thing.called, thing.called.split()[-1])) if thing.kind == "person" else thing.called
        )
        if isinstance(part, str):
            sentences.append(sentence(part, thing, called=called))
        else:
            place[part.name] = len(sentences)
            sentences.append(sentence(draw.choice(part.said), thing, part, called))
    return Article(thing, sentences, place)
