"""The files by which apt knows what is in a distribution. See https://wiki.debian.org/DebianRepository/Format.

Source: docs/platform/packages.md.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, Literal

from fakeplat.core.openpgp_signing import SigningKey
from fakeplat.core.rsa_keys import derive_key
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.packages import debian
from fakeplat.model.packages import DebianDistribution, Package, PackageFile
from fakeplat.model.people import Group
from fakeplat.model.projects import Container
from fakeplat.model.world import World

IndexKind = Literal["packages", "di_packages", "sources"]
_FILE_TYPES: Final[Mapping[IndexKind, str]] = {"packages": "deb", "di_packages": "udeb", "sources": "dsc"}
_KEY_CREATED: Final = 1_577_836_800
"""The key is older than each world: from the beginning of 2020."""
_FIELDS: Final = (
    "Package Source Binary Version Essential Installed-Size Maintainer Uploaders Original-Maintainer Build-Depends"
    " Build-Depends-Indep Build-Conflicts Build-Conflicts-Indep Architecture Standards-Version Format Files"
    " Dm-Upload-Allowed Vcs-Browse Vcs-Hg Vcs-Darcs Vcs-Svn Vcs-Git Vcs-Browser Vcs-Arch Vcs-Bzr Vcs-Mtn Vcs-Cvs"
    " Checksums-Sha256 Checksums-Sha1 Replaces Provides Depends Pre-Depends Recommends Suggests Enhances Conflicts"
    " Breaks Description Origin Bugs Multi-Arch Homepage Tag Package-Type Installer-Menu-Item Build-Ids"
).split()
"""The fields of control data that indexes have, in their order."""


def build_index(
    world: World,
    container: Container,
    row: DebianDistribution,
    kind: IndexKind,
    component: str,
    architecture: str | None = None,
) -> str:
    """Return the index of a component's packages, or of its sources."""
    return "\n".join(
        _stanza(container, row, package, file)
        for package, file in debian.list_published(world, container, row)
        if file.metadata.get("file_type") == _FILE_TYPES[kind]
        and file.metadata.get("component") == component
        and file.metadata.get("architecture") == architecture
    )


def _stanza(container: Container, row: DebianDistribution, package: Package, file: PackageFile) -> str:
    fields: Mapping[str, str] = file.metadata["fields"]
    is_source = file.metadata["file_type"] == "dsc"
    known = dict(_list_source_fields(fields, file)) if is_source else {name: fields.get(name) for name in _FIELDS}
    letter = package.name[:4] if package.name.startswith("lib") else package.name[:1]
    prefix = f"pool/{row.codename}/{package.project_id}" if isinstance(container, Group) else f"pool/{row.codename}"
    folder = f"{prefix}/{letter}/{package.name}/{package.version}"
    place = (
        {"Directory": folder}
        if is_source
        else {"Filename": f"{folder}/{file.file_name}", "Size": str(file.size), "SHA256": file.file_sha256}
    )
    kind = {"Section": fields.get("Section") or "misc", "Priority": fields.get("Priority") or "extra"}
    return "".join(_field(name, value) for name, value in {**known, **kind, **place}.items())


def _list_source_fields(fields: Mapping[str, str], file: PackageFile) -> Iterator[tuple[str, str | None]]:
    """Yield the fields of a source package, whose files include the description itself."""
    sums = {"Files": file.file_md5, "Checksums-Sha256": file.file_sha256, "Checksums-Sha1": file.file_sha1}
    for name in _FIELDS:
        own = f"\n{sums[name]} {file.size} {file.file_name}" if name in sums else ""
        yield "Package" if name == "Source" else name, own + fields.get(name, "")


def _field(name: str, value: str | None) -> str:
    if not value or not value.strip():
        return ""
    text = value if value.startswith("\n") else f" {value}"
    # Lines after the first are indented; an empty one is a dot.
    return f"{name}:" + text.replace("\n\n", "\n.\n").replace("\n", "\n ") + "\n"


def build_release(world: World, container: Container, row: DebianDistribution) -> str:
    """Return the Release file, with the digests of all indexes."""
    when = from_iso(row.generated_at) // 1000
    seconds = row.valid_time_duration_seconds
    names = ("origin", "label", "suite", "version", "codename")
    head = {
        **{name.capitalize(): getattr(row, name) for name in names},
        "Date": _date(when),
        "Valid-Until": None if seconds is None else _date(when + seconds),
        "Acquire-By-Hash": "yes",
        "Architectures": " ".join(sorted(row.architectures)),
        "Components": " ".join(sorted(row.components)),
        "Description": row.description,
    }
    sums = "\n".join(["SHA256:", *_list_sums(world, container, row)])
    return "".join(_field(name, value) for name, value in head.items()) + sums + "\n"


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")


def _list_sums(world: World, container: Container, row: DebianDistribution) -> Iterator[str]:
    for component in sorted(row.components):
        indexes: list[tuple[IndexKind, str | None, str]] = []
        for name in sorted(row.architectures):
            indexes += [
                ("packages", name, f"{component}/binary-{name}/Packages"),
                ("di_packages", name, f"{component}/debian-installer/binary-{name}/Packages"),
            ]
        indexes.append(("sources", None, f"{component}/source/Sources"))
        for kind, architecture, path in indexes:
            text = build_index(world, container, row, kind, component, architecture)
            yield f" {digest(text)} {len(text.encode()):>8} {path}"


def digest(text: str) -> str:
    """Return the digest by which a Release file names an index."""
    return sha256(text.encode()).hexdigest()


def key_of(world: World) -> SigningKey:
    """Return the key with which the platform signs distributions."""
    name = world.instance.product_name
    user_id = f"{name} Debian repository ({name} Debian repository automatic signing key) <noreply@platform.example>"
    return SigningKey(derive_key(world.setup.seed, "signing key of Debian distributions"), user_id, _KEY_CREATED)


def sign_release(world: World, container: Container, row: DebianDistribution) -> str:
    """Return the detached signature of the Release file."""
    text = build_release(world, container, row)
    return key_of(world).sign_detached(text.encode(), from_iso(row.generated_at) // 1000)


def build_signed_release(world: World, container: Container, row: DebianDistribution) -> str:
    """Return the Release file with its signature in one."""
    return key_of(world).sign_text(build_release(world, container, row), from_iso(row.generated_at) // 1000)
