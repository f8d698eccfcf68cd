"""Imports from other services. None of them can be reached: no host name is resolved, and no token is known there.

Source: docs/platform/import-export.md ('Other services').
"""

from typing import Annotated, Final, Literal, NoReturn
from urllib.parse import urlsplit

from fakeplat.api.import_export import ImportTarget, count_import, get_target_namespace
from fakeplat.core.operations.errors import (
    BadRequest,
    Forbidden,
    InvalidParams,
    RecordNotFound,
    Refusal,
    Unauthorized,
    Unprocessable,
)
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Level, Namespace
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, level_on
from fakeplat.policy.behaviours import DEVELOPERS_IMPORT_PROJECTS, GITHUB_IMPORTS_NEED_A_NAMESPACE
from fakeplat.policy.context import WriteContext

area: Final = Area("Import/export", login=Login.ALWAYS)
_NOT_ALLOWED: Final = "You are not allowed to import projects in this namespace."
_TAKEN: Final = "This namespace has already been taken! Please choose another one."
_NO_EGRESS: Final = "nothing is sent to other services, so no host name is resolved"


class ImportFromGitHub(Params):
    """The repository, and where its project goes."""

    personal_access_token: str
    repo_id: int
    new_name: str | None = None
    target_namespace: str
    github_hostname: str | None = None
    optional_stages: Annotated[dict[str, object] | None, Lifetime(since="15.5")] = None


@area.operation("POST", "import/github", params=ImportFromGitHub, refusals=(400, 401, 403, 422))
def import_github_project(ctx: WriteContext, p: ImportFromGitHub) -> NoReturn:
    """Import a repository from GitHub, which knows no token."""
    needs_namespace = ctx.profile.has(GITHUB_IMPORTS_NEED_A_NAMESPACE)
    if needs_namespace and not p.target_namespace.strip():
        raise InvalidParams("target_namespace is empty")
    _check_source(ctx, "github")
    if p.github_hostname is not None:
        raise _with_errors(BadRequest(reason=_NO_EGRESS), f"Invalid URL: {p.github_hostname}")
    namespace = namespaces.find_by_path(ctx.world, p.target_namespace)
    if namespace is None and needs_namespace:
        text = "Namespace or group to import repository into does not exist."
        raise _with_errors(Unprocessable(text), text)
    if namespace is not None and not _may_import(ctx, namespace):
        text = _NOT_ALLOWED if needs_namespace else _TAKEN
        raise _with_errors(Unprocessable(text), text)
    refusal = Unauthorized(reason="GitHub knows no token")
    refusal.payload = {"error": "Access denied to your GitHub account."}
    raise refusal


class CancelGitHubImport(Params):
    """The project."""

    project_id: int


@area.operation("POST", "import/github/cancel", params=CancelGitHubImport, refusals=(404,), since="15.5")
def cancel_github_import(_ctx: WriteContext, p: CancelGitHubImport) -> NoReturn:
    """Cancel the import of a project from GitHub, from which no project comes."""
    raise RecordNotFound(reason=f"the project {p.project_id} is not imported from GitHub")


class ImportFromBitbucketServer(Params):
    """The repository, and where its project goes."""

    bitbucket_server_url: str
    bitbucket_server_username: str
    personal_access_token: str
    bitbucket_server_project: str
    bitbucket_server_repo: str
    new_name: str | None = None
    new_namespace: str | None = None
    timeout_strategy: Annotated[Literal["optimistic", "pessimistic"] | None, Lifetime(since="16.5")] = None


@area.operation("POST", "import/bitbucket_server", params=ImportFromBitbucketServer, refusals=(400, 403))
def import_bitbucket_server_project(ctx: WriteContext, p: ImportFromBitbucketServer) -> NoReturn:
    """Import a repository from Bitbucket Server, whose host name is not resolved."""
    _check_source(ctx, "bitbucket_server")
    raise BadRequest({"error": f"Invalid URL: {p.bitbucket_server_url}"}, reason=_NO_EGRESS)


class ImportFromBitbucket(Params):
    """The repository, and where its project goes."""

    bitbucket_username: str
    bitbucket_app_password: str
    repo_path: str
    target_namespace: str
    new_name: str | None = None


