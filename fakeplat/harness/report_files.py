"""Files that belong to the report of a test: bundles and traces."""

import re
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
# Most file systems allow 255 bytes.
_MAX_NAME: Final = 180


def name_file(test: str, number: int, ending: str) -> str:
    """Return the name of the file of a test's world.

    A test's id has characters that are not allowed in file names everywhere: `tests/test_a.py::test_b[x]`. A digest
    distinguishes ids that are too long, or whose parameters have such characters. A test with several worlds has a file
    for each.
    """
    name = _UNSAFE.sub("-", test)
    parameters = test.partition("[")[2].removesuffix("]")
    if len(name) > _MAX_NAME or _UNSAFE.search(parameters):
        digest = blake2b(test.encode("utf-8", "replace"), digest_size=4).hexdigest()
        name = f"{name[:_MAX_NAME].rstrip('-')}-{digest}"
    suffix = "" if number == 1 else f"-{number}"
    return f"{name}{suffix}{ending}"


def write_file(path: Path, content: bytes) -> str:
    """Write a file; return why that is impossible, or an empty text. A report without the file is better than none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return f"{path} cannot be written: {error.strerror}"
    return ""
