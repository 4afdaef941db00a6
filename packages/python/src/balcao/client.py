"""A merchant's client of the gateway. Use it only on servers, because it contains the client secret."""
import hashlib
import hmac
import itertools
import logging
import random
import re
import time
import uuid
from typing import Any, Callable, Dict, Generic, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar
from urllib.parse import quote, urlencode

from . import amounts
from .errors import ConnectionError, Error
from .models import FeedEvent, Payment
from .operations import Operations
from .stores import FinishedStore
from .tokens import MemoryTokens, TokenCache
from .transports import Transport, use_urllib

_PAGES = {'l': 'page', 'n': 'pageNumber', 'f': 'after'}
_FINAL = ('Failed', 'Canceled', 'Expired', 'Captured')
# The client renews a token after this share of the token's lifetime.
_RENEW_AT = 0.9

Item = TypeVar('Item')
Page = TypeVar('Page')


class Listing(Generic[Item, Page]):
    """A list: `for` reads the items of all pages, and `page` is the first one."""

    def __init__(self, read: Callable[[Dict[str, Any]], Any], query: Mapping[str, Any], parameter: str) -> None:
        self._read, self._query, self._parameter = read, dict(query), parameter

    @property
    def page(self) -> Page:
        return self._read(self._query)  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Item]:
        query = dict(self._query)
        while True:
            page = self._read(query)
            yield from page['data']
            if self._parameter == 'after':
                at = page.get('next')
            else:
                nth = int(query.get(self._parameter) or 1)
                at = nth + 1 if nth < page['totalPages'] else None
            if not page['data'] or not at:
                return
            query[self._parameter] = at


class Finished(NamedTuple):
    """The result of `finish_once`. `ran`: this call ran the work."""

    payment: Payment
    ran: bool


