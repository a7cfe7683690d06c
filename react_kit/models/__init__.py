"""Models: the embedded one, any endpoint in the OpenAI format, and the cache that all replies go through."""

import os
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from react_kit.errors import KitError
from react_kit.models import embedded
from react_kit.models.base import Messages, Model
from react_kit.models.budget import Budget, price_of
from react_kit.models.cache import Cache
from react_kit.models.endpoint import Endpoint, guard
from react_kit.models.replay import Replay, shipped_replay
from react_kit.text import writable

__all__ = ["Cache", "Messages", "Model", "open_model"]


def open_model(
    name: str,
    *,
    base_url: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    replay: str | None = None,
    replay_only: bool = False,
    seed: int = 0,
    max_cost: float | None = None,
    price: tuple[float, float] | None = None,
) -> Cache:
    """A model by name; nothing is started or sent before the first request.

    `open_model("embedded")` needs no key; `open_model("gpt-4o-mini")` reads OPENAI_API_KEY; `base_url` points to
    a server of one's own; a path ending in `.gguf` is served like the embedded model. Replies are cached in
    `cache` (default: one file per user). `replay` is a recorded file, or the name of one that is shipped.
    `max_cost` in dollars, `price` in dollars per million (prompt, completion) tokens.
    """
    if not name or not isinstance(name, str) or not writable(name):
        raise KitError(
            f"the model's name is {name!r}; expected 'embedded', a name that the server knows, or a .gguf file."
        )
    local = name == "embedded" or name.endswith(".gguf")
    if local:
        if base_url:
            raise KitError(
                f"{name!r} is served by the kit itself; leave base_url={base_url!r} out, or name a remote model."
            )
        model: Model = _local(name, seed)
    else:
        model = _remote(name, base_url, seed)
    if max_cost is not None and not local:
        model = Budget(model, max_cost, price or price_of(name))
    recorded = Replay(shipped_replay(replay)) if replay else None
    return Cache(model, Path(cache) if cache else None, recorded, replay_only)


def _local(name: str, seed: int) -> Endpoint:
    if name == "embedded":
        path, label = None, embedded.NAME
        sha = embedded.SHA256 if "REACT_KIT_WEIGHTS" not in os.environ else embedded.weights()[1]
    else:
        path, label = Path(name).resolve(), Path(name).stem
        sha = embedded.weights(path)[1]
    identity = {"endpoint": "embedded", "model": label, "sha256": sha, "seed": seed}
    identity["keys_and_values"] = embedded.KEYS_AND_VALUES
    count = partial(embedded.count_tokens, path=path)
    return Endpoint(
        label, identity, partial(embedded.connect, path), seed, count, embedded.turn, embedded.SLOTS
    )


def _remote(name: str, base_url: str | None, seed: int) -> Endpoint:
    def connect() -> "openai.OpenAI":  # type: ignore[name-defined]  # noqa: F821
        import openai

        key = os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None)
        if key is None:
            raise KitError(
                f"{name!r} is asked of OpenAI and OPENAI_API_KEY is not set. Set it, give base_url= for a server of "
                'your own, or use open_model("embedded"), which needs no key.'
            )
        http = openai.DefaultHttpxClient(event_hooks={"response": [guard]})
        return openai.OpenAI(base_url=base_url, api_key=key, max_retries=4, timeout=120, http_client=http)

    shown = _shown(base_url) if base_url else "https://api.openai.com/v1"
    return Endpoint(name, {"endpoint": shown, "model": name, "seed": seed}, connect, seed)


def _shown(base_url: str) -> str:
    """The address without user and password."""
    try:
        parts = urlsplit(base_url)
        port = parts.port
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it has no http:// or no host")
        if not writable(base_url):
            raise ValueError("it is not text")
    except ValueError as e:
        raise KitError(
            f"base_url {base_url!r} is not an address ({e}); expected e.g. http://127.0.0.1:8000/v1."
        ) from e
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"
