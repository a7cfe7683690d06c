"""Models by name."""

import socket
from pathlib import Path
from typing import Any

import pytest

from react_kit import open_model
from react_kit.errors import KitError
from react_kit.models import Cache, embedded
from react_kit.models.budget import Budget
from react_kit.models.endpoint import Endpoint


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("something was sent")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", ["embedded", "gpt-4o-mini"])
def test_opening_starts_and_sends_nothing(name: str, tmp_path: Path) -> None:
    model = open_model(name, cache=tmp_path / "c.sqlite")
    assert isinstance(model, Cache)
    assert isinstance(model.model, Endpoint)
    assert list(tmp_path.iterdir()) == []


def test_the_embedded_model_is_named_by_its_weights() -> None:
    model = open_model("embedded", seed=4)
    assert model.name == "SmolLM2-135M-Instruct"
    expected = {"endpoint": "embedded", "model": model.name, "sha256": embedded.SHA256, "seed": 4}
    assert model.identity == {**expected, "keys_and_values": "q8_0"}


def test_a_remote_model_is_named_by_its_address() -> None:
    assert open_model("m").identity["endpoint"] == "https://api.openai.com/v1"
    for given in ("http://me:word@127.0.0.1:80/v1", "http://127.0.0.1:80/v1"):
        assert open_model("m", base_url=given).identity["endpoint"] == "http://127.0.0.1:80/v1"


def test_a_missing_key_is_said_at_the_first_request(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = open_model("gpt-4o-mini", cache=tmp_path / "c.sqlite")
    with pytest.raises(KitError, match=r"'gpt-4o-mini'.*OPENAI_API_KEY is not set.*base_url=.*embedded"):
        model.sample("Q:")


def test_a_server_of_ones_own_needs_no_key(
    chat_server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = open_model("m", base_url=chat_server.url, cache=tmp_path / "c.sqlite")
    assert model.sample("Q:")[0].text == " reply 0"


def test_the_embedded_model_has_no_address() -> None:
    with pytest.raises(KitError, match=r"'embedded' is served by the kit itself.*base_url='http://x'"):
        open_model("embedded", base_url="http://x")


def test_a_file_of_ones_own_must_be_there() -> None:
    with pytest.raises(KitError, match=r"no/such\.gguf; expected a model in the GGUF format"):
        open_model("no/such.gguf")


def test_a_file_of_ones_own_is_named_by_what_is_in_it(tmp_path: Path) -> None:
    for content in (b"one", b"two"):
        (tmp_path / "mine.gguf").write_bytes(content)
        model = open_model(str(tmp_path / "mine.gguf"))
        assert model.name == "mine"
        assert model.identity["sha256"] == embedded.sha256_of(tmp_path / "mine.gguf")


def test_a_limit_on_cost_needs_a_price_unless_the_model_is_ones_own(tmp_path: Path) -> None:
    assert isinstance(open_model("gpt-4o-mini", max_cost=1).model, Budget)
    assert isinstance(open_model("unheard-of", max_cost=1, price=(1, 2)).model, Budget)
    with pytest.raises(KitError, match=r"'unheard-of'.*price"):
        open_model("unheard-of", max_cost=1)
    (tmp_path / "mine.gguf").write_bytes(b"x")
    for name in ("embedded", str(tmp_path / "mine.gguf")):
        assert isinstance(open_model(name, max_cost=1).model, Endpoint)


def test_what_is_spent_stops_a_model_and_the_cache_costs_nothing(chat_server: Any, tmp_path: Path) -> None:
    """50 prompt and 7 completion tokens a call, at a dollar a token each."""
    model = open_model(
        "m", base_url=chat_server.url, cache=tmp_path / "c.sqlite", max_cost=60, price=(1e6, 1e6)
    )
    for _ in range(5):
        model.sample("Q:", max_tokens=7)
    with pytest.raises(KitError, match=r"from \$57\.0000 to \$64\.\d+, over the limit of \$60"):
        model.sample("R:", max_tokens=7)
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "http://host:port/v1",
        "http://h:99999/v1",
        "host:80",
        "http://",
        "ftp://h",
        "127.0.0.1:8000",
    ],
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(KitError, match=r"base_url .* is not an address .*; expected e\.g\."):
        open_model("m", base_url=url)


def test_an_address_is_recorded_without_user_and_password() -> None:
    model = open_model("m", base_url="http://me:secret@[::1]:8000/v1")
    assert model.identity["endpoint"] == "http://[::1]:8000/v1"


def test_a_model_without_a_name() -> None:
    with pytest.raises(KitError, match="name is ''"):
        open_model("")
