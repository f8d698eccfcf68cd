"""Direct transfers that read other instances: the world waits for what the event loop of the server reads.

Source: docs/platform/import-export.md ('Direct transfer').
"""

from collections.abc import Callable, Sequence
from threading import Condition
from typing import Protocol

from fakeplat.domain.import_export import bulk_imports
from fakeplat.domain.import_export.transfer_sources import Source, UnreadSource
from fakeplat.model.outgoing import OutgoingTransfer
from fakeplat.platform import Platform


class SourceReader(Protocol):
    """Something that reads other instances."""

    def read_source(
        self, transfer: OutgoingTransfer, finish: Callable[[OutgoingTransfer, Sequence[Source | UnreadSource]], None]
    ) -> None:
        """Read the source of a direct transfer, and report what was read. Returns at once."""


class Transfers:
    """The transfers of a world that are waiting for another instance."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._pending: set[int] = set()
        self._changed = Condition()

    def read(self, transfer: OutgoingTransfer, reader: SourceReader) -> None:
        """Start to read the source of a transfer."""
        with self._platform.acting() as ctx:
            bulk_imports.begin_reading(ctx, transfer.import_id)
        with self._changed:
            self._pending.add(transfer.import_id)
        reader.read_source(transfer, self._receive)

    def _receive(self, transfer: OutgoingTransfer, read: Sequence[Source | UnreadSource]) -> None:
        try:
            with self._platform.acting(origin=self._platform.origin) as ctx:
                bulk_imports.receive(ctx, transfer.import_id, read)
        finally:
            with self._changed:
                self._pending.discard(transfer.import_id)
                self._changed.notify_all()

    def join(self, timeout: float = 5.0) -> None:
        """Wait until no source is being read; AssertionError after ``timeout`` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._pending, timeout):
                raise AssertionError(f"after {timeout:g} s, sources are being read: {sorted(self._pending)}")
