"""NuGet packages and symbol packages for tests, built by hand."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from fakeplat.harness.fake import Fakeplat
from tests.api.package_files import multipart

SCHEMA = "http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"
GUID = bytes(range(16))
SIGNATURE = "03020100050407060809 0a0b0c0d0e0fFFFFFFFF".replace(" ", "")


def nuspec(name: str = "Acme.Tool", version: str = "1.0.0", inner: str = "") -> str:
    """Return a nuspec with further elements of its metadata."""
    head = f"<id>{name}</id><version>{version}</version><authors>Ada, Mia</authors><description>A tool</description>"
    return f'<?xml version="1.0"?><package xmlns="{SCHEMA}"><metadata>{head}{inner}</metadata></package>'


def archive(files: Mapping[str, str | bytes]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


def nupkg(name: str = "Acme.Tool", version: str = "1.0.0", inner: str = "") -> bytes:
    return archive({f"{name}.nuspec": nuspec(name, version, inner), "lib/net6.0/tool.dll": b"dll"})


def pdb(guid: bytes = GUID) -> bytes:
    """Return what begins like a portable PDB: the name of the stream with blobs, its padding, GUID and stamp."""
    return b"BSJB" + bytes(8) + b"#Blob\0\0\0" + guid + b"\1\2\3\4" + b"symbols" * 9


def snupkg(name: str = "Acme.Tool", version: str = "1.0.0") -> bytes:
    kinds = '<packageTypes><packageType name="SymbolsPackage"/></packageTypes>'
    return archive({f"{name}.nuspec": nuspec(name, version, kinds), "lib/net6.0/Acme.Tool.pdb": pdb()})


def form(content: bytes) -> dict[str, Any]:
    return multipart({}, ("package", "package.nupkg", content))


def publish(fake: Fakeplat, project: int, content: bytes, user: str = "dev", tail: str = "") -> Any:
    return fake.as_user(user).put(f"projects/{project}/packages/nuget{tail}", **form(content))


def list_files(fake: Fakeplat, project: int) -> Sequence[str]:
    """Return the names of all files of a project's packages, oldest first."""
    root = fake.as_user("root")
    packages = root.get(f"projects/{project}/packages").json()
    files = [root.get(f"projects/{project}/packages/{row['id']}/package_files").json() for row in packages]
    return [file["file_name"] for rows in files for file in rows]
