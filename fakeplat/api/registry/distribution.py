"""The protocol with which docker pushes and pulls images. Source: docs/platform/registry.md."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import orjson

from fakeplat.core.operations.http_messages import JSON, Headers, RawBody, Request
from fakeplat.core.operations.operation import Area, Login
from fakeplat.domain.registry import container_repositories, image_blobs, image_manifests, registry_tokens
from fakeplat.domain.registry.refusals import (
    DigestInvalid,
    ManifestProtected,
    NameUnknown,
    PageSizeInvalid,
    RangeInvalid,
    TagImmutable,
    TagProtected,
    Unauthorized,
)
from fakeplat.domain.registry.registry_tokens import SERVICE, Access
from fakeplat.domain.registry.tag_protection_rules import is_matched
from fakeplat.model.registry import BlobUpload, ContainerRepository
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import parse_bearer

area: Final = Area("Container registry protocol", login=Login.NEVER, prefix="", basic=True, raw_body=True)
_VERSION: Final = ("Docker-Distribution-Api-Version", "registry/2.0")
_BLOB: Final = "application/octet-stream"
_UPLOADS: Final = "v2/*repository/blobs/uploads"
_CATALOG: Final = Access("registry", "catalog", ("*",))
_PULL: Final = ("pull",)
_PUSH: Final = ("pull", "push")
_DELETE: Final = ("delete",)
_PAGE_SIZE: Final = "100"


# Access


def _authorize(ctx: ReadContext, *wanted: Access) -> Sequence[Access]:
    """Return what the caller's token allows, or refuse with 401, and the address of the token service."""
    token = parse_bearer(_request(ctx).headers.get("authorization"))
    granted = registry_tokens.find_granted(ctx, token) if token else None
    if granted is not None and all(_is_granted(granted, access) for access in wanted):
        return granted
    error = "" if token is None else ',error="invalid_token"' if granted is None else ',error="insufficient_scope"'
    scopes = " ".join(f"{access.kind}:{access.name}:{','.join(access.actions)}" for access in wanted)
    challenge = f'Bearer realm="{ctx.origin}/jwt/auth",service="{SERVICE}"' + (f',scope="{scopes}"' if scopes else "")
    detail = [
        {"Type": access.kind, "Class": "", "Name": access.name, "Action": action}
        for access in wanted
        for action in access.actions
    ]
    raise Unauthorized(
        reason="the token does not allow it"
        if granted is not None
        else "no token of /jwt/auth was sent, or it has expired",
        headers=(("WWW-Authenticate", challenge + error), _VERSION),
        detail=detail or None,
    )


def _is_granted(granted: Sequence[Access], wanted: Access) -> bool:
    allowed = {
        action
        for access in granted
        if (access.kind, access.name) == (wanted.kind, wanted.name)
        for action in access.actions
    }
    return "*" in allowed or allowed.issuperset(wanted.actions)


def _request(ctx: ReadContext) -> Request:
    return ctx.request or Request("GET", "/v2/")


def _images(path: str, actions: tuple[str, ...]) -> Access:
    """Return the access to an image repository; of a path only what can stand in a quoted text."""
    name = "".join(sign for sign in path if sign.isascii() and sign.isprintable() and sign not in '"\\')
    return Access("repository", name, actions)


def _locate(ctx: ReadContext, path: str, actions: tuple[str, ...]) -> ContainerRepository:
    """Return the image repository at a path with which the caller may do something."""
    _authorize(ctx, _images(path, actions))
    repository = registry_tokens.find_repository(ctx.world, path)
    if repository is None:
        raise NameUnknown(reason=f"there is no image repository {path}", detail={"name": path})
    return repository


def _locate_to_push(ctx: WriteContext, path: str, *others: Access) -> ContainerRepository:
    """Return the image repository at a path to push to; it is created if it was deleted since the token was issued."""
    _authorize(ctx, _images(path, _PUSH), *others)
    image = registry_tokens.resolve_path(ctx.world, path)
    if image is None:
        raise NameUnknown(reason=f"{path} is not in a project", detail={"name": path})
    repository = registry_tokens.find_repository(ctx.world, path)
    return repository or container_repositories.create(ctx, image.project, image.name)


def _list_denied(granted: Iterable[Access], path: str, action: str) -> list[str]:
    """Return the patterns of the tags of an image repository that a token excludes from an action."""
    return [pattern for access in granted if access.name == path for pattern in access.denied.get(action, ())]


