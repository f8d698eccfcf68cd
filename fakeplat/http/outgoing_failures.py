"""The platform's words for deliveries that failed: the messages of the HTTP library that it uses.

Source: docs/platform/webhooks.md ('3.6 Delivery').
"""

import os
import re
from socket import gaierror
from ssl import SSLCertVerificationError, SSLError
from typing import Final
from urllib.parse import SplitResult

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorError,
    ClientPayloadError,
    ClientResponseError,
    ConnectionTimeoutError,
    ServerDisconnectedError,
)

_PORTS: Final = {"http": 80, "https": 443}
_QUOTED_LINE: Final = re.compile(r"b['\"](.*)['\"]")
_END: Final = "end of file reached"
_TLS: Final = "SSL_connect returned=1 errno=0 state=error: "


def describe_failure(error: Exception, url: SplitResult) -> str:
    """Return the error of a request that got no complete answer."""
    match error:
        case ConnectionTimeoutError():
            return "execution expired"
        case TimeoutError():
            return "Net::ReadTimeout with #<TCPSocket:(closed)>"
        case ClientConnectorCertificateError():
            return _describe_certificate(error.certificate_error)
        case ClientConnectorError():
            return _describe_connecting(error.os_error, url)
        case ServerDisconnectedError() | ClientPayloadError():
            return _END
        case ClientResponseError():
            return _describe_nonsense(error.message)
        case OSError(errno=int(number)):
            return os.strerror(number)
    return str(error) or type(error).__name__


def _describe_nonsense(message: str) -> str:
    # The library quotes the line on one of several lines of its message.
    line = _QUOTED_LINE.search(message)
    return f'wrong status line: "{line[1] if line else message.partition(chr(10))[0]}"'


def _describe_certificate(error: Exception) -> str:
    message = error.verify_message if isinstance(error, SSLCertVerificationError) else str(error)
    return f"{_TLS}certificate verify failed ({message.replace('self-signed', 'self signed')})"


def _describe_connecting(error: OSError, url: SplitResult) -> str:
    if isinstance(error, SSLError):
        return f"{_TLS}{(error.reason or 'unknown error').lower().replace('_', ' ')}"
    port = url.port or _PORTS[url.scheme]
    target = f"Failed to open TCP connection to {url.hostname}:{port}"
    # The library reports names that have no address with any of several errors.
    if isinstance(error, gaierror) or error.errno is None:
        return f"{target} (getaddrinfo: Name or service not known)"
    return f'{target} ({os.strerror(error.errno)} - connect(2) for "{url.hostname}" port {port})'
