"""Recording of a platform's session from inside the process."""

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.people import tokens
from fakeplat.model.world import World
from fakeplat.platform import HandledRequest, Platform
from fakeplat.tape.formats.tape import Head, InitialWorld, RecordedDelivery
from fakeplat.tape.record.recorder import Recorder, TapeFile
from fakeplat.tape.redaction.credentials import find_credential
from fakeplat.workbench.deliveries import Delivery


class PlatformRecorder(Recorder):
    """Records the requests to a platform. The owners of credentials are looked up in the world at the time of use."""

    def __init__(self, file: TapeFile, platform: Platform) -> None:
        super().__init__(file)
        self._platform = platform
        self._world = platform.view
        self._pending: list[tuple[HandledRequest, World]] = []

    def observe(self, entry: HandledRequest, _exchange: object) -> None:
        """Queue a request for `write`, as an observer of the platform."""
        # A tape is of HTTP: what a session over SSH sends has no credentials that a replay could check.
        if entry.request.ssh_key is not None:
            return
        # A view is an immutable version of the world, so it costs nothing to keep.
        self._pending.append((entry, self._platform.view))

    def observe_and_write(self, entry: HandledRequest, exchange: object) -> None:
        """Record a request at once, as an observer of the platform."""
        self.observe(entry, exchange)
        self.write()

    def write(self) -> None:
        """Write the queued requests, except those whose response was not delivered completely."""
        pending, self._pending = self._pending, []
        # Owners are looked up in the world of each request, because credentials may be revoked since.
        for entry, self._world in pending:
            response = entry.response
            if response.delivery is None or response.delivery.loss is None:
                self.take(entry.request, response, entry.took / 1e6, entry.at)
        super().write()

    def record_delivery(self, delivery: Delivery) -> None:
        """Record and write a delivery that has ended, as an observer of the delivery log."""
        self.write()  # the request that caused it comes first
        self.take_delivery(_to_tape(delivery))
        super().write()

    def inspect_request(self, request: Request) -> None:
        """Record the owner of a credential at its first use."""
        credential = find_credential(request)
        if credential is not None and not self.has_user(credential.value):
            owner = _find_owner(self._world, credential.value)
            # Git sends a token as a password; one that has an owner is a token.
            is_token = credential.kind == "password" and owner is not None
            self.add_user("pat" if is_token else credential.kind, credential.value, owner)

    def close(self) -> None:
        """Write the queued requests and close the tape."""
        self.write()
        super().close()


def _to_tape(delivery: Delivery) -> RecordedDelivery:
    kind, id_ = delivery.receiver
    response = None
    if delivery.status is not None:
        headers = tuple(delivery.response_headers.items())
        response = Response(delivery.status, headers, delivery.response_body.encode())
    return RecordedDelivery(
        receiver=f"{kind}:{id_}",
        trigger=delivery.trigger,
        method=delivery.method,
        url=delivery.request.url,
        headers=delivery.headers,
        body=delivery.body,
        response=response,
        error=delivery.error,
        at=delivery.time,
    )


def _find_owner(world: World, value: str) -> str | None:
    """Return the username of a credential's owner, or None."""
    token = world.tokens.find("value", ("token", value)) or world.tokens.find("value", ("session", value))
    user = tokens.owner_of(world, token) if token is not None else None
    return user.username if user is not None else None


def record_platform(
    platform: Platform, file: TapeFile, upstream: str, scenario: str, *, is_deferred: bool = False
) -> PlatformRecorder:
    """Record a platform; ``upstream`` is the origin where it is served.

    Each exchange is written at once, or, with ``is_deferred``, when the recorder's `write` is called.
    """
    recorder = PlatformRecorder(file, platform)
    recorder.begin(Head(upstream, to_iso(wall()), {}, _initial_world(platform, scenario)))
    platform.observers.append(recorder.observe if is_deferred else recorder.observe_and_write)
    return recorder


def _initial_world(platform: Platform, scenario: str) -> InitialWorld:
    """Return the current state of a platform for the head of its tape."""
    setup, clock = platform.view.setup, platform.clock
    times = {"kind": clock.kind, "start": to_iso(clock.now())}
    return InitialWorld(scenario, setup.seed, times, setup.instance.list_changes())
