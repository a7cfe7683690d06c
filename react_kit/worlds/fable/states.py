"""How claims state the relations of a fable, in words of their own."""

# How a claim states a relation; `{s}` may be a long noun phrase. Each holds the key word, and `{an}` is `a poet`.
STATES: dict[str, tuple[str, ...]] = {
    "capital": ("The capital of {s} is {o}.", "{o} is the capital of {s}.", "{s} has its capital in {o}."),
    "united": ("{s} was united in {o}.", "It was in {o} that {s} was united."),
    "area": ("The area of {s} is {o} square miles.", "{s} has an area of {o} square miles."),
    "land": ("{s} belongs to the country of {o}.", "The country in which {s} lies is {o}."),
    "river": ("{s} stands on the river {o}.", "The river {o} flows through {s}."),
    "founded": ("{s} was founded in {o}.", "It was in {o} that {s} was founded."),
    "people": ("{s} has {o} inhabitants.", "The number of inhabitants of {s} is {o}."),
    "craft": ("{s} is known for {o}.", "It is {o} that {s} is known for."),
    "source": ("The river {s} rises in {o}.", "It is in {o} that the river {s} rises."),
    "length": ("The river {s} is {o} miles long.", "The length of the river {s} is {o} miles."),
    "birthplace": ("{s} was born in {o}.", "{o} is the town where {s} was born."),
    "born": ("The year of birth of {s} is {o}.", "The birth of {s} fell in the year {o}."),
    "died": ("{s} died in {o}.", "It was in {o} that {s} died."),
    "trade": ("{s} was {an} by profession.", "The profession of {s} was that of {an}."),
    "teacher": ("{o} was the teacher of {s}.", "{s} had {o} as a teacher."),
    "author": ("{o} is the author of {s}.", "{s} has {o} as its author."),
    "published": ("{s} was published in {o}.", "It was in {o} that {s} was published."),
    "setting": ("{s} is set in {o}.", "{o} is the town in which {s} is set."),
    "inventor": ("{o} was the inventor of {s}.", "{s} had {o} as its inventor."),
    "shown": ("{s} was first shown in {o}.", "It was in {o} that {s} was first shown."),
    "workshop": ("{s} was built in {o}.", "{o} is the town where {s} was built."),
    "founder": ("{o} was the founder of {s}.", "{s} had {o} as its founder."),
    "realm": ("{s} ruled {o}.", "{o} is the country that {s} ruled."),
    "fell": ("{s} came to an end in {o}.", "It was in {o} that {s} came to an end."),
}