def _list_immutable(granted: Iterable[Access], path: str) -> list[str]:
    return [pattern for access in granted if access.name == path for pattern in access.immutable]


def _authorize_tag_push(ctx: ReadContext, path: str, name: str) -> None:
    """Refuse to push a tag that the token excludes, and to move one that is immutable."""
    granted = _authorize(ctx, _images(path, _PUSH))
    if is_matched(_list_denied(granted, path, "push"), name):
        raise TagProtected(name)
    repository = registry_tokens.find_repository(ctx.world, path)
    existing = repository and ctx.world.container_tags.find("name", (repository.id, name))
    if existing and is_matched(_list_immutable(granted, path), name):
        raise TagImmutable(name)


def _authorize_deletion(ctx: ReadContext, path: str, reference: str) -> None:
    """Refuse to delete a tag that the token excludes, or that is immutable; any manifest, if there are such rules."""
    granted = _authorize(ctx, _images(path, _DELETE))
    denied, immutable = _list_denied(granted, path, "delete"), _list_immutable(granted, path)
    if ":" in reference:
        if denied or immutable:
            raise ManifestProtected(reason="rules protect tags of the project", detail=None)
    elif is_matched(denied, reference):
        raise TagProtected(reference)
    elif is_matched(immutable, reference):
        raise TagImmutable(reference)


# Answers


def _answer(status: int, *headers: tuple[str, str], body: bytes = b"", content_type: str = "") -> RawBody:
    return RawBody(body, content_type, (_VERSION, *headers), status)


def _answer_json(value: object, *headers: tuple[str, str], content_type: str = JSON) -> RawBody:
    return _answer(200, *headers, body=orjson.dumps(value), content_type=content_type)


def _url(ctx: ReadContext, path: str) -> str:
    return f"{ctx.origin}/v2/{path}"


def _stored(ctx: ReadContext, path: str, digest: str, *headers: tuple[str, str]) -> RawBody:
    return _answer(201, ("Location", _url(ctx, path)), ("Docker-Content-Digest", digest), *headers)


def _accepted(ctx: ReadContext, path: str, upload: BlobUpload, status: int = 202) -> RawBody:
    """Say where an upload goes on, and what has arrived."""
    location = ("Location", _url(ctx, f"{path}/blobs/uploads/{upload.uuid}"))
    return _answer(status, location, ("Range", image_blobs.format_range(upload)), ("Docker-Upload-UUID", upload.uuid))


def _query(ctx: ReadContext) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(_request(ctx).query, keep_blank_values=True).items()}


def _page(ctx: ReadContext, names: Sequence[str]) -> tuple[Sequence[str], Headers]:
    """Return a page of names, in order, and the link to the next one."""
    query = _query(ctx)
    if not query.keys() & {"n", "last"}:
        return sorted(names), ()
    size = query.get("n", _PAGE_SIZE)
    if not (size.isascii() and size.isdigit()):
        raise PageSizeInvalid(reason=f"n is {size!r}", detail={"n": size})
    following = [name for name in sorted(names) if name > query.get("last", "")]
    page = following[: int(size)]
    if len(page) == len(following) or not page:
        return page, ()
    parameters = urlencode({"last": page[-1], "n": size})
    return page, (("Link", f'<{_request(ctx).path}?{parameters}>; rel="next"'),)


# The registry


@area.operation("GET", "v2", name="check_container_registry", refusals=(401,), ours=True)
def check_container_registry(ctx: ReadContext) -> RawBody:
    """Check whether a token is good, as docker does first."""
    _authorize(ctx)
    return _answer_json({})


@area.operation("GET", "v2/_catalog", refusals=(400, 401), ours=True)
def list_image_catalog(ctx: ReadContext) -> RawBody:
    """List the paths of all image repositories."""
    _authorize(ctx, _CATALOG)
    paths = [container_repositories.path_of(ctx.world, each) for each in ctx.world.container_repositories]
    page, headers = _page(ctx, paths)
    return _answer_json({"repositories": page}, *headers)


@area.operation("GET", "v2/*repository/tags/list", refusals=(400, 401, 404), ours=True)
def list_image_tags(ctx: ReadContext, repository: str) -> RawBody:
    """List the tags of an image repository."""
    found = _locate(ctx, repository, _PULL)
    page, headers = _page(ctx, [tag.name for tag in container_repositories.list_tags(ctx.world, found)])
    return _answer_json({"name": repository, "tags": page}, *headers)


