"""Any server that speaks the OpenAI format, through the `openai` package; the embedded model is one of them.

Raw completions are asked for first, since the paper's prompts are plain text to be continued. A server that has
chat only gets the prompt as a message; settings it refuses are dropped, `n` is looped. What was done instead of
what was asked is recorded in `Call.sent`.
"""

import re
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from react_kit.errors import KitError, Unavailable
from react_kit.models.base import Messages
from react_kit.models.wire import guarded, read_answer
from react_kit.trajectory import Call

if TYPE_CHECKING:
    import openai

CONTINUE = (
    "Continue the user's text from exactly where it stops, in the same format. "
    "Write only the continuation: no greeting, no explanation, no repetition."
)
_DROPPABLE = ("stop", "temperature", "seed", "max_tokens", "n")


class Endpoint:
    """One model on one server.

    `connect` makes the client at the first request; `count(text)` counts tokens where the server's own figure
    covers one choice only; `turn` limits requests in flight (the embedded model: one at a time), `most` the
    choices of one request.
    """

    def __init__(
        self,
        name: str,
        identity: dict[str, Any],
        connect: "Callable[[], openai.OpenAI]",
        seed: int = 0,
        count: Callable[[str], int] | None = None,
        turn: AbstractContextManager[Any] | None = None,
        most: int | None = None,
    ) -> None:
        self.name, self.identity, self.seed = name, identity, seed
        self._connect, self._count, self._turn, self._most = connect, count, turn or nullcontext(), most
        self._client: openai.OpenAI | None = None
        self._learned: frozenset[str] = frozenset()  # "chat" and the names of refused settings
        self._lock = threading.Lock()

    def sample(
        self,
        prompt: str | Messages,
        *,
        n: int = 1,
        first: int = 0,
        stop: tuple[str, ...] = (),
        temperature: float = 0.0,
        max_tokens: int = 100,
    ) -> list[Call]:
        """See `Model.sample`. Keys are left empty: the cache fills them in."""
        calls: list[Call] = []
        while len(calls) < n:  # once, unless there is a limit or the server gives fewer choices
            settings: dict[str, Any] = {
                "n": min(n - len(calls), self._most or n) if n > 1 else None,
                "stop": list(stop),
                "temperature": temperature,
                "max_tokens": max_tokens,
                "seed": self.seed + first + len(calls) if temperature > 0 else None,
            }
            with self._turn:
                got = self._send(prompt, {k: v for k, v in settings.items() if v not in (None, [])})
            if not got:
                raise Unavailable(
                    f"the model {self.name!r} returned no choice; its server is not working as it should."
                )
            calls += got[: n - len(calls)]
        return calls

    def _send(self, prompt: str | Messages, settings: dict[str, Any]) -> list[Call]:
        import openai

        self._client = self._client or self._connect()
        for _ in range(len(_DROPPABLE) + 3):  # each refusal teaches one thing, then the request is sent anew
            learned = self._learned  # other threads learn too
            try:
                body = self._request(self._client, prompt, settings, learned)
                return read_answer(body, _sent(prompt, settings, learned), self._count)
            except (openai.AuthenticationError, openai.PermissionDeniedError) as e:
                raise KitError(
                    f"the server refused the key for {self.name!r} (HTTP {e.status_code}). Set OPENAI_API_KEY, "
                    "or base_url= for a server of your own."
                ) from None
            except openai.APIStatusError as e:
                passing = e.status_code in (408, 409, 429) or (e.status_code >= 500 and e.status_code != 501)
                if passing or not self._learn(e, learned, prompt):
                    raise self._failure(e) from e
            # Some servers answer an error, or a web page, with status 200: that is a ValueError.
            except (openai.OpenAIError, ValueError) as e:
                raise Unavailable(
                    f"no answer from the server of {self.name!r} at {self._address}: {str(e).rstrip('.')}. "
                    "Check that it runs; what is recorded is safe, run the same command again to resume."
                ) from e
        raise KitError(f"the server of {self.name!r} refused every form of the request that this kit knows.")

    @property
    def _address(self) -> str:
        """Where requests go, without user and password."""
        url = self._client.base_url.copy_with(username=None, password=None) if self._client else ""
        return str(url).rstrip("/")

    def _request(
        self,
        client: "openai.OpenAI",
        prompt: str | Messages,
        settings: dict[str, Any],
        learned: frozenset[str],
    ) -> bytes:
        settings = {k: v for k, v in settings.items() if k not in learned}
        if "max_tokens" in learned:
            # Reasoning models count their thinking here.
            settings["extra_body"] = {"max_completion_tokens": 4096}
        if "chat" not in learned and isinstance(prompt, str):
            raw = client.completions.with_streaming_response
            return _body(raw.create(model=self.name, prompt=prompt, **settings))
        messages: Any = prompt
        if isinstance(prompt, str):
            messages = [{"role": "system", "content": CONTINUE}, {"role": "user", "content": prompt}]
        raw_chat = client.chat.completions.with_streaming_response
        return _body(raw_chat.create(model=self.name, messages=messages, **settings))

    def _learn(self, error: "openai.APIStatusError", learned: frozenset[str], prompt: str | Messages) -> bool:
        """Remember what the server refuses; False if the refusal is about something else."""
        known = learned if isinstance(prompt, str) else learned | {"chat"}  # messages went to chat anyway
        with self._lock:
            if self._learned == learned and (lesson := _lesson(error, known)):
                self._learned = learned | {lesson}
            return self._learned != learned  # perhaps another thread has learned it in the meantime

    def _failure(self, error: "openai.APIStatusError") -> KitError:
        said = _said(error)[:300]
        what = f"the server of {self.name!r} at {self._address} answered HTTP {error.status_code}: {said}"
        if error.status_code == 404:
            return KitError(f"{what}. Check the model's name and base_url.")
        return Unavailable(f"{what}. What is recorded is safe; run the same command again to resume.")


