"""Links to the assets of releases, and their validation. Source: docs/platform/releases.md."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Required, TypedDict, Unpack
from urllib.parse import urlsplit

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, INVALID_URI, TAKEN, ValidationErrors, has_line_break, too_long
from fakeplat.model.releases import LinkType, Release, ReleaseLink
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

UNIQUE: Final = ("name", "url", "filepath")
_BLOCKED: Final = "is blocked: Only allowed schemes are http, https, ftp"
_NO_HOST: Final = "is blocked: Hostname or IP address invalid"
_UNREADABLE: Final = f"is blocked: {INVALID_URI}"
_SCHEMES: Final = ("http", "https", "ftp")
_LONGEST_FILEPATH: Final = 128
# One slash at the start and none beside another; the last character is a letter or digit.
_FILEPATH: Final = re.compile(r"/(?!/)(?:(?!//)[-.\w/])*(?<=[0-9A-Za-z])", re.ASCII)


def list_links(world: World, release: Release) -> list[ReleaseLink]:
    """Return the links of a release, newest first."""
    return list(world.release_links.where("release", release.id))[::-1]


def get_link(world: World, release: Release, id_: str) -> ReleaseLink:
    """Return a link of a release, or raise 404."""
    link = world.release_links.get(parse_number(id_) or 0)
    if link is None or link.release_id != release.id:
        raise RecordNotFound(reason=f"release {release.tag_name!r} has no link {id_!r}")
    return link


def find_by_filepath(world: World, release: Release, filepath: str) -> ReleaseLink | None:
    """Return the link at a path below the permanent address of a release."""
    return next((link for link in list_links(world, release) if link.filepath == filepath), None)


class NewLink(TypedDict, total=False):
    """The fields of a new link."""

    name: Required[str]
    url: Required[str]
    filepath: str | None
    link_type: LinkType
    created_at: str
    updated_at: str


class LinkChanges(TypedDict, total=False):
    """Changes of a link."""

    name: str | None
    url: str | None
    filepath: str | None
    link_type: LinkType


def create(ctx: WriteContext, release: Release, **fields: Unpack[NewLink]) -> ReleaseLink:
    """Add a link: name, url, filepath, link_type; 400 with the errors of each field."""
    list_errors(fields, list_links(ctx.world, release)).refuse()
    return insert(ctx, release, **fields)


def insert(ctx: WriteContext, release: Release, **fields: Unpack[NewLink]) -> ReleaseLink:
    """Add a link whose fields are valid."""
    table, now = ctx.world.release_links, ctx.now_iso
    values: NewLink = {"created_at": now, "updated_at": now, **fields}
    return table.add(ReleaseLink(id=table.next_id(), release_id=release.id, **values))


def update(ctx: WriteContext, release: Release, link: ReleaseLink, **fields: Unpack[LinkChanges]) -> ReleaseLink:
    """Change a link; 400 with the errors of each field."""
    others = [other for other in list_links(ctx.world, release) if other.id != link.id]
    list_errors({name: fields.get(name, getattr(link, name)) for name in UNIQUE}, others).refuse()
    return ctx.world.release_links.change(link, **fields, updated_at=ctx.now_iso)


def delete(ctx: WriteContext, link: ReleaseLink) -> None:
    """Delete a link."""
    purge(ctx, link)


def _text_of(value: object) -> str | None:
    return None if value is None else str(value)


def list_errors(fields: Mapping[str, object], others: Sequence[ReleaseLink]) -> ValidationErrors:
    """Return the errors of a link beside other links of its release."""
    errors = ValidationErrors()
    name, url, filepath = (_text_of(fields.get(field)) for field in UNIQUE)
    errors.when(not (name or "").strip(), "name", BLANK)
    for text in _find_url_errors(url or ""):
        errors.add("url", text)
    if filepath is not None:
        errors.when(not _FILEPATH.fullmatch(filepath), "filepath", "is in an invalid format")
        too_long(errors, "filepath", filepath, _LONGEST_FILEPATH)
    for field in UNIQUE:
        value = fields.get(field)
        errors.when(value and any(getattr(other, field) == value for other in others), field, TAKEN)
    return errors


def _find_url_errors(url: str) -> list[str]:
    if not url.strip():
        return [BLANK, "must be a valid URL"]
    if has_line_break(url):
        return [_UNREADABLE]
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
    except ValueError:
        return [_UNREADABLE]
    if parts.scheme not in _SCHEMES:
        return [_BLOCKED]
    return [] if host else [_NO_HOST]


def find_sentences(rows: Sequence[NewLink]) -> list[str]:
    """Return the errors of the links of a new release, as sentences."""
    repeated = [field for field in UNIQUE if _is_repeated([row.get(field) for row in rows])]
    sentences = [f"Links {field} {text}" for row in rows for field, text in _list_errors(row)]
    if repeated:
        sentences.append(f"Links have duplicate values ({', '.join(repeated)})")
    return list(dict.fromkeys(sentences))


def _list_errors(row: NewLink) -> list[tuple[str, str]]:
    errors = list_errors(row, ())
    return [(field, text) for field in errors for text in errors.texts(field)]


def _is_repeated(values: Sequence[object]) -> bool:
    return any(count > 1 for value, count in Counter(values).items() if value is not None)
