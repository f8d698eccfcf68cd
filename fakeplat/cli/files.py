"""Atomic writes of files that only their owner can read."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 0600 atomically; nothing is left of one that cannot be written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
    except OSError:
        temporary.unlink()
        raise
