"""The things of a fable and what is true of them: drawn by seed, consistent in time, in one half of the language."""

import random
from bisect import bisect_left
from dataclasses import dataclass, field

from react_kit.worlds.fable.names import Half, Names
from react_kit.worlds.fable.relations import BY_KIND, Relation

# Of the articles; the rest are people.
SHARES = {"country": 0.04, "dynasty": 0.05, "river": 0.08, "town": 0.24, "book": 0.15, "invention": 0.10}
SMALLEST, LARGEST = 100, 100_000  # articles
NAMESAKES = 0.06  # of the people share their name with an earlier one
TRADES = (
    "poet painter glazier surveyor physician astronomer printer composer shipwright botanist weaver notary "
    "clockmaker cartographer organist brewer"
).split()
CRAFTS = "glass lace bells barrels paper saddles dyes cheese pottery knives cider silk ropes candles harps salt".split()
DEVICES = "pump loom lamp press clock plough mill winch kiln compass bellows sluice".split()
SUBJECTS = (
    "Lantern Winter Orchard Ferry Bell Debt Garden Mirror Bridge Journey Silence Harbour Feast Letter".split()
)


@dataclass(eq=False)
class Thing:
    """`title` is unique; `name` is how texts call it. `facts`: relation's name → a thing, a number or a word."""

    title: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()
    facts: "dict[str, Thing | int | str]" = field(default_factory=dict)

    @property
    def called(self) -> str:
        """Within a sentence: `the House of Orid`, `the Belanbane loom`, other names alone."""
        return f"the {self.name}" if self.kind in ("dynasty", "invention") else self.name

    @property
    def full(self) -> str:
        """As `called`, with what tells namesakes apart."""
        return self.title if self.title != self.name else self.called

    def known(self) -> list[Relation]:
        """The relations in which something is said of this thing."""
        return [r for r in BY_KIND[self.kind] if r.name in self.facts]


def shown(value: Thing | int | str, relation: Relation) -> str:
    """A fact's object as text: a name, a year, `12,345`, or a word."""
    if isinstance(value, Thing):
        return value.full
    return f"{value:,}" if relation.to == "number" and isinstance(value, int) else str(value)


def people_the_world(draw: random.Random, size: int, half: Half) -> list[Thing]:
    """`size` things with their facts; disambiguation titles for namesakes are counted by the caller."""
    names = Names(draw, half)
    count = {kind: max(4, round(size * share)) for kind, share in SHARES.items()}
    count["person"] = size - sum(count.values())
    made = {
        "country": [_country(names) for _ in range(count["country"])],
        "town": [_plain(names, "town") for _ in range(count["town"])],
        "river": [_river(names) for _ in range(count["river"])],
        "person": _people(draw, names, count["person"]),
        "book": [_book(draw, names) for _ in range(count["book"])],
        "invention": [_invention(draw, names) for _ in range(count["invention"])],
        "dynasty": [_dynasty(names) for _ in range(count["dynasty"])],
    }
    _settle(draw, made)
    _live(draw, made)
    return [thing for things in made.values() for thing in things]


def _plain(names: Names, kind: str) -> Thing:
    name = names.word(kind)
    return Thing(name, kind, name)


def _country(names: Names) -> Thing:
    name = names.word("country")
    return Thing(name, "country", name, (f"Kingdom of {name}",))


def _river(names: Names) -> Thing:
    name = names.word("river")
    return Thing(name, "river", name, (f"River {name}", f"{name} (river)"))


def _book(draw: random.Random, names: Names) -> Thing:
    name = f"The {draw.choice(SUBJECTS)} of {names.word('given')}"
    return Thing(name, "book", name, (name.removeprefix("The "),))


def _invention(draw: random.Random, names: Names) -> Thing:
    name = f"{names.word('family')} {draw.choice(DEVICES)}"
    return Thing(name, "invention", name)


def _dynasty(names: Names) -> Thing:
    name = names.word("house")
    return Thing(f"House of {name}", "dynasty", f"House of {name}", (f"{name} dynasty",))


