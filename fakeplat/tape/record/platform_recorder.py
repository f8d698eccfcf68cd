"""A platform's session, recorded from inside."""

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.timestamps import to_iso
from fakeplat.model.world import World
from fakeplat.platform import HandledRequest, Platform
from fakeplat.tape.formats.tape import Head, InitialWorld
from fakeplat.tape.record.recorder import Recorder, TapeFile
from fakeplat.tape.redaction.credentials import find_credential


class PlatformRecorder(Recorder):
    """Records what a platform is asked. It knows whose a credential is, as of the moment when it was used."""

    def __init__(self, file: TapeFile, platform: Platform) -> None:
        super().__init__(file)
        self._platform = platform
        self._world = platform.view
        self._seen: list[tuple[HandledRequest, World]] = []

    def see(self, entry: HandledRequest, exchange: object) -> None:
        """Keep a request for `write`, as an observer of the platform."""
        del exchange
        self._seen.append((entry, self._platform.view))

    def see_and_write(self, entry: HandledRequest, exchange: object) -> None:
        """Take in a request, as an observer of the platform."""
        self.see(entry, exchange)
        self.write()

    def write(self) -> None:
        """Write what was seen; an answer that did not arrive whole is no part of the session."""
        seen, self._seen = self._seen, []
        for entry, self._world in seen:
            response = entry.response
            if response.delivery is None or response.delivery.loss is None:
                self.take(entry.request, response, entry.took / 1e6, entry.at)
        super().write()

    def meet(self, request: Request) -> None:
        """Say whose a credential is at its first use."""
        found = find_credential(request)
        if found is not None and not self.knows(found.value):
            owner = _owner(self._world, found.value)
            is_token = found.kind == "password" and owner is not None
            self.introduce("pat" if is_token else found.kind, found.value, owner)

    def close(self) -> None:
        """The end of the tape."""
        self.write()
        super().close()


def _owner(world: World, value: str) -> str | None:
    """The user whose credential a value is; None for nobody's."""
    token = world.tokens.find("value", ("token", value)) or world.tokens.find("value", ("session", value))
    return world.users[token.user_id].username if token is not None else None


def record_platform(
    platform: Platform, file: TapeFile, upstream: str, scenario: str, *, is_told_when: bool = False
) -> PlatformRecorder:
    """Record a platform under the origin where it is served. Each exchange is written at once, unless the witness
    ``is_told_when`` (its `write`).
    """
    witness = PlatformRecorder(file, platform)
    witness.begin(Head(upstream, to_iso(wall()), {}, _beginning(platform, scenario)))
    platform.observers.append(witness.see if is_told_when else witness.see_and_write)
    return witness


def _beginning(platform: Platform, scenario: str) -> InitialWorld:
    """Where a platform stands now, for the head of its tape."""
    from attrs import asdict

    from fakeplat.model.instance import Instance

    setup, clock = platform.view.setup, platform.clock
    usual = asdict(Instance())
    own = {name: value for name, value in asdict(setup.instance).items() if value != usual[name]}
    return InitialWorld(scenario, setup.seed, {"kind": clock.kind, "start": to_iso(clock.now())}, own)
