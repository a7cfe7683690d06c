"""What only the analysis needs."""

import pytest

from react_kit.trajectory import Parent


@pytest.fixture
def branch():
    return Parent("0" * 16, 1, {"thought": "Better."})
