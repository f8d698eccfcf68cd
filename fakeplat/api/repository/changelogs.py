"""Changelogs of repositories. Source: docs/platform/repository.md ('Changelogs')."""

from datetime import UTC, datetime
from typing import Annotated, Final

from fakeplat.api.repository.repository import area
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import Forbidden, RouteNotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Login
from fakeplat.core.params.params import Check, Moment, Named, NotBlank, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.repository import changelogs, commit_actions, protection
from fakeplat.domain.repository.changelogs import ChangelogRequest
from fakeplat.domain.settings import default_branch
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import CHANGELOGS_HAVE_PLAIN_TEXTS
from fakeplat.policy.context import ReadContext, WriteContext

_PATH: Final = "repository/changelog"
_PLAIN_TEXT: Final = ".txt"
_FORBIDDEN: Final = "You are not allowed to commit a changelog on this branch"


def _check_version(version: str) -> str | None:
    return None if changelogs.VERSION.search(version) else "is invalid"


class GetChangelog(Params):
    """The version, the range of its commits, and how the section is made."""

    version: Annotated[str, NotBlank, Check(_check_version)]
    from_: Annotated[str | None, Named("from")] = None
    to: str | None = None
    date: Moment | None = None
    trailer: str = changelogs.TRAILER
    config_file: Annotated[str | None, Lifetime(since="<=15.11")] = None
    config_file_ref: Annotated[str | None, Lifetime(since="18.2")] = None


class CreateChangelog(GetChangelog):
    """The version, and where to commit its section."""

    branch: str | None = None
    file: str = changelogs.FILE
    message: str | None = None


@area.operation(
    "GET",
    _PATH,
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=GetChangelog,
    since="14.6",
    endings=(_PLAIN_TEXT,),
    job_token=True,
    refusals=(422,),
)
def get_repository_changelog(ctx: ReadContext, project: Project, p: GetChangelog) -> dict[str, str] | RawBody:
    """Get the section of a version for the changelog, without committing it; as plain text for ``changelog.txt``."""
    is_plain = ctx.request is not None and ctx.request.path.endswith(_PLAIN_TEXT)
    if is_plain and not ctx.profile.has(CHANGELOGS_HAVE_PLAIN_TEXTS):
        raise RouteNotFound(reason="plain texts of changelogs are of a later release")
    section = changelogs.generate(ctx, project, _build_request(ctx, project, p))
    return RawBody(section.encode(), "text/plain") if is_plain else {"notes": section}


@area.operation(
    "POST",
    _PATH,
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=CreateChangelog,
    login=Login.NEVER,
    status=200,
    since="13.9",
    refusals=(400, 403, 422),
)
def create_repository_changelog(ctx: WriteContext, project: Project, p: CreateChangelog) -> RawBody:
    """Add the section of a version to the changelog, with a commit."""
    request = _build_request(ctx, project, p, p.branch)
    if not protection.can_push(ctx, project, request.branch):
        branch = request.branch
        raise Forbidden(
            _FORBIDDEN,
            reason=lambda: commit_actions.explain_push_objection(ctx, project, branch),
        )
    changelogs.commit(ctx, project, request, p.file, p.message or f"Add changelog for version {p.version}")
    # The platform renders the status that its last line sets.
    return RawBody(b"200", JSON)


def _build_request(ctx: ReadContext, project: Project, p: GetChangelog, branch: str | None = None) -> ChangelogRequest:
    milliseconds = ctx.now() if p.date is None else from_iso(p.date)
    sent = {
        "start": p.from_,
        "end": p.to,
        "config_file": p.config_file or None,
        "config_ref": p.config_file_ref or None,
    }
    return ChangelogRequest(
        version=p.version,
        date=datetime.fromtimestamp(milliseconds / SECOND, UTC),
        trailer=p.trailer,
        branch=branch or project.default_branch or default_branch(ctx.world, project),
        **{name: value for name, value in sent.items() if value is not None},
    )
