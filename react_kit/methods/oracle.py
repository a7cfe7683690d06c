"""An oracle: how far gets an agent that knows only the question and what it was shown, but wastes no step?

It searches names that stand in the question or in an earlier observation, and looks up words of the question, in
the environment and within the step limit that a model has. What it alone knows is which of them are worth it.
"""

import re
from collections.abc import Iterator, Sequence

from react_kit.corpora.memory import MemoryCorpus
from react_kit.corpora.titles import base, fold
from react_kit.envs.wikipedia import WikipediaEnv
from react_kit.methods.base import Context, whole
from react_kit.trajectory import Action, Instance, SentenceRef, Step


def oracle(ctx: Context) -> Iterator[Step]:
    """A method that finds the gold sentences if they can be found, and then gives the gold answer."""
    steps: list[Step] = []
    for action in solve(whole(ctx), ctx.instance, ctx.limit):
        step, _ = ctx.act(steps, None, action, (), ())
        steps.append(step)
        yield step


def solve(corpus: MemoryCorpus, instance: Instance, limit: int) -> list[Action]:
    """The actions that show all sentences of one evidence set; `finish` ends them where `limit` steps are enough."""
    end = Action("finish", {"answer": instance.answer or ""}, f"Finish[{instance.answer}]")
    actions: list[Action] = []
    # Without evidence there is nothing to find, as in a claim that the encyclopedia does not decide.
    for group in instance.evidence or [()]:
        actions, found = _see(corpus, instance, group, limit - 1)
        if found:
            return [*actions, end]
    return actions


def _see(
    corpus: MemoryCorpus, instance: Instance, group: Sequence[SentenceRef], steps: int
) -> tuple[list[Action], bool]:
    env, shown, unseen, actions = WikipediaEnv(corpus), instance.question, set(group), list[Action]()
    env.reset(instance)
    while unseen:
        titles = list(dict.fromkeys(ref.title for ref in group if ref in unseen))
        action = _lookup(env, instance.question, unseen) or _search(corpus, titles, shown, actions)
        if action is None or len(actions) == steps:
            return actions, False
        actions.append(action)
        outcome = env.step(action)
        unseen -= set(outcome.observation.sentences)
        shown += "\n" + outcome.observation.text
    return actions, True


def _lookup(env: WikipediaEnv, question: str, unseen: set[SentenceRef]) -> Action | None:
    """The word of the question that reaches a wanted sentence of the open page soonest."""
    if env.page is None:
        return None
    sentences = [fold(s) for s in env.page.sentences]
    wanted = {ref.id for ref in unseen if ref.title == env.page.title}
    reach: dict[str, int] = {}
    for word in re.findall(r"[\w'-]{3,}", fold(question)):
        hits = [i for i, s in enumerate(sentences) if word in s]
        ahead = hits[env.place(word) :]
        if at := [n for n, i in enumerate(ahead) if i in wanted]:
            reach[word] = at[0]
    if not reach:
        return None
    best = min(reach, key=lambda word: reach[word])
    return Action("lookup", {"string": best}, f"Lookup[{best}]")


def _search(
    corpus: MemoryCorpus, titles: Sequence[str], shown: str, before: Sequence[Action]
) -> Action | None:
    """A name of a wanted article that was shown, the most telling first, and none that was searched before."""
    text, searched = fold(shown), {fold(a.argument or "") for a in before}
    for title in titles:
        unclear = (a.title for a in corpus.articles.values() if title in a.meanings)
        for name in (title, *corpus.articles[title].aliases, base(title), *unclear):
            if fold(name) not in searched and re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", text):
                return Action("search", {"entity": name}, f"Search[{name}]")
    return None
