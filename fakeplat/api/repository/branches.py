"""Branches. Source: docs/platform/branches.md."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, Final, Literal

from fakeplat.api.scopes import PROJECT_WITH_REPOSITORY
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paging, TokenPaged
from fakeplat.core.params.params import NotBlank, Params
from fakeplat.core.regexps import compile_regexp
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.repository import branches, protection, repositories
from fakeplat.domain.repository.branches import Branch
from fakeplat.domain.validation import explain_regex_error
from fakeplat.entities.repository.branches import BranchView
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import JOBS_READ_REPOSITORIES
from fakeplat.policy.context import ReadContext, WriteContext

# The platform's hooks find the project and check the ability to read code before parameters are validated.
area: Final = Area("Branches", login=Login.NEVER, located_first=True)
PATH: Final = "repository/branches"


class ListBranches(TokenPaged):
    """Filters and order of the list of branches."""

    search: str | None = None
    regex: Annotated[str | None, Lifetime(since="<=16.1")] = None
    sort: Annotated[Literal["name_asc", "updated_asc", "updated_desc"] | None, Lifetime(since="<=18.9")] = None
    pagination: Annotated[str | None, Lifetime(since="<=18.9")] = None
    page_token: Annotated[str | None, Lifetime(since="<=18.9")] = None


@area.operation(
    "GET",
    PATH,
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=ListBranches,
    view=BranchView,
    many=True,
    paging=Paging(token=attrgetter("name")),
    refusals=(400, 422),
    job_token=JOBS_READ_REPOSITORIES,
)
def list_branches(ctx: ReadContext, project: Project, p: ListBranches) -> Sequence[Branch]:
    """List branches, by name unless another order is asked for."""
    project_branches = branches.list_branches(ctx.world, project)
    if p.regex:
        project_branches = _filter_by_expression(project_branches, p.regex)
    if p.sort and p.sort != "name_asc":
        git = repositories.open_repository(ctx.world, project)
        project_branches.sort(
            key=lambda branch: git.objects.commit(branch.sha).committer.when, reverse=p.sort == "updated_desc"
        )
    if not p.search:
        return project_branches
    # The search determines the order too: an exact match comes first.
    by_name = {branch.name: branch for branch in project_branches}
    return [by_name[name] for name in branches.filter_names(by_name, p.search)]


def _filter_by_expression(rows: list[Branch], expression: str) -> list[Branch]:
    error = explain_regex_error(expression)
    if error:
        raise BadRequest("Regex is invalid", reason=error)
    pattern = compile_regexp(expression)
    return [branch for branch in rows if pattern.is_in(branch.name)]


@area.operation(
    "GET",
    f"{PATH}/:branch",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    view=BranchView,
    also=(204,),
    refusals=(400, 404),
)
def get_branch(ctx: ReadContext, project: Project, branch: str) -> Branch | RawBody:
    """Get a branch; HEAD answers 204 if it exists."""
    existing = branches.get_branch(ctx.world, project, branch)
    # HEAD is an existence check here, unlike the usual HEAD that mirrors GET.
    return RawBody(b"", "", status=204) if ctx.request is not None and ctx.request.method == "HEAD" else existing


class CreateBranch(Params):
    """A new branch, and the branch, tag or commit to start from."""

    branch: Annotated[str, NotBlank]
    ref: Annotated[str, NotBlank]


@area.operation(
    "POST",
    PATH,
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=CreateBranch,
    view=BranchView,
    refusals=(400, 403),
)
def create_branch(ctx: WriteContext, project: Project, p: CreateBranch) -> Branch:
    """Create a branch."""
    # The right to push is checked here, after the parameters, because the hook covers reading only.
    authorize(ctx, Ability.PUSH_CODE, project)
    return branches.create(ctx, project, p.branch, p.ref)


@area.operation(
    "DELETE",
    f"{PATH}/:branch",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    refusals=(400, 403, 404, 412),
)
def delete_branch(ctx: WriteContext, project: Project, branch: str) -> None:
    """Delete a branch."""
    authorize(ctx, Ability.PUSH_CODE, project)
    existing = branches.get_branch(ctx.world, project, branch)
    # Branches have no timestamp of their own; the header is compared with the author date of the head commit.
    commit = repositories.open_repository(ctx.world, project).objects.commit(existing.sha)
    ctx.check_unmodified_since(to_iso(commit.author.timestamp))
    branches.delete(ctx, project, existing)


@area.operation(
    "DELETE",
    "repository/merged_branches",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    status=202,
    refusals=(403,),
)
def delete_merged_branches(ctx: WriteContext, project: Project) -> dict[str, str]:
    """Delete all branches that are merged into the default branch, except protected ones."""
    authorize(ctx, Ability.PUSH_CODE, project)
    branches.delete_merged(ctx, project)
    return {"message": "202 Accepted"}


class ProtectBranchDeprecated(Params):
    """What Developers may do on the protected branch."""

    developers_can_push: bool | None = None
    developers_can_merge: bool | None = None


@area.operation(
    "PUT",
    f"{PATH}/:branch/protect",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=ProtectBranchDeprecated,
    view=BranchView,
    refusals=(400, 403, 404),
)
def protect_branch(ctx: WriteContext, project: Project, branch: str, p: ProtectBranchDeprecated) -> Branch:
    """Protect a branch (deprecated)."""
    authorize(ctx, Ability.ADMIN_PROTECTED, project)
    existing = branches.get_branch(ctx.world, project, branch)
    protection.protect_for_developers(
        ctx, project, existing.name, push=p.developers_can_push, merge=p.developers_can_merge
    )
    return existing


@area.operation(
    "PUT",
    f"{PATH}/:branch/unprotect",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    view=BranchView,
    refusals=(400, 403, 404),
)
def unprotect_branch(ctx: WriteContext, project: Project, branch: str) -> Branch:
    """Unprotect a branch (deprecated)."""
    authorize(ctx, Ability.ADMIN_PROTECTED, project)
    existing = branches.get_branch(ctx.world, project, branch)
    protection.unprotect_branch(ctx, project, existing.name)
    return existing
