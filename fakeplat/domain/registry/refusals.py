"""Refusals of the container registry, in the form that docker shows. Source: docs/platform/registry.md."""

from collections.abc import Mapping
from typing import ClassVar

from fakeplat.core.operations.errors import Reason, Refusal
from fakeplat.core.operations.http_messages import TEXT, Headers, Response


class RegistryRefusal(Refusal):
    """An error of the registry; ``extra`` are further keys of the body."""

    code: ClassVar[str] = ""
    message: ClassVar[str] = ""
    extra: ClassVar[Mapping[str, object]] = {}

    def __init__(self, message: str = "", *, reason: Reason = "", headers: Headers = (), **details: object) -> None:
        payload = {"errors": [{"code": self.code, "message": message or self.message, **details}], **self.extra}
        super().__init__(payload, reason=reason, headers=headers)


class Unauthorized(RegistryRefusal):
    """401: no token, or one that does not allow this."""

    status = 401
    code = "UNAUTHORIZED"
    message = "authentication required"


class AccessForbidden(RegistryRefusal):
    """403 of the token service."""

    status = 403
    code = "DENIED"
    message = "access forbidden"
    extra: ClassVar[Mapping[str, object]] = {"http_status": 403}


class ProxyAccessForbidden(Refusal):
    """403 of the token service of the dependency proxy."""

    status = 403

    def __init__(self, *, reason: Reason) -> None:
        super().__init__({"status": "error", "message": "access forbidden", "http_status": 403}, reason=reason)


class _WithoutBody(Refusal):
    """A refusal of the dependency proxy that says nothing."""

    def __init__(self, *, reason: Reason, headers: Headers = ()) -> None:
        super().__init__(None, reason=reason, headers=headers)

    def response(self) -> Response:
        """Return a response without a body."""
        return Response(self.status, (("Content-Type", TEXT), ("Cache-Control", "no-cache"), *self.headers), b"")


class ProxyUnauthorized(_WithoutBody):
    """401 of the dependency proxy: no token, or one that is not valid."""

    status = 401


class ProxyNotFound(_WithoutBody):
    """404 of the dependency proxy: no such group, or the caller may not use its proxy."""

    status = 404


class UpstreamUnreachable(Refusal):
    """503 of the dependency proxy: the registry outside cannot be reached."""

    status = 503

    def __init__(self, *, reason: Reason) -> None:
        super().__init__("Failed to download the manifest from the external registry", reason=reason)


class RegistryIsFull(RegistryRefusal):
    """413: the content of all images is limited."""

    status = 413
    code = "DENIED"


class NameUnknown(RegistryRefusal):
    """404: there is no such image repository."""

    status = 404
    code = "NAME_UNKNOWN"
    message = "repository name not known to registry"


class ManifestUnknown(RegistryRefusal):
    """404: there is no such manifest."""

    status = 404
    code = "MANIFEST_UNKNOWN"
    message = "manifest unknown"


class ManifestInvalid(RegistryRefusal):
    """400: a manifest that cannot be read."""

    status = 400
    code = "MANIFEST_INVALID"
    message = "manifest invalid"


class TagInvalid(RegistryRefusal):
    """400: a text that is no tag."""

    status = 400
    code = "TAG_INVALID"
    message = "manifest tag did not match URI"


class BlobUnknown(RegistryRefusal):
    """404: there is no such blob."""

    status = 404
    code = "BLOB_UNKNOWN"
    message = "blob unknown to registry"


class UploadUnknown(RegistryRefusal):
    """404: there is no such upload, or it has ended."""

    status = 404
    code = "BLOB_UPLOAD_UNKNOWN"
    message = "blob upload unknown to registry"


class DigestInvalid(RegistryRefusal):
    """400: a digest that is none, or not that of the content."""

    status = 400
    code = "DIGEST_INVALID"
    message = "provided digest did not match uploaded content"


class RangeInvalid(RegistryRefusal):
    """416: a part of an upload that does not follow what has arrived, or a part of a blob that it does not have."""

    status = 416
    code = "RANGE_INVALID"
    message = "invalid content range"


class PageSizeInvalid(RegistryRefusal):
    """400: a size of a page that is no number."""

    status = 400
    code = "PAGINATION_NUMBER_INVALID"
    message = "invalid number of results requested"


class BlobsUnknown(Refusal):
    """400: a manifest names blobs that were not uploaded."""

    status = 400

    def __init__(self, digests: list[str]) -> None:
        errors = [
            {"code": "MANIFEST_BLOB_UNKNOWN", "message": "blob unknown to registry", "detail": {"digest": digest}}
            for digest in digests
        ]
        super().__init__({"errors": errors}, reason=f"not uploaded: {', '.join(digests)}")


class TagProtected(RegistryRefusal):
    """401: a rule keeps the caller from pushing or deleting a tag."""

    status = 401
    code = "PROTECTED_TAG"
    message = "insufficient permissions for protected tag"

    def __init__(self, name: str) -> None:
        text = f'tag "{name}" is protected'
        super().__init__(reason=text, detail=text)


class TagImmutable(RegistryRefusal):
    """400: a rule keeps everybody from moving or deleting a tag."""

    status = 400
    code = "IMMUTABLE_TAG"
    message = "the tag cannot be updated or deleted"

    def __init__(self, name: str) -> None:
        text = f'tag "{name}" is immutable'
        super().__init__(reason=text, detail=text)


class ManifestProtected(RegistryRefusal):
    """401: rules for tags keep the caller from deleting a manifest, whose tags would go with it."""

    status = 401
    code = "PROTECTED_MANIFEST"
    message = "manifests cannot be deleted while tags of the project are protected"
