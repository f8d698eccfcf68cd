"""Certificates of servers over TLS, made for one run."""

from collections.abc import Sequence
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Final

from fakeplat.cli.options import UsageError

_OWN_NAMES: Final = ("localhost", "127.0.0.1", "::1")


def create_tls_context(file: Path, host: str, names: Sequence[str]) -> SSLContext:
    """Return a context with a new certificate for this machine and for ``names``; write its authority to a file."""
    try:
        import trustme
    except ImportError:
        raise UsageError("--tls needs trustme: pip install 'fakeplat[tls]'") from None
    authority = trustme.CA()
    context = SSLContext(PROTOCOL_TLS_SERVER)
    authority.issue_cert(*dict.fromkeys((*_OWN_NAMES, host, *names))).configure_cert(context)
    try:
        authority.cert_pem.write_to_path(file)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    return context
