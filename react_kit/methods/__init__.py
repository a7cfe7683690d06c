"""The methods by name. Adding one: write a generator (or a `Pooled`) in a file of its own and list it here."""

from react_kit.errors import KitError, unknown
from react_kit.methods.act import act
from react_kit.methods.base import Context, Method, name_of
from react_kit.methods.baselines import bm25, majority, most_linked, random_title, title_overlap
from react_kit.methods.cot import cot
from react_kit.methods.cot_gold import cot_gold
from react_kit.methods.oracle import oracle
from react_kit.methods.pooled import Pooled, cot_sc, cot_sc_then_react, react_then_cot_sc
from react_kit.methods.react import react
from react_kit.methods.standard import standard

__all__ = ["CONTROLS", "METHODS", "SAMPLES", "TEMPERATURE", "Context", "Method", "Pooled", "resolve"]

SAMPLES, TEMPERATURE = 21, 0.7  # of CoT-SC (section 3.2); all else is greedy

METHODS: dict[str, Method | Pooled] = {
    "standard": standard,
    "cot": cot,
    "cot-sc": Pooled(("cot",), cot_sc),
    "act": act,
    "react": react,
    "cot-sc-then-react": Pooled(("cot", "react"), cot_sc_then_react),
    "react-then-cot-sc": Pooled(("cot", "react"), react_then_cot_sc),
}

# Not methods of the paper: what they score says how far to trust what the methods score.
CONTROLS: dict[str, Method] = {
    "oracle": oracle,
    "cot-gold": cot_gold,
    "title-overlap": title_overlap,
    "bm25": bm25,
    "most-linked": most_linked,
    "random-title": random_title,
    "majority": majority,
}


def resolve(method: str | Method) -> tuple[str, Method | Pooled]:
    """Name and method, from a name or from a generator of one's own; its name goes into the record."""
    known = METHODS | CONTROLS
    if isinstance(method, str):
        if method not in known:
            raise unknown("method", method, known)
        return method, known[method]
    if isinstance(method, Pooled):
        raise KitError(f"a pooled method is asked for by its name, one of: {', '.join(METHODS)}.")
    if named := next((name for name, play in known.items() if play is method), None):
        return named, method
    name = name_of(method)
    if name in known:
        raise KitError(
            f"a method of your own cannot be called {name!r}, a name of the kit's; rename the function."
        )
    return name, method
