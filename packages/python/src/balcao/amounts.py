"""Converts between JSON and Python. Amounts are numbers in JSON and decimal text (`'1500.00'`) in Python."""
import json
import re
from decimal import Decimal
from typing import Any, Union

from .operations import AMOUNTS

_AMOUNT = re.compile(r'-?\d{1,13}(\.\d{1,2})?')
# Objects of the merchant, counts and column numbers. Their fields are no amounts.
_OPAQUE = frozenset(('custom', 'customMetadata', 'counts', 'mapping'))


class Result(dict):  # type: ignore[type-arg]
    """An answer's object, with the ETag of the answer."""

    etag: Union[str, None] = None


def encode(body: Any) -> bytes:
    # A `Decimal` in the merchant's own objects is text.
    return json.dumps(_write('', body), ensure_ascii=False, separators=(',', ':'), default=_write_decimal).encode()


def decode(text: Union[str, bytes]) -> Any:
    """Raises ValueError if the text is not JSON."""
    return _read('', json.loads(text))


def amount_text(number: Union[int, float, Decimal]) -> str:
    text = f'{number:.2f}'
    return text if Decimal(text) == Decimal(str(number)) else str(number)


def _write_decimal(value: Any) -> str:
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f'Object of type {type(value).__name__} is not JSON serializable')


def _write(name: str, value: Any) -> Any:
    if name in _OPAQUE:
        return value
    if isinstance(value, dict):
        return {key: _write(key, each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_write('', each) for each in value]
    if isinstance(value, Decimal):
        # Multiplication adds zeros: `Decimal('1500.0000')` is an exact amount.
        value = amount_text(value) if name in AMOUNTS else str(value)
    if name in AMOUNTS and isinstance(value, str) and _AMOUNT.fullmatch(value):
        # The number keeps its digits: a float writes up to 15 of them as they were.
        return float(value)
    return value


def _read(name: str, value: Any) -> Any:
    if name in _OPAQUE:
        return value
    if isinstance(value, dict):
        return Result((key, _read(key, each)) for key, each in value.items())
    if isinstance(value, list):
        return [_read('', each) for each in value]
    if name in AMOUNTS and isinstance(value, (int, float)) and not isinstance(value, bool):
        return amount_text(value)
    return value
