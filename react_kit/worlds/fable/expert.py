"""A scripted expert: finds a fable's answers by the facts' chain, saying what it does and why, as ReAct does.

It is given the chain, but types only what it has read: the question and the observations so far. With `slips` it
now and then misspells a title or looks up a word that is not there, sees that, and recovers.
"""

import random
from collections.abc import Generator
from typing import Any, NamedTuple

from react_kit.worlds.fable.relations import RELATIONS

_RELATION = {r.name: r for r in RELATIONS}
ENDINGS = {"SUPPORTS": "so the claim is right", "REFUTES": "so the claim is wrong"}

ASTRAY = ("price of grain", "coat of arms", "family tree", "tax roll")  # what no article holds


class Move(NamedTuple):
    """A thought and an action: `search`, `lookup` or `finish` with its argument. `role`: as in exemplars."""

    thought: str
    action: str
    argument: str
    role: tuple[str, ...] = ("extract", "track")


Moves = Generator[Move, str, None]


def expert(row: dict[str, Any], limit: int, slips: random.Random | None = None) -> Moves:
    """The moves for a row of `Fable.hotpotqa` or `.fever`; send it every observation. It ends within `limit` moves."""
    answer = row.get("answer") or row["label"]
    spare = limit - 2 * max(len(row["chain"]), 1) - 1  # moves that detours may cost
    read = row.get("question") or row["claim"]
    found: list[str] = []
    for title, relation, value in row["chain"]:
        detour = slips is not None and spare > 0 and slips.random() < 0.5
        spare -= detour
        seen = yield from _find(title, relation, value, read, found, slips if detour else None)
        read += "\n" + seen
        found.append(f"{_noun(title, relation)} is {value}")
    if not row["chain"]:
        thought = f"I need to see what is known of {_bare(row['about'])}."
        seen = yield Move(thought, "search", row["about"], ("decompose",))
        found.append(f"the article on {_bare(row['about'])} does not tell whether this is so")
    facts = _start(" and ".join(found))
    ending = ENDINGS.get(answer, f"so the answer is {answer}")
    yield Move(f"{facts}, {ending}.", "finish", answer, ("extract", "conclude"))


def _find(
    title: str, relation: str, value: str, read: str, found: list[str], slips: random.Random | None
) -> Generator[Move, str, str]:
    """Search and, where the first sentences do not tell, look up; returns what was read."""
    name = title if title in read else _bare(title)
    before = f"{_start(found[-1])}. " if found else ""
    wanted = f"I need to find {_noun(title, relation)}"
    role = ("extract", "track") if found else ("decompose",)
    seen = ""
    if slips and slips.random() < 0.5:
        wrong = _misspelt(name, slips)
        seen += yield Move(f"{before}{wanted}.", "search", wrong, role)
        before, wanted, role = "", f"There is no such article; it is spelt {name}", ("reformulate",)
        slips = None
    seen += "\n" + (yield Move(f"{before}{wanted}.", "search", name, role))
    if slips:
        word = ASTRAY[len(found)]  # another one at every hop
        thought = f"Perhaps another word leads there, so I look up {word}."
        seen += yield Move(thought, "lookup", word, ("reformulate",))
    if value not in seen:
        key = _RELATION[relation].key
        thought = f"This does not tell {_noun(title, relation)}, so I look up {key}."
        seen += "\n" + (yield Move(thought, "lookup", key, ("reformulate",)))
    return seen


def _noun(title: str, relation: str) -> str:
    name = _bare(title)
    article = (
        "the " if name.startswith("House of ") or name.split()[-1].islower() else ""
    )  # a dynasty, a device
    return _RELATION[relation].noun.format(s=article + name)


def _bare(title: str) -> str:
    """Without what tells namesakes apart: `Ada Venk (poet)` → `Ada Venk`."""
    return title.split(" (")[0]


def _misspelt(name: str, slips: random.Random) -> str:
    at = slips.randrange(1, len(name) - 1)
    return name[:at] + name[at + 1 :]


def _start(text: str) -> str:
    return text[0].upper() + text[1:]
