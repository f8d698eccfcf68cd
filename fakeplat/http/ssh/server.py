"""The SSH server of a world: who may connect, and how many. Source: docs/platform/git-over-ssh.md.

Callers are known by their keys: of users, except keys for signing only, and deploy keys. All connect as `git`.
"""

import asyncio
import logging
from functools import partial
from typing import Final

import asyncssh
from attrs import field, mutable
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from typing_extensions import override

from fakeplat.core.operations.http_messages import SshKeyId
from fakeplat.core.rng import random_bytes
from fakeplat.core.ssh_keys import parse_public_key
from fakeplat.http.listener import authority, bind
from fakeplat.http.ssh.sessions import Session
from fakeplat.http.ssh.streams import Limits
from fakeplat.platform import Platform
from fakeplat.policy.ssh_keys import find_auth_key

log: Final = logging.getLogger("fakeplat")
USER: Final = "git"
_SERVER_VERSION: Final = "GitLab-SSHD"
_NO_CERTIFICATES: Final = "fakeplat: SSH certificates are not supported; add the key itself to an account\r\n"


@mutable(eq=False)
class SshServer:
    """A listening SSH server of a platform at ``url``. ``origin`` stands in the URLs of messages."""

    platform: Platform
    host: str
    origin: str
    limits: Limits = field(factory=Limits)
    port: int = 0
    pending: int = 0
    """The number of connections that are not authenticated yet."""
    _acceptor: asyncssh.SSHAcceptor | None = None
    _connections: set[asyncssh.SSHServerConnection] = field(factory=set)

    @property
    def url(self) -> str:
        """The URL, with the user whom all clients name."""
        return f"ssh://{USER}@{authority(self.host)}:{self.port}"

    @property
    def host_key(self) -> str:
        """The public host key, which depends on the world's seed only."""
        return self._private_key().export_public_key().decode().strip()

    async def start(self, port: int = 0) -> None:
        """Accept connections; port 0 is a free one, OSError if it is taken."""
        sock = bind(self.host, port)
        self.port = sock.getsockname()[1]
        self._acceptor = await asyncssh.listen(
            sock=sock,
            server_factory=partial(_Connection, self),
            process_factory=self._serve,
            server_host_keys=[self._private_key()],
            server_version=_SERVER_VERSION,
            encoding=None,
            login_timeout=self.limits.login_timeout,
            keepalive_interval=self.limits.idle_timeout,
            public_key_auth=True,
            password_auth=False,
            kbdint_auth=False,
            host_based_auth=False,
            gss_host=None,
            allow_pty=False,
            line_editor=False,
            agent_forwarding=False,
            x11_forwarding=False,
            config=[],
        )
        self.platform.set_ssh_url(self.url)

    async def close(self) -> None:
        """Stop listening and close all connections."""
        self.platform.set_ssh_url("")
        if self._acceptor is not None:
            acceptor, self._acceptor = self._acceptor, None  # which refers to this server: a cycle
            acceptor.close()
            await acceptor.wait_closed()
        for connection in list(self._connections):
            connection.abort()

    def _private_key(self) -> asyncssh.SSHKey:
        seed = random_bytes(self.platform.view.setup.seed, "ssh_host_key", 0, 32)
        key = Ed25519PrivateKey.from_private_bytes(seed)
        return asyncssh.import_private_key(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))

    async def _serve(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        owner = process.channel.get_connection().get_owner()
        if not isinstance(owner, _Connection) or owner.key is None:
            process.exit(1)
            return
        await Session(self.platform, process, owner.key, self.origin, self.limits).run()

    def opened(self, connection: asyncssh.SSHServerConnection) -> bool:
        """Count a new connection; return False if too many wait for their authentication."""
        self._connections.add(connection)
        self.pending += 1
        return self.pending <= self.limits.max_pending

    def closed(self, connection: asyncssh.SSHServerConnection | None) -> None:
        """Forget a connection."""
        if connection is not None:
            self._connections.discard(connection)


class _Connection(asyncssh.SSHServer):
    """One connection: the key that the client proves to have says who it is."""

    def __init__(self, server: SshServer) -> None:
        self._server = server
        self._connection: asyncssh.SSHServerConnection | None = None
        self._is_pending = False
        self.key: SshKeyId | None = None

    @override
    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection, self._is_pending = conn, True
        if not self._server.opened(conn):
            log.warning("fakeplat: too many SSH connections wait for their authentication; one was closed")
            asyncio.get_running_loop().call_soon(conn.abort)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._leave_queue()
        self._server.closed(self._connection)
        # What a connection and its owner know of each other would be a cycle.
        self._connection = None

    @override
    def begin_auth(self, username: str) -> bool:
        return True

    @override
    def auth_completed(self) -> None:
        self._leave_queue()

    @override
    def public_key_auth_supported(self) -> bool:
        return True

    @override
    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        public_key = parse_public_key(key.export_public_key().decode())
        platform = self._server.platform
        with platform.lock:
            self.key = find_auth_key(platform.view, public_key) if username == USER and public_key else None
        return self.key is not None

    @override
    def validate_ca_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        # Clients offer their certificates first, and their keys next.
        if self._connection is not None:
            self._connection.send_auth_banner(_NO_CERTIFICATES)
        return False

    def _leave_queue(self) -> None:
        if self._is_pending:
            self._is_pending = False
            self._server.pending -= 1
