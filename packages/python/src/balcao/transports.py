"""Transports send one HTTP request. The default one needs the standard library only."""
import http.client
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Mapping, Optional, Tuple

from .errors import ConnectionError

#: Gets method, URL, headers, body and seconds. Returns the status, the headers and the body.
#: Raises an OSError or `balcao.ConnectionError` without a complete answer, and follows no redirect.
Transport = Callable[[str, str, Mapping[str, str], Optional[bytes], float], Tuple[int, Mapping[str, str], bytes]]


class _EveryStatus(urllib.request.HTTPErrorProcessor):
    """Returns every answer as it is: no redirect, no exception."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


_OPENER = urllib.request.build_opener(_EveryStatus)


def use_urllib(
    method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], timeout: float
) -> Tuple[int, Mapping[str, str], bytes]:
    end = time.monotonic() + timeout
    request = urllib.request.Request(url, body, dict(headers), method=method)
    try:
        with _OPENER.open(request, timeout=timeout) as answer:
            chunks = []
            for chunk in iter(lambda: answer.read1(65536), b''):
                chunks.append(chunk)
                if time.monotonic() > end:
                    raise TimeoutError('timed out')
            if answer.length:
                raise ConnectionError(f'the answer ended {answer.length} bytes too early')
            return answer.status, dict(answer.headers.items()), b''.join(chunks)
    except urllib.error.URLError as error:
        raise ConnectionError(str(error.reason)) from error
    except http.client.HTTPException as error:
        raise ConnectionError(repr(error)) from error


def use_requests(session: Any) -> Transport:
    """Sends by a `requests.Session`."""
    return _using(lambda method, url, headers, body, timeout: session.request(
        method, url, headers=headers, data=body, timeout=timeout, allow_redirects=False))


def use_httpx(client: Any) -> Transport:
    """Sends by a `httpx.Client`."""
    return _using(lambda method, url, headers, body, timeout: client.request(
        method, url, headers=headers, content=body, timeout=timeout, follow_redirects=False))


def _using(request: Callable[..., Any]) -> Transport:
    def send(
        method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], timeout: float
    ) -> Tuple[int, Mapping[str, str], bytes]:
        try:
            answer = request(method, url, headers, body, timeout)
        except Exception as error:
            raise ConnectionError(str(error)) from error
        return answer.status_code, dict(answer.headers), answer.content

    return send