# Manifests


@area.operation("GET", "v2/*repository/manifests/:reference", refusals=(401, 404), ours=True)
def get_image_manifest(ctx: ReadContext, repository: str, reference: str) -> RawBody:
    """Get a manifest by its digest or a tag."""
    found = _locate(ctx, repository, _PULL)
    manifest = image_manifests.get_manifest(ctx.world, found, reference)
    headers = _content_headers(manifest.digest, len(manifest.content))
    return _answer(200, *headers, body=manifest.content, content_type=manifest.media_type)


def _content_headers(digest: str, size: int) -> Headers:
    """Return what clients check; the size also without the content (HEAD)."""
    return ("Docker-Content-Digest", digest), ("ETag", f'"{digest}"'), ("Content-Length", str(size))


@area.operation("PUT", "v2/*repository/manifests/:reference", status=201, refusals=(400, 401, 404), ours=True)
def put_image_manifest(ctx: WriteContext, repository: str, reference: str) -> RawBody:
    """Upload a manifest under its digest or a tag. All that it names must have been uploaded."""
    if ":" not in reference:
        _authorize_tag_push(ctx, repository, reference)
    found = _locate_to_push(ctx, repository)
    request = _request(ctx)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip()
    manifest = image_manifests.put(ctx, found, reference, media_type, request.body)
    subject = () if manifest.subject is None else (("OCI-Subject", manifest.subject),)
    return _stored(ctx, f"{repository}/manifests/{manifest.digest}", manifest.digest, *subject)


@area.operation("DELETE", "v2/*repository/manifests/:reference", status=202, refusals=(401, 404), ours=True)
def delete_image_manifest(ctx: WriteContext, repository: str, reference: str) -> RawBody:
    """Delete a manifest with its tags, or a single tag."""
    found = _locate(ctx, repository, _DELETE)
    _authorize_deletion(ctx, repository, reference)
    image_manifests.delete(ctx, found, reference)
    return _answer(202)


@area.operation("GET", "v2/*repository/referrers/:digest", refusals=(400, 401, 404), ours=True)
def list_image_referrers(ctx: ReadContext, repository: str, digest: str) -> RawBody:
    """List the manifests that belong to another one, such as signatures."""
    found = _locate(ctx, repository, _PULL)
    _check_digest_format(digest)
    referrers = image_manifests.list_referrers(ctx.world, found, digest)
    kind = _query(ctx).get("artifactType")
    if kind is not None:
        referrers = [each for each in referrers if each.get("artifactType") == kind]
    index: dict[str, Any] = {"schemaVersion": 2, "mediaType": image_manifests.OCI_INDEX, "manifests": referrers}
    filters = () if kind is None else (("OCI-Filters-Applied", "artifactType"),)
    return _answer_json(index, *filters, content_type=image_manifests.OCI_INDEX)


def _check_digest_format(digest: str) -> None:
    if not image_blobs.DIGEST.fullmatch(digest):
        raise DigestInvalid("invalid digest", reason=f"{digest!r} is no digest", detail=None)


# Blobs


@area.operation("GET", "v2/*repository/blobs/:digest", also=(206,), refusals=(400, 401, 404, 416), ours=True)
def get_image_blob(ctx: ReadContext, repository: str, digest: str) -> RawBody:
    """Get a layer or configuration, or a part of it."""
    found = _locate(ctx, repository, _PULL)
    _check_digest_format(digest)
    content = image_blobs.get_blob(ctx.world, found, digest).content
    accepts = ("Accept-Ranges", "bytes")
    wanted = _request(ctx).headers.get("range")
    if wanted is None:
        return _answer(200, *_content_headers(digest, len(content)), accepts, body=content, content_type=_BLOB)
    part = _read_range(wanted, len(content))
    where = ("Content-Range", f"bytes {part.start}-{part.stop - 1}/{len(content)}")
    headers = _content_headers(digest, len(part))
    return _answer(206, *headers, accepts, where, body=content[part.start : part.stop], content_type=_BLOB)


