"""The commands of a session, as gitlab-shell has them. Source: docs/platform/git-over-ssh.md."""

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import quote, urlencode, urlsplit

import orjson

from fakeplat.core.operations.http_messages import Delivery, Request, Response, SshKeyId
from fakeplat.domain.people import ssh_keys
from fakeplat.domain.repository.git_pushes import pack_limits
from fakeplat.git.errors import GitError
from fakeplat.http.ssh import git_dialogues
from fakeplat.http.ssh.lfs_transfers import LfsSession, LfsTransfer
from fakeplat.http.ssh.streams import Disconnected, Limits, Stream
from fakeplat.platform import Platform
from fakeplat.policy.behaviours import LFS_IS_TRANSFERRED_OVER_SSH
from fakeplat.policy.ssh_keys import lfs_offer_secret

if TYPE_CHECKING:
    import asyncssh

_DIVIDER: Final = f"remote: \nremote: {'=' * 72}\nremote: \n"
_BLANK: Final = "remote: \n"
_UNREADABLE: Final = "Failed to parse command: Invalid SSH command: invalid command line string"
_DISALLOWED: Final = "Disallowed command"
_UNREACHABLE: Final = "Internal API error ({})"
_TOKEN_USAGE: Final = "Usage: personal_access_token <name> <scope1[,scope2,...]> [ttl_days]"
_LFS_OPERATIONS: Final = {"download": "git-upload-pack", "upload": "git-receive-pack"}
_INTERNAL: Final = "/api/v4/internal/"
_UNKNOWN_COMMAND: Final = 128
_MAX_CODE: Final = 1024


