"""The errors of the client. Their `code` distinguishes them."""
import time
from email.utils import mktime_tz, parsedate_tz
from typing import Any, Dict, List, Mapping, Optional, TypedDict


class FieldError(TypedDict):
    pointer: str
    message: str


class Error(Exception):
    """A refusal of the gateway, or a failure of the client.

    `code` is a code of the gateway's `/problems`, or `connection_failed`, `deadline_exceeded`,
    `unexpected_answer`, `payment_ended` or `verification_failed`.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        status: int = 0,
        problem: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> None:
        self.code = code
        self.detail = detail
        #: HTTP status of the answer, or 0 without one.
        self.status = status
        #: The whole problem document.
        self.problem: Dict[str, Any] = dict(problem or {})
        self.title = str(self.problem.get('title', ''))
        #: The wrong fields of the request.
        self.pointers: List[FieldError] = [
            {'pointer': each.get('pointer', ''), 'message': each.get('message', '')}
            for each in self.problem.get('errors') or []
        ]
        #: Seconds of a `Retry-After` header.
        self.retry_after = _seconds((headers or {}).get('retry-after', ''))
        #: The request's id in the gateway's log.
        self.request_id = (headers or {}).get('x-request-id')
        # The message contains the first wrong field, because error trackers show only the message.
        first = ''.join(' ({pointer}: {message})'.format(**each) for each in self.pointers[:1])
        super().__init__(f'{code}: {detail}{first}')


class ConnectionError(Error):
    """No complete answer. The outcome of the call is unknown."""

    def __init__(self, detail: str) -> None:
        super().__init__('connection_failed', detail)


def _seconds(text: str) -> Optional[float]:
    if text.isdigit():
        return float(text)
    date = parsedate_tz(text)
    return max(0.0, mktime_tz(date) - time.time()) if date else None
