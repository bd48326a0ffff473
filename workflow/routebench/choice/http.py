"""JSON over HTTP to a paid model: one connection pool, few at once, patient when it is busy."""

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from routebench.choice.base import ChoiceError, ModelParameters, Usage
from routebench.choice.secrets import environment_key, public_text

if TYPE_CHECKING:
    import httpx

BUSY = frozenset({429, 529})
MOST_RETRIES = 3
SHORTEST_WAIT_S, LONGEST_WAIT_S = 1.0, 15.0
LARGEST_ANSWER_BYTES = 16 << 20


def check_base_url(url: str) -> str:
    """Refuses an address that is not plain http(s) or that carries a secret.

    Raises:
        ValueError: it has another scheme, no host, a user, a query or a fragment.
    """
    parts = urlsplit(url)
    extras = (parts.username, parts.password, parts.query, parts.fragment)
    if parts.scheme not in ("http", "https") or not parts.hostname or any(extras):
        raise ValueError("expected http(s)://host/path without user, query or fragment")
    return url.rstrip("/")


BaseUrl = Annotated[str, AfterValidator(check_base_url)]


class Price(BaseModel):
    """Price of a model; a free one has zeros."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input_usd: float = Field(ge=0, description="US dollars per million tokens read.")
    output_usd: float = Field(ge=0, description="US dollars per million tokens written.")
    date: str = Field(
        pattern=r"^\d{4}-\d{2}(-\d{2})?$",
        description="When that was the price, YYYY-MM-DD or YYYY-MM; printed with every cost.",
    )

    def cost_usd(self, input_tokens: int, output_tokens: int) -> float:
        """Returns the cost in US dollars."""
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / 1e6


class HttpParameters(ModelParameters):
    """What every model behind HTTP can be told."""

    base_url: BaseUrl = Field(description="Address of the service, without the path of the call.")
    key_env: str = Field(
        description="Environment variable that holds the key; empty: none is sent."
    )
    price: Price = Field(description="Price, for costs and budgets.")
    at_once: int = Field(default=4, ge=1, le=64, description="Requests open at a time in one job.")
    timeout_s: float = Field(
        default=60.0,
        gt=0,
        description="Longest time for one whole answer, seconds; then the case fails.",
    )


class Reply(NamedTuple):
    """The JSON of an answer, and how often the request was sent again."""

    payload: Any
    retries: int


def retry_wait(header: str | None, attempt: int, now: datetime) -> float:
    """Returns how long to wait before a request is sent again, seconds from 1 to 15.

    Args:
        header: the Retry-After header, seconds or an HTTP date; where there is none, or
            none that can be read, the wait is 1, 2, then 4 s.
        attempt: number of the attempt that was refused, from 0.
        now: the time, with its zone.
    """
    seconds = _header_seconds(header, now) if header else None
    if seconds is None:
        seconds = float(2**attempt)
    return min(max(seconds, SHORTEST_WAIT_S), LONGEST_WAIT_S)


def _header_seconds(header: str, now: datetime) -> float | None:
    if header.strip().isdecimal():
        return float(header)
    try:
        then = parsedate_to_datetime(header)
    except ValueError:
        return None
    return ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds()


class JsonClient:
    """Posts JSON to one service from any thread."""

    def __init__(
        self,
        name: str,
        parameters: HttpParameters,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._name, self._parameters, self._sleep = name, parameters, sleep
        self._open = threading.BoundedSemaphore(parameters.at_once)
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._key: SecretStr | None = None

    def post(self, path: str, body: bytes) -> Reply:
        """Posts a JSON body and returns the JSON answer.

        A busy service (429, 529) is asked again up to three times.

        Raises:
            ChoiceError: any other status, no connection, no whole answer in time, no JSON.
            RoutebenchError: the key is not in the environment.
        """
        client = self._connect()
        for attempt in range(MOST_RETRIES + 1):
            with self._open:
                status, headers, content = self._send(client, path, body, attempt)
            if status == 200:
                return Reply(self._parse(content, attempt), attempt)
            if status not in BUSY or attempt == MOST_RETRIES:
                break
            self._sleep(retry_wait(headers.get("retry-after"), attempt, datetime.now(UTC)))
        raise self._error(f"HTTP {status}: {content.decode('utf-8', 'replace')}", attempt)

    def _connect(self) -> "httpx.Client":
        import httpx

        with self._lock:
            if self._client is None:
                self._key = key = environment_key(self._parameters.key_env)
                secret = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
                self._client = httpx.Client(
                    base_url=self._parameters.base_url,
                    headers={"Content-Type": "application/json", **secret},
                    timeout=self._parameters.timeout_s,
                )
            return self._client

    def _send(
        self, client: "httpx.Client", path: str, body: bytes, attempt: int
    ) -> "tuple[int, httpx.Headers, bytes]":
        import httpx

        end = time.monotonic() + self._parameters.timeout_s
        try:
            with client.stream("POST", path, content=body) as response:
                content = b""
                for chunk in response.iter_bytes():
                    content += chunk
                    # The library's time-out starts anew with every piece that arrives.
                    if time.monotonic() > end or len(content) > LARGEST_ANSWER_BYTES:
                        raise self._error("answer too slow or too long", attempt)
                return response.status_code, response.headers, content
        except httpx.HTTPError as error:
            # The chain is cut: what lies below may quote the request's headers.
            raise self._error(f"{type(error).__name__}: {error}", attempt) from None

    def _parse(self, content: bytes, attempt: int) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._error("the answer is not JSON", attempt) from None

    def _error(self, message: str, attempt: int) -> ChoiceError:
        text = f"model {self._name}: {public_text(message, self._key)}"
        return ChoiceError(text, Usage(retries=attempt))