class Balcao(Operations):
    """The client. Threads may share it. It has one method for each operation, by group: `balcao.payments.create(…)`."""

    def __init__(
        self,
        url: str,
        client_id: str,
        client_secret: str,
        *,
        tokens: Optional[TokenCache] = None,
        transport: Transport = use_urllib,
        timeout: float = 30,
        logger: Optional[logging.Logger] = None,
    ) -> None:
        """`timeout`: seconds of a call with its repeats. `tokens`: default is the memory of this process."""
        if not isinstance(url, str) or not re.match(r'https?://[^/]', url, re.IGNORECASE):
            raise ValueError(f"url must be the gateway's address, such as https://pay.example, not {url}")
        for name, value in (('client_id', client_id), ('client_secret', client_secret)):
            if not isinstance(value, str) or not value:
                raise ValueError(f'{name} is missing')
        super().__init__(self)
        self._url, self._id, self._secret = url.rstrip('/'), client_id, client_secret
        self._tokens: TokenCache = tokens or MemoryTokens()
        self._transport, self._timeout = transport, timeout
        self._logger = logger or logging.getLogger('balcao')

    def read_feed(self, after: str = '0') -> Iterator[FeedEvent]:
        """Yields the events after a cursor until its end. Store `event['cursor']` together with your work."""
        return iter(self.events.list({'after': after, 'limit': 500}))

    def etag_of(self, result: Any) -> Optional[str]:
        """The entity tag of an answer, for `if_match`."""
        return getattr(result, 'etag', None)

    def wait_until_paid(self, payment_id: str, timeout: float = 300) -> Payment:
        """Polls until the payment, or the one that replaces it, is paid.

        Raises `Error` payment_ended, or deadline_exceeded after `timeout` seconds.
        """
        end = time.monotonic() + timeout
        for nth in itertools.count():
            left = end - time.monotonic()
            if left <= 0:
                raise Error('deadline_exceeded', f'payment {payment_id} is not paid yet')
            payment = self.payments.get(payment_id, timeout=left)
            if payment['status'] == 'Paid':
                return payment
            replaced_by = payment.get('replacedBy')
            if replaced_by:
                payment_id = replaced_by
                continue
            if payment['status'] in _FINAL:
                problem = {'payment': payment}
                raise Error('payment_ended', f"payment {payment_id} is {payment['status']}", 0, problem)
            time.sleep(max(0.0, min(1.2**nth, 5, end - time.monotonic())))
        raise AssertionError

    def finish_once(self, payment_id: str, store: FinishedStore, work: Callable[[Payment, str], Any]) -> Finished:
        """Runs `work(payment, first_id)` once for each payment of the shop that is paid.

        Callback, webhook, feed, return page and cron call it. It trusts no report and reads the payment.
        A payment that replaces another one counts as the first one, which the shop created (`first_id`).
        `payment_id` is the payment's id, or the digits of its payment reference.
        """
        payment = first = self.payments.get(payment_id)
        while first.get('replaces'):
            first = self.payments.get(str(first.get('replaces')))
        while payment['status'] != 'Paid' and payment.get('replacedBy'):
            payment = self.payments.get(str(payment.get('replacedBy')))
        paid, key = payment, first['internalId']
        return Finished(paid, paid['status'] == 'Paid' and store.once(key, lambda: work(paid, key)))

    def call(
        self,
        operation: str,
        flags: str,
        ids: Sequence[str] = (),
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        options: Optional[Mapping[str, Any]] = None,
    ) -> Any:
        """Sends one operation. The generated methods call it.

        Flags: k Idempotency-Key, p Prefer, l, n and f a list, by the parameter of its next page.
        """
        method, path = operation.split(' ')
        options = options or {}
        for each in ids:
            # An empty id, `.` or `..` would change the path.
            if not isinstance(each, str) or each in ('', '.', '..'):
                raise ValueError('an id is missing')
            path = path.replace('{}', quote(each, safe=''), 1)
        prefer = options.get('prefer') or ''
        headers = {
            'accept': 'application/json',
            'content-type': 'application/json' if body is not None else '',
            'idempotency-key': (options.get('idempotency_key') or uuid.uuid4().hex) if 'k' in flags else '',
            'prefer': ', '.join(filter(None, ['return=representation' if 'p' in flags else '', prefer])),
            'if-match': options.get('if_match') or '',
        }
        sent = {name: value for name, value in headers.items() if value}
        text = None if body is None else amounts.encode(body)
        wait = re.search(r'wait=(\d+)', prefer)
        timeout = self._timeout if options.get('timeout') is None else options['timeout']
        timeout += int(wait[1]) if wait else 0

        def read(changed: Mapping[str, Any]) -> Any:
            return _read(self._repeat(
                lambda left, token: self._send(
                    method, path + _search(changed), {**sent, 'authorization': f'Bearer {token}'}, text, left),
                method != 'POST' or 'k' in flags,
                timeout,
            ))

        parameter = _PAGES.get(flags[-1:])
        return Listing(read, query or {}, parameter) if parameter else read(query or {})

    def _send(self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes], timeout: float) -> Any:
        try:
            status, given, content = self._transport(method, self._url + path, headers, body, timeout)
        except OSError as error:
            raise ConnectionError(str(error) or type(error).__name__) from error
        received = {name.lower(): value for name, value in given.items()}
        if 200 <= status < 300:
            return status, received, content
        try:
            problem = amounts.decode(content)
        except ValueError:
            problem = None  # A proxy's page.
        problem = problem if isinstance(problem, dict) else {}
        code = problem.get('code') or problem.get('error') or 'unexpected_answer'
        detail = problem.get('detail') or problem.get('error_description') or f'the answer was {status}'
        raise Error(str(code), str(detail), status, problem, received)

    def _token(self, refused: Optional[str], timeout: float) -> str:
        def fetch() -> Tuple[str, float]:
            form = {'grant_type': 'client_credentials', 'client_id': self._id, 'client_secret': self._secret}
            headers = {'content-type': 'application/x-www-form-urlencoded', 'accept': 'application/json'}
            token = _read(self._send('POST', '/oauth/token', headers, urlencode(form).encode(), timeout))
            return token['access_token'], token['expires_in'] * _RENEW_AT

        key = hmac.new(self._secret.encode(), f'{self._url} {self._id}'.encode(), hashlib.sha256).hexdigest()
        return self._tokens.remember(key, refused, fetch)

    def _repeat(self, attempt: Callable[[float, str], Any], is_repeatable: bool, timeout: float) -> Any:
        """Runs `attempt` until it succeeds, fails for good, or the deadline would pass."""
        end = time.monotonic() + timeout
        last: Optional[Error] = None
        refused: Optional[str] = None
        for nth in itertools.count():
            token = None
            try:
                token = self._token(refused, max(0.001, end - time.monotonic()))
                return attempt(max(0.001, end - time.monotonic()), token)
            except Error as error:
                if error.code == 'connection_failed' and time.monotonic() >= end:
                    raise Error('deadline_exceeded', f'the deadline passed ({last or error})') from error
                # The token in the cache may be older than the gateway's keys. A new one is requested once.
                is_expired = error.status == 401 and token is not None and refused is None
                pause = 0 if is_expired else min(0.2 * 2**nth, 8) * random.uniform(0.5, 1)
                pause = max(pause, (error.retry_after or 0) * random.uniform(1, 1.2))
                # A token request has no second effect. A 429 had no effect.
                may_repeat = is_expired or error.status == 429 or (is_repeatable or token is None) and (
                    error.code in ('connection_failed', 'idempotency_in_progress') or error.status >= 500)
                if not may_repeat or time.monotonic() + pause >= end:
                    raise
                refused = token if is_expired else refused
                self._logger.warning('balcao: repeating after %s', error)
                last = error
            time.sleep(pause)


def _search(query: Mapping[str, Any]) -> str:
    named = []
    for name, value in query.items():
        for key, each in value.items() if isinstance(value, dict) else (('', value),):
            if each is not None:
                text = str(each).lower() if isinstance(each, bool) else str(each)
                named.append((f'{name}.{key}' if key else name, text))
    return f'?{urlencode(named)}' if named else ''


def _read(answer: Tuple[int, Mapping[str, str], bytes]) -> Any:
    status, headers, content = answer
    # HTML comes from a proxy, not from the gateway.
    if not re.search('json|html', headers.get('content-type', '')):
        return content or None
    try:
        result = amounts.decode(content)
    except ValueError as error:
        raise Error('unexpected_answer', 'the answer is not from a gateway', status) from error
    if isinstance(result, amounts.Result):
        result.etag = headers.get('etag')
    return result
