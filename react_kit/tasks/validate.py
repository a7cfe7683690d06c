"""The rules that the kit's own data keep, checked by file and line: `react-kit doctor --data`."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from react_kit.corpora.memory import Article, MemoryCorpus
from react_kit.corpora.titles import base, fold
from react_kit.errors import KitError
from react_kit.fidelity import PAPER
from react_kit.methods.oracle import solve
from react_kit.resources import file_bytes, json_lines
from react_kit.tasks import TASKS, Task
from react_kit.tasks.fever import LABELS, title_of
from react_kit.trajectory import Instance
from react_kit.worlds.fable import Fable

FEWEST, MOST = 6, 14  # sentences of an article


class Problem(NamedTuple):
    """`line` counts from 1: the line of a JSON-lines file, the question of a JSON list."""

    file: str
    line: int
    rule: str
    found: str

    def __str__(self) -> str:
        return f"{self.file} line {self.line}: {self.rule}; found {self.found}"


Row = dict[str, Any]
Found = tuple[int, str, str]  # line, rule, what was found


def check_folder(folder: Path) -> list[Problem]:
    """Problems of a folder like data/tiny: articles.jsonl, hotpotqa_*.json and fever_*.jsonl."""
    articles = json_lines(folder / "articles.jsonl", Article, lambda a, _: a, "an article")
    found = [Problem("articles.jsonl", *p) for p in check_articles(articles)]
    for path in sorted([*folder.glob("hotpotqa_*.json"), *folder.glob("fever_*.jsonl")]):
        task, split = path.stem.split("_")
        rows = _rows(path)
        check = check_questions if task == "hotpotqa" else check_claims
        here = list(check(rows, articles, split))
        if not here:  # an oracle can only be sent to facts that exist
            here = list(_unreached(TASKS[task], TASKS[task].load(path), articles))
        found += [Problem(path.name, *p) for p in here]
        texts = [f"{row.get('question') or row['claim']} {row.get('answer', '')}" for row in rows]
        found += [Problem(path.name, *p) for p in _strangers(texts, articles, split)]
    told = [" ".join(a.sentences) if a.split == "train" else "" for a in articles]
    return [*found, *(Problem("articles.jsonl", *p) for p in _strangers(told, articles, "train"))]


def check_fable(world: Fable) -> list[Problem]:
    """Problems of an invented world; its claims are also checked against their chain of facts."""
    articles = msgspec.convert(world.articles, list[Article])
    split = articles[0].split
    found = [Problem("articles", *p) for p in check_articles(articles)]
    found += [Problem("hotpotqa", *p) for p in check_questions(world.hotpotqa, articles, split)]
    found += [Problem("fever", *p) for p in check_claims(world.fever, articles, split)]
    for task in () if found else TASKS.values():
        instances = [i for deep in (False, True) for i in task.invented(world, deep)]
        found += [Problem(task.name, *p) for p in _unreached(task, instances, articles)]
    for line, row in enumerate(world.fever, 1):
        if row["chain"] and (row["chain"][-1][2] in row["claim"]) != (row["label"] == "SUPPORTS"):
            found.append(
                Problem("fever", line, "only a supported claim follows from its facts", row["claim"])
            )
    return found


def _rows(path: Path) -> list[Row]:
    if path.suffix == ".jsonl":
        return json_lines(path, Row, lambda row, _: row, "a claim")
    try:
        return msgspec.json.decode(file_bytes(path), type=list[Row])
    except msgspec.DecodeError as e:
        raise KitError(f"{path} is not a JSON list of questions: {e}.") from e


def _unreached(task: Task, instances: Sequence[Instance], articles: Sequence[Article]) -> Iterator[Found]:
    corpus = MemoryCorpus(list(articles), "checked", "")
    for line, instance in enumerate(instances, 1):
        limit = task.limit(PAPER, instance)
        actions = solve(corpus, instance, limit)
        if not actions or actions[-1].name != "finish":
            yield line, f"an oracle finds the gold sentences within {limit} steps", instance.question


def _strangers(texts: Sequence[str], articles: Sequence[Article], split: str) -> Iterator[Found]:
    """Texts of one split that name what the other is about."""
    names = {n: a.title for a in articles if a.split != split for n in (a.title, base(a.title), *a.aliases)}
    if not names:
        return
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b", re.IGNORECASE)
    for line, text in enumerate(texts, 1):
        if named := pattern.search(text):
            yield line, f"the {split} split names nothing that the other is about", named[0]


def check_articles(articles: Sequence[Article]) -> Iterator[Found]:
    """Unique titles, no alias that is another's title, meanings that exist, sentences that are sentences."""
    titles = Counter(fold(a.title) for a in articles)
    by_title = {a.title: a for a in articles}
    for line, a in enumerate(articles, 1):
        if titles[fold(a.title)] > 1:
            yield line, "a title occurs once", a.title
        if bool(a.sentences) == bool(a.meanings):
            yield line, "an article has either sentences or meanings", a.title
        for meaning in a.meanings:
            if fold(meaning) not in titles:
                yield line, "a meaning is the title of an article", meaning
        for alias in a.aliases:
            if fold(alias) in titles and fold(alias) != fold(a.title):
                yield line, "an alias is no other article's title", alias
        for s in a.sentences:
            if s != s.strip() or not s.endswith(".") or any(c in s for c in "\n[]"):
                rule = "a sentence ends in a full stop and holds no line break or square bracket"
                yield line, rule, repr(s)
        if a.sentences and not FEWEST <= len(a.sentences) <= MOST:
            yield line, f"an article has {FEWEST} to {MOST} sentences", f"{a.title} with {len(a.sentences)}"
        text = fold(" ".join(a.sentences))
        for relation, title in a.links:
            to = by_title.get(title)
            if to is None or not to.sentences or to.split != a.split:
                yield line, "a link leads to an article of the same split", f"{relation}: {title}"
            elif not any(fold(name) in text for name in (title, base(title), *to.aliases)):
                yield line, "an article names what it links to", f"{relation}: {title}"


