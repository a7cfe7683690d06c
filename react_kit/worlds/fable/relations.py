"""What can be said of the things in a fable: every relation with its phrasings, its noun phrase and its question.

`{s}` is the subject, `{n}` its bare name, `{o}` the object, `{an}` the object with its article. Each phrasing holds
the key word, and so do noun phrase and question: whoever looks the word up in the article finds the fact.
"""

from typing import NamedTuple


class Relation(NamedTuple):
    """`of` and `to` are kinds of things; `to` may be `year`, `number` or `word` too. `noun`: `the author of {s}`."""

    name: str
    of: str
    to: str
    key: str
    noun: str
    ask: str
    said: tuple[str, ...]


RELATIONS = (
    Relation("capital", "country", "town", "capital", "the capital of {s}", "Which town is the capital of {s}?", (
        "The capital of {s} is {o}.",
        "{o} is the capital of {s}.",
        "{s} is governed from its capital, {o}.",
        "The court and the assembly of {s} sit in {o}, the capital.",
    )),
    Relation("united", "country", "year", "united", "the year in which {s} was united", "In which year was {s} united?", (
        "{s} was united in {o}.",
        "In {o} the quarrelling provinces were united as {s}.",
        "Until {o}, when {s} was united, each valley had a prince of its own.",
        "The year in which {s} was united is given as {o}.",
    )),
    Relation("area", "country", "number", "area", "the area of {s}", "What is the area of {s} in square miles?", (
        "{s} has an area of {o} square miles.",
        "The area of {s} is {o} square miles.",
        "With its islands {s} covers an area of {o} square miles.",
        "Surveyors put the area of {s} at {o} square miles.",
    )),
    Relation("land", "town", "country", "country", "the country in which {s} lies", "In which country does {s} lie?", (
        "{s} lies in the country of {o}.",
        "{s} is a town in the country of {o}.",
        "The country to which {s} belongs is {o}.",
        "Its country is {o}, whose flag has flown over {s} for centuries.",
    )),
    Relation("river", "town", "river", "river", "the river on which {s} stands", "On which river does {s} stand?", (
        "{s} stands on the river {o}.",
        "The river {o} runs through {s}.",
        "{s} grew up around a bridge over the river {o}.",
        "Barges reach {s} by the river {o}.",
    )),
    Relation("founded", "town", "year", "founded", "the year in which {s} was founded", "In which year was {s} founded?", (
        "{s} was founded in {o}.",
        "Settlers founded {s} in {o}.",
        "Founded in {o}, {s} is older than most of its neighbours.",
        "An inscription says that {s} was founded in {o}.",
    )),
    Relation("people", "town", "number", "inhabitants", "the number of inhabitants of {s}", "How many inhabitants does {s} have?", (
        "{s} has {o} inhabitants.",
        "At the last count {s} had {o} inhabitants.",
        "The number of inhabitants of {s} is {o}.",
        "Some {o} inhabitants live within the walls of {s} and in its suburbs; the count is exact.",
    )),
    Relation("craft", "town", "word", "known for", "what {s} is known for", "What is {s} known for?", (
        "{s} is known for its {o}.",
        "Abroad {s} is best known for {o}.",
        "The town of {s} has long been known for {o}.",
        "Travellers' books say that {s} is known for {o}.",
    )),
    Relation("source", "river", "country", "rises", "the country in which the river {s} rises", "The river {s} rises in which country?", (
        "The {s} rises in {o}.",
        "The river {s} rises in the hills of {o}.",
        "In {o}, where it rises, the {s} is hardly a brook.",
        "From {o}, where the {s} rises, it runs down to the plain.",
    )),
    Relation("length", "river", "number", "miles", "the length in miles of the river {s}", "How many miles long is the river {s}?", (
        "The {s} is {o} miles long.",
        "From spring to mouth the {s} is {o} miles long.",
        "At {o} miles the {s} is a long river.",
        "It is {o} miles long, as measured along the bed of the {s}.",
    )),
    Relation("birthplace", "person", "town", "born", "the town where {s} was born", "In which town was {s} born?", (
        "{s} was born in the town of {o}.",
        "Born in the town of {o}, {s} went to school there as well.",
        "The parents of {s}, who was born in the town of {o}, kept an inn.",
        "That {s} was born in the town of {o} is in the parish register.",
    )),
    Relation("born", "person", "year", "birth", "the year of birth of {s}", "What is the year of birth of {s}?", (
        "The year of birth of {s} is {o}.",
        "{s} gave {o} as the year of birth.",
        "The birth of {s} fell in {o}, a year of floods.",
        "A letter dates the birth of {s} to {o}.",
    )),
    Relation("died", "person", "year", "died", "the year in which {s} died", "What is the year in which {s} died?", (
        "{s} died in {o}.",
        "In {o} {s} died after a short illness.",
        "{s} was still at work in the year {o}, when a fever came, and died within the month.",
        "Friends of {s}, who died in {o}, paid for the stone.",
    )),
    Relation("trade", "person", "word", "profession", "the profession of {s}", "What was the profession of {s}?", (
        "{s} was {an} by profession.",
        "The profession of {s} was that of {an}.",
        "By profession {s} was {an}.",
        "{s} took up the profession of {an} early.",
    )),
    Relation("teacher", "person", "person", "teacher", "the teacher of {s}", "Who was the teacher of {s}?", (
        "The teacher of {s} was {o}.",
        "{o} was the teacher of {s}.",
        "{s} had {o} as a teacher for six years.",
        "In later life {s} thanked one teacher above all, {o}.",
    )),
    Relation("author", "book", "person", "author", "the author of {s}", "Who is the author of {s}?", (
        "The author of {s} is {o}.",
        "{o} is the author of {s}.",
        "{s} made its author, {o}, a household name.",
        "As its author {o} confessed, {s} was finished in nine weeks.",
    )),
    Relation("published", "book", "year", "published", "the year in which {s} was published", "In which year was {s} published?", (
        "{s} was published in {o}.",
        "In {o} {s} was published in two volumes.",
        "First published in {o}, {s} has never been out of print.",
        "The printers published {s} in {o}, without a name on the title page.",
    )),
    Relation("setting", "book", "town", "is set", "the town in which {s} is set", "Which is the town in which {s} is set?", (
        "{s} is set in {o}.",
        "The story of {s} is set in {o}.",
        "{s}, which is set in {o}, describes its streets house by house.",
        "Though it is set in {o}, most of {s} was written far away.",
    )),
    Relation("inventor", "invention", "person", "inventor", "the inventor of {s}", "Who was the inventor of {s}?", (
        "The inventor of {s} was {o}.",
        "{o} was the inventor of {s}.",
        "Its inventor, {o}, never earned a penny from {s}.",
        "The patent names {o} as the inventor of {s}.",
    )),
    Relation("shown", "invention", "year", "first shown", "the year in which {s} was first shown", "In which year was {s} first shown?", (
        "{s} was first shown in {o}.",
        "In {o} {s} was first shown to a doubtful crowd.",
        "First shown in {o}, {s} came into use a decade later.",
        "The public was first shown {s} in {o}.",
    )),
    Relation("workshop", "invention", "town", "was built", "the town in which {s} was built", "Which is the town in which {s} was built?", (
        "{s} was built in {o}.",
        "The first {n} was built in {o}.",
        "It took one winter until {s} was built in {o}.",
        "Every early {n} was built in {o}.",
    )),
    Relation("founder", "dynasty", "person", "founder", "the founder of {s}", "Who was the founder of {s}?", (
        "The founder of {s} was {o}.",
        "{o} was the founder of {s}.",
        "{s} honours {o} as its founder.",
        "All members of {s} descend from its founder, {o}.",
    )),
    Relation("realm", "dynasty", "country", "ruled", "the country that {s} ruled", "Which country is it that {s} ruled?", (
        "{s} ruled {o}.",
        "The country that {s} ruled was {o}.",
        "For generations {s} ruled over {o}.",
        "{o} was ruled by {s}.",
    )),
    Relation("fell", "dynasty", "year", "came to an end", "the year in which {s} came to an end", "What is the year in which {s} came to an end?", (
        "{s} came to an end in {o}.",
        "In {o} {s} came to an end without an heir.",
        "The line of {s} came to an end in {o}.",
        "With a lost battle in {o} {s} came to an end.",
    )),
)  # fmt: skip

BY_KIND: dict[str, tuple[Relation, ...]] = {
    kind: tuple(r for r in RELATIONS if r.of == kind) for kind in dict.fromkeys(r.of for r in RELATIONS)
}