def _read_range(text: str, size: int) -> range:
    """Return the part that a Range header asks for; several parts are refused."""
    unit, _, bounds = text.partition("=")
    first, separator, last = bounds.strip().partition("-")
    numbers = all(not number or (number.isascii() and number.isdigit()) for number in (first, last))
    part = range(0)
    if unit.strip() == "bytes" and separator and numbers and (first or last):
        start = int(first) if first else max(size - int(last), 0)
        stop = min(int(last) + 1, size) if first and last else size
        part = range(start, stop)
    if not part:
        raise RangeInvalid(reason=f"Range: {text}; the blob has {size} bytes", detail=None)
    return part


@area.operation("DELETE", "v2/*repository/blobs/:digest", status=202, refusals=(400, 401, 404), ours=True)
def delete_image_blob(ctx: WriteContext, repository: str, digest: str) -> RawBody:
    """Delete a layer or configuration."""
    found = _locate(ctx, repository, _DELETE)
    _check_digest_format(digest)
    image_blobs.delete_blob(ctx, image_blobs.get_blob(ctx.world, found, digest))
    return _answer(202, ("Docker-Content-Digest", digest))


# Uploads


@area.operation("POST", _UPLOADS, status=202, also=(201,), refusals=(400, 401, 404, 413), ours=True)
def start_image_upload(ctx: WriteContext, repository: str) -> RawBody:
    """Start to upload a blob, upload it at once, or take it from another repository (``mount``, ``from``)."""
    query = _query(ctx)
    source = query.get("from")
    found = _locate_to_push(ctx, repository, *([_images(source, _PULL)] if source else []))
    if source and (digest := query.get("mount")) and _mount(ctx, found, source, digest):
        return _stored(ctx, f"{repository}/blobs/{digest}", digest)
    upload = image_blobs.start_upload(ctx, found)
    if "digest" in query:
        return _finish(ctx, repository, found, upload)
    return _accepted(ctx, repository, upload)


def _mount(ctx: WriteContext, target: ContainerRepository, source: str, digest: str) -> bool:
    """Share a blob with another repository; return whether that one has it."""
    other = registry_tokens.find_repository(ctx.world, source)
    blob = image_blobs.find_blob(ctx.world, other, digest) if other else None
    if blob is not None:
        image_blobs.add_blob(ctx, target, digest, blob.content)
    return blob is not None


@area.operation("PATCH", f"{_UPLOADS}/:uuid", status=202, refusals=(401, 404, 413, 416), ours=True)
def append_to_image_upload(ctx: WriteContext, repository: str, uuid: str) -> RawBody:
    """Upload a part of a blob."""
    found = _locate_to_push(ctx, repository)
    request, upload = _request(ctx), image_blobs.get_upload(ctx.world, found, uuid)
    upload = image_blobs.append(ctx, upload, request.body, request.headers.get("content-range"))
    return _accepted(ctx, repository, upload)


@area.operation("PUT", f"{_UPLOADS}/:uuid", status=201, refusals=(400, 401, 404, 413, 416), ours=True)
def complete_image_upload(ctx: WriteContext, repository: str, uuid: str) -> RawBody:
    """Upload the last part of a blob, which must have the digest of the query."""
    found = _locate_to_push(ctx, repository)
    return _finish(ctx, repository, found, image_blobs.get_upload(ctx.world, found, uuid))


def _finish(ctx: WriteContext, path: str, repository: ContainerRepository, upload: BlobUpload) -> RawBody:
    request = _request(ctx)
    upload = image_blobs.append(ctx, upload, request.body, request.headers.get("content-range"))
    blob = image_blobs.finish(ctx, repository, upload, _query(ctx).get("digest", ""))
    return _stored(ctx, f"{path}/blobs/{blob.digest}", blob.digest)


@area.operation("GET", f"{_UPLOADS}/:uuid", status=204, refusals=(401, 404), ours=True)
def get_image_upload(ctx: ReadContext, repository: str, uuid: str) -> RawBody:
    """Get how much of a blob has arrived."""
    found = _locate(ctx, repository, _PULL)
    return _accepted(ctx, repository, image_blobs.get_upload(ctx.world, found, uuid), 204)


@area.operation("DELETE", f"{_UPLOADS}/:uuid", status=204, refusals=(401, 404), ours=True)
def cancel_image_upload(ctx: WriteContext, repository: str, uuid: str) -> RawBody:
    """Cancel an upload."""
    found = _locate(ctx, repository, _DELETE)
    image_blobs.cancel(ctx, image_blobs.get_upload(ctx.world, found, uuid))
    return _answer(204)