def guard(response: Any) -> None:
    """For every reply of the HTTP client, also one that refuses, whose bytes `openai` reads by itself."""
    raw = response.iter_raw
    response.iter_raw = lambda chunk_size=None: guarded(raw(chunk_size))


def _body(request: AbstractContextManager[Any]) -> bytes:
    import openai

    try:
        with request as response:
            return bytes(response.read())
    except openai.OpenAIError:
        raise
    except (
        Exception
    ) as e:  # of the HTTP library under `openai`, which does not wrap what fails within a reply
        raise ValueError(f"its reply broke off ({e})") from e


def _lesson(error: "openai.APIStatusError", learned: frozenset[str]) -> str | None:
    """What a refusal is about: completions as such, or a setting."""
    text = _said(error)
    if "chat" not in learned and error.status_code in (404, 405, 501):
        return "chat"
    if re.search(r"context (size|length|window)", text, re.I):
        return None  # the prompt is too long; that max_tokens is mentioned does not make it refused
    left = [setting for setting in _DROPPABLE if setting not in learned]
    if error.param in left:
        return error.param
    if "chat" not in learned and re.search(r"(?<![-\w])chat\b", text, re.I):  # not a model called `x-chat`
        return "chat"
    return next((setting for setting in left if re.search(rf"(?<![\\\w]){setting}\b", text)), None)


def _said(error: "openai.APIStatusError") -> str:
    """The server's own words, on one line. They come in several shapes, of which `openai` repeats one."""
    body: Any = error.body
    if isinstance(body, dict):
        body = body.get("message") or body.get("detail") or body
    return " ".join(str(body or error).split())


def _sent(prompt: str | Messages, settings: dict[str, Any], learned: frozenset[str]) -> tuple[str, ...]:
    """How a request departs from what was asked. Of what it does not ask for it says nothing, so that a record
    does not depend on the requests before it."""
    chat = ("chat",) if "chat" in learned and isinstance(prompt, str) else ()
    return chat + tuple(f"dropped: {s}" for s in _DROPPABLE if s in learned and s in settings)