@area.operation("POST", "import/bitbucket", params=ImportFromBitbucket, refusals=(401, 403), since="17.0")
def import_bitbucket_project(ctx: WriteContext, p: ImportFromBitbucket) -> NoReturn:
    """Import a repository from Bitbucket, which knows no password."""
    _check_source(ctx, "bitbucket")
    namespace = namespaces.find_by_path(ctx.world, p.target_namespace)
    if namespace is not None and not _may_import(ctx, namespace):
        text, why = "You don't have permissions to import this project", f"to {p.target_namespace}"
    else:
        text, why = "Unable to authorize with Bitbucket. Check your credentials", "Bitbucket knows no password"
    refusal = Unauthorized(reason=why)
    refusal.payload = {"message": {"error": text}}
    raise refusal


class ImportGists(Params):
    """The token of who has the gists."""

    personal_access_token: str


@area.operation("POST", "import/github/gists", params=ImportGists, refusals=(401,), since="15.8")
def import_github_gists(_ctx: WriteContext, p: ImportGists) -> NoReturn:
    """Import the caller's gists from GitHub, which knows no token."""
    reason = f"GitHub does not know the token of {len(p.personal_access_token)} characters"
    refusal = Unauthorized(reason=reason)
    refusal.payload = {"error": "Access denied to your GitHub account."}
    raise refusal


class ImportFromAddress(ImportTarget):
    """The address of an archive, and where its project goes."""

    url: str
    path: str


@area.operation("POST", "projects/remote-import", params=ImportFromAddress, refusals=(400, 403, 404, 429))
def import_remote_project(ctx: WriteContext, p: ImportFromAddress) -> NoReturn:
    """Import a project from an archive at an address, whose host name is not resolved."""
    count_import(ctx)
    get_target_namespace(ctx, p)
    parts = urlsplit(p.url)
    if parts.scheme != "https" or not parts.hostname:
        raise BadRequest("File url is blocked: Only allowed schemes are https")
    text = f"Failed to open TCP connection to {parts.hostname}:{parts.port or 443}"
    raise BadRequest(f"Failed to retrive headers: {text} (getaddrinfo: Name or service not known)", reason=_NO_EGRESS)


class ImportFromBucket(ImportTarget):
    """The bucket and key of an archive, the credentials that read it, and where its project goes."""

    region: str
    bucket_name: str
    file_key: str
    access_key_id: str
    secret_access_key: str
    path: str


# It was behind a feature flag before it became generally available.
@area.operation(
    "POST", "projects/remote-import-s3", params=ImportFromBucket, refusals=(400, 403, 404, 429), since="15.11"
)
def import_remote_s3_project(ctx: WriteContext, p: ImportFromBucket) -> NoReturn:
    """Import a project from an archive in a bucket, whose host name is not resolved."""
    count_import(ctx)
    get_target_namespace(ctx, p)
    for name in ("region", "bucket_name", "file_key", "access_key_id", "secret_access_key"):
        if not getattr(p, name).strip():
            words = name.removesuffix("_id").replace("_", " ").capitalize()
            raise BadRequest(f"{words} can't be blank")
    host = f"{p.bucket_name}.s3.{p.region}.amazonaws.com"
    text = f"Failed to open TCP connection to {host}:443 (getaddrinfo: Name or service not known)"
    raise BadRequest(f"Failed to open '{p.file_key}' in '{p.bucket_name}': {text}", reason=_NO_EGRESS)


def _may_import(ctx: WriteContext, namespace: Namespace) -> bool:
    has_level = ctx.profile.has(DEVELOPERS_IMPORT_PROJECTS) or level_on(ctx, namespace) >= Level.MAINTAINER
    return has_level and can(ctx, Ability.CREATE_PROJECTS, namespace)


def _check_source(ctx: WriteContext, source: str) -> None:
    if source not in ctx.world.settings.import_sources:
        raise Forbidden(reason=f"the setting import_sources does not contain {source}")


def _with_errors(refusal: Refusal, text: str) -> Refusal:
    """Return a refusal whose body has only the key of this service."""
    refusal.payload = {"errors": text}
    return refusal
