"""Verifies callbacks and webhooks in constant time, and builds the answers to them."""
import base64
import binascii
import hashlib
import hmac
import json
import logging
import re
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union, cast

from . import amounts
from .errors import Error
from .models import FeedEvent

#: One secret, or several during a rotation.
Secrets = Union[str, Sequence[str]]
Body = Union[str, bytes]
_TOLERANCE_S = 300
_FIELDS = {'PPR': ('refPagamento', 'Id', 'montantePago'), 'QR': ('merchantReferenceNumber', 'id', 'amount')}


class Callback(NamedTuple):
    """One transaction of a payment reference (`PPR`) or a QR code (`QR`)."""

    type: str
    #: The permanent id of this transaction.
    id: str
    #: The `reference` of the payment.
    reference: str
    #: Decimal text.
    amount: str
    #: True for a test callback, which means no money.
    is_test: bool
    body: Dict[str, Any]


class Answer(NamedTuple):
    """A ready answer. `text` is its body as JSON."""

    status: int
    body: Dict[str, Any]

    @property
    def text(self) -> str:
        return json.dumps(self.body)


def verify_callback(headers: Mapping[str, Any], body: Body, access_key: Secrets) -> Callback:
    """Verifies the access key of a callback. Raises `Error` verification_failed."""
    given = _header(headers, 'access-key').encode()
    if not _is_among(given, [each.encode() for each in _secrets(access_key)]):
        raise _refused('the access key is wrong')
    read = _parse(body)
    for kind, (reference, transaction, amount) in _FIELDS.items():
        if reference in read:
            is_test = _header(headers, 'balcao-test') == 'true'
            return Callback(kind, read[transaction], read[reference], read[amount], is_test, read)
    raise _refused('the body is not a callback')


def verify_webhook(headers: Mapping[str, Any], body: Body, secret: Secrets) -> FeedEvent:
    """Verifies the signature of a webhook (Standard Webhooks), and returns its event. `body`: as received.

    The webhook's timestamp may differ from the current time by at most five minutes.
    Raises `Error` verification_failed.
    """
    keys = [_key(each) for each in _secrets(secret)]
    name, timestamp = _header(headers, 'webhook-id'), _header(headers, 'webhook-timestamp')
    if not name or not re.fullmatch(r'[0-9]{1,12}', timestamp):
        raise _refused('the signature headers are missing')
    if abs(time.time() - int(timestamp)) > _TOLERANCE_S:
        raise _refused('the timestamp is too far from now')
    content = f'{name}.{timestamp}.'.encode() + (body.encode() if isinstance(body, str) else body)
    own = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()) for key in keys]
    given = _header(headers, 'webhook-signature').split()
    if not any([_is_among(each[3:].encode(), own) for each in given if each.startswith('v1,')]):
        raise _refused('the signature is wrong')
    return cast(FeedEvent, _parse(body))


def answer_notification(
    headers: Mapping[str, Any],
    body: Body,
    *,
    access_key: Optional[Secrets] = None,
    webhook_secret: Optional[Secrets] = None,
    on_callback: Optional[Callable[[Callback], Any]] = None,
    on_event: Optional[Callable[[FeedEvent], Any]] = None,
    on_error: Optional[Callable[[Exception], Any]] = None,
) -> Answer:
    """Handles a callback or webhook at one address of the shop. It does not raise.

    `on_callback` may return your own number of the sale. If a handler raises, the gateway repeats the notification.
    `on_error` gets the exceptions of handlers. Default: the logger `balcao` writes them.
    """
    try:
        if webhook_secret and _header(headers, 'webhook-id'):
            return _run(on_event, verify_webhook(headers, body, webhook_secret))
        if not access_key:
            return _answer(401, 'unauthorized')
        callback = verify_callback(headers, body, access_key)
        return _answer(200, 'test') if callback.is_test else _run(on_callback, callback)
    except Exception as error:
        if isinstance(error, Error) and error.code == 'verification_failed':
            return _answer(401, 'unauthorized')
        if on_error:
            on_error(error)
        else:
            logging.getLogger('balcao').exception('a notification failed')
        return _answer(500, 'failed')


def _answer(status: int, text: str, sale: Optional[str] = None) -> Answer:
    return Answer(status, {'Success': status == 200, 'Obs': text, 'Id': sale})


def _run(handler: Optional[Callable[[Any], Any]], notification: Any) -> Answer:
    # A success would end the gateway's repeats, and the shop would miss the payment.
    if not handler:
        return _answer(501, 'not implemented')
    sale = handler(notification)
    return _answer(200, 'ok', None if sale is None else str(sale))


def _header(headers: Mapping[str, Any], name: str) -> str:
    values = [value for key, value in headers.items() if key.lower() == name and value is not None]
    return ', '.join(value if isinstance(value, str) else ', '.join(value) for value in values)


def _secrets(secrets: Secrets) -> List[str]:
    # An empty secret would accept any request.
    known = [each for each in ([secrets] if isinstance(secrets, str) else secrets or []) if each]
    if not known:
        raise ValueError('the access key or secret is missing')
    return known


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith('whsec_') else secret, validate=True)
    except binascii.Error:
        key = b''
    if not key:
        raise ValueError('the secret must be whsec_ and Base64')
    return key


def _is_among(given: bytes, wanted: Sequence[bytes]) -> bool:
    # Compares with all values, so that the time does not show which one differs.
    return any([hmac.compare_digest(given, each) for each in wanted])


def _parse(body: Body) -> Dict[str, Any]:
    try:
        read = amounts.decode(body)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise _refused('the body is not a JSON object')
    return read


def _refused(why: str) -> Error:
    return Error('verification_failed', why, 401)
