"""The paper's own numbers, printed beside ours: Table 1 of Yao et al. (ICLR 2023), in percent."""

PAPER_MODEL = "PaLM-540B"

# HotpotQA: exact match; FEVER: accuracy of the label. CoT-SC and the hybrids with 21 samples at temperature 0.7.
PAPER_TABLE1: dict[str, dict[str, float]] = {
    "hotpotqa": {
        "standard": 28.7,
        "cot": 29.4,
        "cot-sc": 33.4,
        "act": 25.7,
        "react": 27.4,
        "cot-sc-then-react": 34.2,
        "react-then-cot-sc": 35.1,
    },
    "fever": {
        "standard": 57.1,
        "cot": 56.3,
        "cot-sc": 60.4,
        "act": 58.9,
        "react": 60.9,
        "cot-sc-then-react": 64.6,
        "react-then-cot-sc": 62.0,
    },
}

# The last row of the table: supervised state of the art at the time.
PAPER_SUPERVISED = {"hotpotqa": 67.5, "fever": 89.5}