class CommandError(Exception):
    """What gitlab-shell tells the client's user, before it ends with ``status``."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.status = status


class Session:
    """One session: a command, or a shell, which only says who is connected."""

    def __init__(
        self,
        platform: Platform,
        process: "asyncssh.SSHServerProcess[bytes]",
        key: SshKeyId,
        origin: str,
        limits: Limits,
    ) -> None:
        self._platform = platform
        self._process = process
        self._key = key
        self._origin = origin
        self._stream = Stream(process, limits)
        self._git_protocol = process.env.get("GIT_PROTOCOL")
        self._command = process.command or ""

    async def run(self) -> None:
        """Run the command and end the session with its status."""
        status = 0
        try:
            await self._run_command()
        except CommandError as error:
            status = error.status
            self._stream.write_error(_frame(f"ERROR: {error.text}\n"))
        except GitError as error:
            status = _UNKNOWN_COMMAND
            self._stream.write_error(f"fatal: {error}\n")
        except (Disconnected, OSError):
            status = 1
        self._process.exit(status)

    async def _run_command(self) -> None:
        try:
            words = shlex.split(self._command)
        except ValueError:
            raise CommandError(_UNREADABLE, _UNKNOWN_COMMAND) from None
        # git for Windows may say `git upload-pack`.
        if len(words) > 1 and words[0] == "git":
            words = [f"git-{words[1]}", *words[2:]]
        name, *arguments = words or ["discover"]
        run = self._COMMANDS.get(name)
        if run is None:
            raise CommandError(f"Unknown command: {self._command}", _UNKNOWN_COMMAND)
        await run(self, arguments)

    # Commands

    async def _discover(self, _arguments: list[str]) -> None:
        user = await self._ask("GET", "discover")
        username = user.get("username")
        await self._say(f"Welcome to GitLab, {f'@{username}' if username else 'Anonymous'}!\n")

    async def _upload_pack(self, arguments: list[str]) -> None:
        repository = _get_only(arguments)
        await self._advertise(repository, "git-upload-pack")
        await git_dialogues.fetch(self._stream, self._exchange_with(repository), self._git_protocol)

    async def _receive_pack(self, arguments: list[str]) -> None:
        repository = _get_only(arguments)
        await self._advertise(repository, "git-receive-pack")
        limits = pack_limits(self._platform.view)
        await git_dialogues.push(self._stream, self._exchange_with(repository), limits)

    async def _upload_archive(self, arguments: list[str]) -> None:
        repository = _get_only(arguments)
        # Refusals come before the client sends what it wants.
        await self._get_advertisement(repository, "git-upload-pack")
        await git_dialogues.send_archive(self._stream, self._exchange_with(repository))

    async def _authenticate_lfs(self, arguments: list[str]) -> None:
        if len(arguments) < 2 or arguments[1] not in _LFS_OPERATIONS:
            raise CommandError(_DISALLOWED)
        repository, operation = arguments[:2]
        await self._get_advertisement(repository, _LFS_OPERATIONS[operation])
        query = urlencode({"project": _normalize(repository), "operation": operation})
        response = await self._send("POST", f"{_INTERNAL}lfs_authenticate", query)
        # Where LFS is off, the command says nothing.
        if response.status == 200:
            await self._stream.write(response.body + b"\n")

    async def _transfer_lfs(self, arguments: list[str]) -> None:
        profile, instance = self._platform.view.profile, self._platform.view.instance
        if not profile.has(LFS_IS_TRANSFERRED_OVER_SSH):
            raise CommandError(f"Unknown command: {self._command}", _UNKNOWN_COMMAND)
        if not instance.lfs_pure_ssh_protocol or len(arguments) != 2 or arguments[1] not in _LFS_OPERATIONS:
            raise CommandError(_DISALLOWED)
        repository, operation = arguments
        await self._get_advertisement(repository, _LFS_OPERATIONS[operation])
        query = urlencode({"project": _normalize(repository), "operation": operation})
        credentials = await self._ask("POST", "lfs_authenticate", query)
        headers = {"authorization": credentials["header"]["Authorization"]}
        secret = lfs_offer_secret(self._platform.view)
        session = LfsSession(operation, credentials["href"], headers, secret)
        limit = pack_limits(self._platform.view).compressed
        await LfsTransfer(self._stream, session, self._send_over_http, limit).run()

    async def _create_token(self, arguments: list[str]) -> None:
        if len(arguments) not in (2, 3):
            raise CommandError(_TOKEN_USAGE)
        name, scopes, *days = arguments
        if days and not (days[0].isascii() and days[0].isdecimal()):
            raise CommandError(f"Invalid value for days_ttl: '{days[0]}'")
        query = [
            ("name", name),
            *(("scopes[]", scope) for scope in scopes.split(",")),
            *(("days", day) for day in days),
        ]
        token = await self._ask("POST", "personal_access_token", urlencode(query))
        expiry = token.get("expires_at") or "never"
        await self._say(f"Token:   {token['token']}\nScopes:  {','.join(token['scopes'])}\nExpires: {expiry}\n")

    async def _recover_two_factor(self, _arguments: list[str]) -> None:
        await self._say(
            "Are you sure you want to generate new two-factor recovery codes?\n"
            "Any existing recovery codes you saved will be invalidated. (yes/no)\n"
        )
        if await self._read_answer() != "yes":
            text = "New recovery codes have *not* been generated. Existing codes will remain valid."
            await self._say(f"\n{text}\n")
            return
        try:
            codes = (await self._ask("POST", "two_factor_recovery_codes"))["recovery_codes"]
        except CommandError as error:
            await self._say(f"\nAn error occurred while trying to generate new recovery codes.\n{error.text}\n")
            return
        lines = "\n".join(codes)
        await self._say(
            f"\nYour two-factor authentication recovery codes are:\n\n{lines}\n\n"
            "During sign in, use one of the codes above when prompted for\n"
            "your two-factor code. Then, visit your Profile Settings and add\n"
            "a new device so you do not lose access to your account again.\n"
        )

    _COMMANDS: ClassVar[Mapping[str, Callable[["Session", list[str]], Awaitable[None]]]] = {
        "discover": _discover,
        "git-upload-pack": _upload_pack,
        "git-receive-pack": _receive_pack,
        "git-upload-archive": _upload_archive,
        "git-lfs-authenticate": _authenticate_lfs,
        "git-lfs-transfer": _transfer_lfs,
        "personal_access_token": _create_token,
        "2fa_recovery_codes": _recover_two_factor,
    }

    # Requests

    async def _advertise(self, repository: str, service: str) -> None:
        await self._stream.write(await self._get_advertisement(repository, service))

    async def _get_advertisement(self, repository: str, service: str) -> bytes:
        """Return the refs of a repository; CommandError if the caller may not use the service there."""
        with self._platform.acting(origin=self._origin) as ctx:
            message = ssh_keys.record_use(ctx, self._key)
        if message:
            self._stream.write_error(f"{_BLANK}remote: {message}\n{_BLANK}")
        path = f"/{quote(_normalize(repository))}/info/refs"
        return _get_body(await self._send("GET", path, f"service={service}"))

    def _exchange_with(self, repository: str) -> git_dialogues.Exchange:
        async def exchange(service: str, body: bytes) -> bytes:
            return _get_body(await self._send("POST", f"/{quote(_normalize(repository))}/{service}", body=body))

        return exchange

    async def _ask(self, method: str, name: str, query: str = "") -> dict[str, Any]:
        response = await self._send(method, f"{_INTERNAL}{name}", query)
        content: dict[str, Any] = orjson.loads(_get_body(response))
        if content.get("success") is False:
            raise CommandError(content["message"])
        return content

    async def _send(self, method: str, path: str, query: str = "", body: bytes = b"") -> Response:
        """Send a request in the name of the key."""
        headers = {"git-protocol": self._git_protocol} if self._git_protocol else {}
        return await self._handle(method, path, query, headers, body, self._key)

    async def _send_over_http(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Send a request to a URL of the platform, as whoever has the credentials of its headers."""
        parts = urlsplit(url)
        lower = {name.lower(): value for name, value in headers.items()}
        return await self._handle(method, parts.path, parts.query, lower, body, None)

    async def _handle(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes, key: SshKeyId | None
    ) -> Response:
        """Return the response to a request, and apply the faults of it."""
        connection = self._process.channel.get_connection()
        agent = str(connection.get_extra_info("client_version", "SSH"))
        peer = str((connection.get_extra_info("peername") or ("",))[0])
        request = Request(method, path, query, {"user-agent": agent, **headers}, body, self._origin, peer, key)
        handled = self._platform.handle_on_loop(request)
        response = await handled if isinstance(handled, Coroutine) else handled
        if response.delivery is not None:
            await self._deliver(response.delivery)
        return response

    async def _deliver(self, delivery: Delivery) -> None:
        if delivery.delay:
            await asyncio.sleep(delivery.delay)
        if delivery.loss is not None:
            # Over SSH, whatever becomes of a response, the connection is gone.
            self._process.channel.get_connection().abort()
            raise Disconnected(delivery.loss)

    # Texts

    async def _say(self, text: str) -> None:
        await self._stream.write(text.encode())

    async def _read_answer(self) -> str:
        answer = b""
        while b"\n" not in answer and len(answer) < _MAX_CODE:
            try:
                answer += await self._stream.read_some()
            except Disconnected:
                break
        return answer.decode(errors="replace").partition("\n")[0].strip()


def _get_only(arguments: list[str]) -> str:
    if len(arguments) != 1:
        raise CommandError(_DISALLOWED)
    return arguments[0]


def _normalize(repository: str) -> str:
    return f"{repository.strip('/').removesuffix('.git')}.git"


def _get_body(response: Response) -> bytes:
    if response.status == 200:
        return response.body
    raise CommandError(_read_message(response))


def _read_message(response: Response) -> str:
    """Return the text of a refusal; what the platform itself could not say is an error of its internal API."""
    if response.status >= 500:
        return _UNREACHABLE.format(response.status)
    text = response.body.decode(errors="replace").strip()
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text or _UNREACHABLE.format(response.status)
    message = content.get("message") if isinstance(content, dict) else None
    return message if isinstance(message, str) else _UNREACHABLE.format(response.status)


def _frame(message: str) -> str:
    return f"{_DIVIDER}remote: {message}\n{_DIVIDER}"