def check_questions(rows: Sequence[Row], articles: Sequence[Article], split: str) -> Iterator[Found]:
    """Facts that exist in the split, the context's own text, answers that stand in the facts."""
    by_title = {a.title: a for a in articles}
    asked = Counter(row["question"] for row in rows)
    for line, row in enumerate(rows, 1):
        question, answer = row["question"], row["answer"]
        if asked[question] > 1:
            yield line, "a question occurs once", question
        facts = [(title, number) for title, number in row["supporting_facts"]]
        bad = list(_refs(facts, by_title, split))
        yield from ((line, *b) for b in bad)
        if bad:
            continue
        for title, sentences in row["context"]:
            if title not in by_title or tuple(sentences) != by_title[title].sentences:
                yield line, "the context is the articles' own text", title
        said = [by_title[title].sentences[number] for title, number in facts]
        if row["type"] == "bridge" and answer not in said[-1]:
            yield line, "a bridge question's answer stands in its last supporting sentence", answer
        if row["type"] == "bridge" and answer.lower() in question.lower():
            yield line, "a bridge question does not hold its answer", answer
        if row["type"] != "bridge" and answer not in ("yes", "no") and answer not in question:
            yield line, "a comparison's answer is one of the things that it names", answer


def check_claims(rows: Sequence[Row], articles: Sequence[Article], split: str) -> Iterator[Found]:
    """One of three labels, evidence that exists in the split just where the claim is decided."""
    by_title = {a.title: a for a in articles}
    said = Counter(row["claim"] for row in rows)
    for line, row in enumerate(rows, 1):
        if said[row["claim"]] > 1:
            yield line, "a claim occurs once", row["claim"]
        if row["label"] not in LABELS:
            yield line, f"a label is one of {', '.join(LABELS)}", repr(row["label"])
        facts = [
            (title_of(page), number) for group in row["evidence"] for _, _, page, number in group if page
        ]
        if bool(facts) != (row["label"] != "NOT ENOUGH INFO"):
            yield line, "a claim has evidence unless it says NOT ENOUGH INFO", str(row["evidence"])
        yield from ((line, *b) for b in _refs(facts, by_title, split))


def _refs(
    facts: Sequence[tuple[str, int]], by_title: dict[str, Article], split: str
) -> Iterator[tuple[str, str]]:
    for title, number in facts:
        if title not in by_title:
            yield "a supporting fact names an article", title
        elif not 0 <= number < len(by_title[title].sentences):
            yield f"a sentence number is below {len(by_title[title].sentences)}", f"{title}, {number}"
        elif by_title[title].split != split:
            yield f"the {split} split asks about its own articles", f"{title} of {by_title[title].split}"
