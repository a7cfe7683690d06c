"""A control: CoT that is given the gold sentences. What it still gets wrong is reasoning, not searching or knowing."""

from collections.abc import Iterator

from react_kit.corpora.page import Corpus, Page
from react_kit.errors import KitError, expect
from react_kit.methods.base import Context
from react_kit.methods.cot import reason
from react_kit.trajectory import SentenceRef, Step

GIVEN = 2  # sentences shown of a claim's article where there is no evidence to show


def cot_gold(ctx: Context) -> Iterator[Step]:
    """`Question: ...`, then a line `Facts: ...` with the sentences of the first evidence set; exemplars are CoT's own.

    A claim that nothing decides gets the beginning of the article it names, so that the line gives no label away.
    """
    corpus = getattr(ctx.env, "corpus", None)
    expect("the corpus", corpus, Corpus, "a corpus that holds the gold sentences")
    assert isinstance(corpus, Corpus)
    if ctx.instance.evidence:
        sentences = [_sentence(corpus, ref) for ref in ctx.instance.evidence[0]]
    else:
        sentences = _about(corpus, ctx.instance.question)
    yield from reason(ctx, f"Facts: {' '.join(sentences)}\n")


def _sentence(corpus: Corpus, ref: SentenceRef) -> str:
    page = corpus.lookup_title(ref.title)
    if not isinstance(page, Page) or not 0 <= ref.id < len(page.sentences):
        raise KitError(
            f"the corpus {corpus.name!r} lacks sentence {ref.id} of {ref.title!r}, which is gold evidence; "
            "cot-gold needs the corpus that the instances were made from."
        )
    return page.sentences[ref.id]


def _about(corpus: Corpus, claim: str) -> list[str]:
    """The beginning of the article with the longest name in the claim."""
    words = claim.rstrip(".?").split()
    spans = sorted(
        (" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)),
        key=len,
        reverse=True,
    )
    pages = map(corpus.lookup_title, spans)
    page = next((p for p in pages if isinstance(p, Page)), None)
    return list(page.sentences[:GIVEN]) if page else []