def _people(draw: random.Random, names: Names, count: int) -> list[Thing]:
    """People with professions; namesakes have different ones, which stand in their titles."""
    by_name: dict[str, list[str]] = {}
    order: list[tuple[str, str]] = []
    for _ in range(count):
        name, trade = f"{names.word('given', once=False)} {names.word('family')}", draw.choice(TRADES)
        if order and draw.random() < NAMESAKES:
            earlier = draw.choice(order)[0]
            free = [t for t in TRADES if t not in by_name[earlier]]
            if free:
                name, trade = earlier, draw.choice(free)
        by_name.setdefault(name, []).append(trade)
        order.append((name, trade))
    return [_person(name, trade, len(by_name[name]) > 1) for name, trade in order]


def _person(name: str, trade: str, shared: bool) -> Thing:
    title = f"{name} ({trade})" if shared else name
    return Thing(title, "person", name, () if shared else (name.split()[-1],), {"trade": trade})


def _settle(draw: random.Random, made: dict[str, list[Thing]]) -> None:
    """Lands, towns and rivers: founded from 300 to 899, before anybody of whom we know was born."""
    for country in made["country"]:
        country.facts |= {"united": draw.randint(300, 899), "area": draw.randint(2_000, 90_000)}
    for river in made["river"]:
        river.facts |= {"source": draw.choice(made["country"]), "length": draw.randint(40, 1_400)}
    by_land: dict[str, list[Thing]] = {}
    for town in made["town"]:
        land = draw.choice(made["country"])
        by_land.setdefault(land.title, []).append(town)
        town.facts |= {"land": land, "river": draw.choice(made["river"]), "founded": draw.randint(300, 899)}
        town.facts |= {"people": draw.randint(900, 250_000), "craft": draw.choice(CRAFTS)}
    for country in made["country"]:
        if towns := by_land.get(country.title):
            country.facts["capital"] = draw.choice(towns)


def _live(draw: random.Random, made: dict[str, list[Thing]]) -> None:
    """People and what they made, each in its time: teachers are older, works fall within a life."""
    births = sorted(draw.randint(900, 1_850) for _ in made["person"])
    for person, birth in zip(made["person"], births, strict=True):
        person.facts |= {
            "birthplace": draw.choice(made["town"]),
            "born": birth,
            "died": birth + draw.randint(38, 88),
        }
    for at, person in enumerate(made["person"]):
        oldest, youngest = bisect_left(births, births[at] - 45), bisect_left(births, births[at] - 19)
        if oldest < youngest and draw.random() < 0.7:
            person.facts["teacher"] = made["person"][draw.randrange(oldest, youngest)]
    for kind, maker, year, place in (
        ("book", "author", "published", "setting"),
        ("invention", "inventor", "shown", "workshop"),
    ):
        for work in made[kind]:
            by = draw.choice(made["person"])
            born, died = by.facts["born"], by.facts["died"]
            assert isinstance(born, int)
            assert isinstance(died, int)
            work.facts |= {maker: by, year: draw.randint(born + 20, died), place: draw.choice(made["town"])}
    for house in made["dynasty"]:
        by = draw.choice(made["person"])
        died = by.facts["died"]
        assert isinstance(died, int)
        house.facts |= {
            "founder": by,
            "realm": draw.choice(made["country"]),
            "fell": died + draw.randint(20, 240),
        }


def sentence(phrase: str, thing: Thing, relation: Relation | None = None, called: str | None = None) -> str:
    """A phrasing filled in, with a capital at its beginning."""
    o = shown(thing.facts[relation.name], relation) if relation else ""
    said = phrase.format(s=called or thing.called, n=thing.name, o=o, an=with_article(o))
    return said[0].upper() + said[1:]


def with_article(word: str) -> str:
    """`a poet`, `an organist`."""
    return f"{'an' if word[:1] in tuple('aeiou') else 'a'} {word}"
