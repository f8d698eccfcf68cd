"""Packed charts for tests of Helm."""

import gzip
import io
import tarfile
from typing import Any

from tests.api.package_files import multipart

CHART = "apiVersion: v2\nname: {name}\nversion: {version}\nappVersion: 4852e000\ndescription: A chart.\n"


def pack(files: dict[str, bytes]) -> bytes:
    """Return a gzipped tar archive of files."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return gzip.compress(data.getvalue(), mtime=0)


def build_chart(
    name: str = "web", version: str = "1.0.0", text: str = CHART, further: dict[str, bytes] | None = None
) -> bytes:
    """Return a packed chart."""
    chart = text.format(name=name, version=version).encode()
    return pack({f"{name}/Chart.yaml": chart, **(further or {})})


def chart_form(content: bytes) -> dict[str, Any]:
    """Return the body and headers of an upload."""
    return multipart({}, ("chart", "chart.tgz", content))
