"""How figures look: one colour, marker and line style per method, readable in grey and by the colour-blind."""

from typing import Any, NamedTuple

from react_kit.errors import KitError, unknown

# Okabe and Ito's palette, told apart with every common kind of colour blindness.
ORANGE, SKY, GREEN, BLUE = "#E69F00", "#56B4E9", "#009E73", "#0072B2"
VERMILION, PURPLE, BLACK, GREY = "#D55E00", "#CC79A7", "#000000", "#6E6E6E"


class Look(NamedTuple):
    color: str
    marker: str
    line: Any  # a matplotlib line style


LOOKS = {
    "standard": Look(GREY, "x", (0, (1, 1))),
    "cot": Look(PURPLE, "v", (0, (1, 1.6))),
    "cot-sc": Look(ORANGE, "o", "-"),
    "act": Look(SKY, "P", (0, (3, 1, 1, 1))),
    "react": Look(BLACK, "D", (0, (4, 1.6))),
    "cot-sc-then-react": Look(BLUE, "s", "-"),
    "react-then-cot-sc": Look(VERMILION, "^", "-"),
}
OTHER = Look(GREEN, "*", "-")

LABELS = {
    "standard": "Standard",
    "cot": "CoT",
    "cot-sc": "CoT-SC",
    "act": "Act",
    "react": "ReAct",
    "react-im": "ReAct-IM",
    "cot-sc-then-react": "CoT-SC → ReAct",
    "react-then-cot-sc": "ReAct → CoT-SC",
    "oracle": "Oracle",
    "cot-gold": "CoT, given gold sentences",
    "title-overlap": "Title overlap",
    "bm25": "BM25",
    "most-linked": "Most linked title",
    "random-title": "Random title or label",
    "majority": "Majority answer",
}

# Text widths of the venues' templates, in inches.
WIDTHS = {
    "neurips": 5.5,
    "neurips-half": 2.65,
    "iclr": 5.5,
    "iclr-half": 2.65,
    "acl": 3.03,  # one of two columns
    "acl-wide": 6.3,
}

NARROWEST = 2.0  # inches: less leaves no room between the axis and the names of the lines

# Of matplotlib: small type for print, real text in PDF (editable, searchable), nothing that depends on the day.
RC: dict[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.2,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.hashsalt": "react-kit",
    "figure.dpi": 150,
}


def label(method: str) -> str:
    """The method's name for readers."""
    return LABELS.get(method, method)


def look(method: str) -> Look:
    """The method's colour, marker and line style."""
    return LOOKS.get(method, OTHER)


def inches(width: str | float) -> float:
    """The width of a venue's text, or a number of inches."""
    if isinstance(width, str):
        if width not in WIDTHS:
            raise unknown("width", width, WIDTHS, "Or pass inches as a number.")
        return WIDTHS[width]
    if not width >= NARROWEST:
        raise KitError(
            f"width is {width} inches; expected at least {NARROWEST}, or a venue: {', '.join(WIDTHS)}."
        )
    return float(width)
