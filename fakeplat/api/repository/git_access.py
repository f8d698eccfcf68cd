"""Authorization of git fetches and pushes over HTTP and SSH, and the messages for git's user.

Checked in this order: credentials, scopes, project, permission. Source: docs/platform/git-over-http.md.
"""

from functools import partial
from typing import Final

from fakeplat.core.operations.errors import (
    Forbidden,
    GitForbidden,
    GitNotFound,
    GitUnauthorized,
    GitUnprocessable,
    InvalidRecord,
    Reason,
    Refusal,
)
from fakeplat.domain import redirects, settings
from fakeplat.domain.ci import job_token_scope
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import deploy_keys, project_aliases, projects
from fakeplat.domain.repository import protection
from fakeplat.model.people import Group, Namespace, Token, User
from fakeplat.model.projects import Container, DeployKey, DeployToken, Project
from fakeplat.model.world import World
from fakeplat.policy import maintenance
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import (
    Decision,
    can,
    can_see,
    decide,
    decide_as_member,
    explain_hidden,
)
from fakeplat.policy.behaviours import GRANULAR_TOKENS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import refuse_git_password
from fakeplat.policy.features import has_feature
from fakeplat.policy.granular_scopes import Boundary, is_granular, list_missing
from fakeplat.policy.levels import ancestors_of, covers_project, is_archived

SUFFIX: Final = ".git"
_WIKI: Final = f".wiki{SUFFIX}"
_WIKI_ABILITIES: Final = {Ability.DOWNLOAD_CODE: Ability.DOWNLOAD_WIKI_CODE, Ability.PUSH_CODE: Ability.CREATE_WIKI}
_WIKI_NOT_WRITABLE: Final = "You are not allowed to write to this {}'s wiki."
_SCOPES: Final = {
    Ability.DOWNLOAD_CODE: frozenset({"api", "read_repository", "write_repository"}),
    Ability.PUSH_CODE: frozenset({"api", "write_repository"}),
}
_CODE_PERMISSIONS: Final = {Ability.DOWNLOAD_CODE: "Code: Download", Ability.PUSH_CODE: "Code: Push"}
_WIKI_PERMISSIONS: Final = {Ability.DOWNLOAD_CODE: "Wiki: Read", Ability.PUSH_CODE: "Wiki: Create"}
_OUT_OF_SCOPE: Final = {
    Ability.DOWNLOAD_CODE: "You are not allowed to download code.",
    Ability.PUSH_CODE: "You are not allowed to upload code.",
}
_NOT_ALLOWED: Final = {
    Ability.DOWNLOAD_CODE: "You are not allowed to download code from this project.",
    Ability.PUSH_CODE: "You are not allowed to push code to this project.",
}
_MAINTENANCE: Final = (
    "Git push is not allowed because this GitLab instance is currently in (read-only) maintenance mode."
)
_KEY_CANNOT_PUSH: Final = "This deploy key does not have write access to this project."
_UNCREATABLE: Final = "Could not create project"
_MOVED: Final = """Project '{old_path}' was moved to '{new_path}'.

Please update your Git remote:

  git remote set-url origin {url}.git
"""
_CREATED: Final = """
The private project {new_path} was successfully created.

To configure the remote, run:
  git remote add origin {url}.git

To view the project, visit:
  {url}

"""
_NOT_FOUND: Final = "The project you were looking for could not be found or you don't have permission to view it."


def authorize_git(ctx: ReadContext, path: str, ability: Ability) -> Project:
    """Return the project whose repository has a path (``acme/site.git``), if the caller may fetch from or push to it.

    401 for anonymous callers, if signing in could help; 403 for a token without the scope and for callers who see the
    project but lack the permission; 404 otherwise.
    """
    # Looked up first, but reported last: an unknown path must look like a hidden project.
    project = find_project(ctx.world, path)
    _check_maintenance(ctx, ability)
    if ctx.deploy_key is not None:
        return _authorize_deploy_key(ctx, ctx.deploy_key, path, project, ability)
    if ctx.viewer is not None or ctx.deploy_token is not None:
        _check_protocol(ctx, project if project is not None and can_see(ctx, project) else None)
    if ctx.deploy_token is not None:
        return _authorize_deploy_token(ctx, ctx.deploy_token, project, ability)
    # Git sends credentials only after a challenge, so anything that is not public is a 401, even an unknown path.
    if ctx.viewer is None:
        if project is not None and can(ctx, ability, project):
            _check_protocol(ctx, project)
            return project
        require_login(ctx)
    _check_scope(ctx, ability, project, _CODE_PERMISSIONS[ability])
    if project is None or not can_see(ctx, project):
        raise GitNotFound(_NOT_FOUND, reason=_hidden_reason(ctx, path, project))
    _authorize_job(ctx, project)
    ruling = _decide(ctx, ability, project)
    # Merge requests that allow collaboration let users push who are not members.
    if not ruling.allowed and not (ability is Ability.PUSH_CODE and protection.can_push_code(ctx, project)):
        raise GitForbidden(_NOT_ALLOWED[ability], reason=ruling.why)
    return project


def _check_protocol(ctx: ReadContext, project: Project | None = None) -> None:
    """Refuse the protocol that the instance or the top-level group does not enable. Jobs may always fetch."""
    is_job = ctx.token is not None and ctx.token.kind == "job"
    if is_job:
        return
    protocols = [ctx.world.settings.enabled_git_access_protocol]
    if project is not None:
        *_, root = ancestors_of(ctx.world, project)
        protocols += [root.enabled_git_access_protocol] if isinstance(root, Group) else []
    used, other = ("SSH", "http") if _is_over_ssh(ctx) else ("HTTP", "ssh")
    if other in protocols:
        raise GitForbidden(f"Git access over {used} is not allowed", reason=f"enabled_git_access_protocol is {other}")


def _is_over_ssh(ctx: ReadContext) -> bool:
    return ctx.request is not None and ctx.request.ssh_key is not None


def _check_maintenance(ctx: ReadContext, ability: Ability) -> None:
    # Git sends its credentials after a challenge only.
    if ability is Ability.PUSH_CODE and (ctx.viewer is not None or _is_over_ssh(ctx)) and maintenance.is_on(ctx.world):
        raise GitForbidden(_MAINTENANCE, reason="maintenance_mode is on")


def _authorize_job(ctx: ReadContext, project: Project) -> None:
    try:
        job_token_scope.authorize_job(ctx, project)
    except Forbidden as refusal:
        raise GitForbidden(refusal.text, reason=refusal.why) from None


def _authorize_deploy_token(ctx: ReadContext, token: DeployToken, project: Project | None, ability: Ability) -> Project:
    """Return the project, if a deploy token may fetch from it.

    Where a deploy token is not valid, the platform takes it for a wrong password.
    """
    if project is not None and not _is_open_to(ctx.world, token, project):
        raise refuse_git_password(ctx.world, f"the deploy token {token.name} is not valid here")
    if ability is not Ability.DOWNLOAD_CODE or "read_repository" not in token.scopes:
        reason = f"the deploy token has the scopes {' '.join(token.scopes)}; deploy tokens can only fetch"
        raise GitForbidden(_OUT_OF_SCOPE[ability], reason=reason)
    if project is None:
        raise GitNotFound(_NOT_FOUND, reason="no repository at this path")
    return project


def _authorize_deploy_key(
    ctx: ReadContext, key: DeployKey, path: str, project: Project | None, ability: Ability
) -> Project:
    """Return the project, if a deploy key is enabled there, for pushes with the right to write."""
    enabled = deploy_keys.find_in_project(ctx.world, project, key.id) if project is not None else None
    _check_protocol(ctx, project if enabled else None)
    if project is None or enabled is None:
        raise GitNotFound(_NOT_FOUND, reason=f"the deploy key {key.title!r} is not enabled in a project at {path}")
    if project.repository_access_level == "disabled":
        raise GitForbidden(_OUT_OF_SCOPE[ability], reason="the repository of the project is disabled")
    if ability is Ability.PUSH_CODE and not enabled.can_push:
        raise GitForbidden(_KEY_CANNOT_PUSH, reason=f"can_push of the deploy key {key.title!r} is false")
    if ability is Ability.PUSH_CODE and is_archived(ctx.world, project):
        raise GitForbidden(_NOT_ALLOWED[ability], reason="the project is archived")
    return project


def _is_open_to(world: World, token: DeployToken, project: Project) -> bool:
    return project.repository_access_level != "disabled" and covers_project(world, token, project)


def find_project(world: World, path: str) -> Project | None:
    """Return the project whose repository has, or once had, a path."""
    if not path.endswith(SUFFIX):
        return None
    plain = path.removesuffix(SUFFIX)
    if "/" not in plain:
        return project_aliases.find_project(world, plain)
    # A current path wins over a redirect from the same one.
    return namespaces.find_project_by_path(world, plain) or redirects.find_project(world, plain)


def find_wiki_container(world: World, path: str) -> Container | None:
    """Return the project or group whose wiki has a path (``acme/site.wiki.git``), unless a project has it itself."""
    # A project may itself have a path that ends in ``.wiki``.
    if not path.endswith(_WIKI) or find_project(world, path) is not None:
        return None
    container_path = path.removesuffix(_WIKI)
    project = find_project(world, container_path + SUFFIX)
    if project is not None:
        return project
    group = namespaces.find_by_path(world, container_path)
    return group if isinstance(group, Group) and has_feature(world, "premium", group) else None


def _is_known(world: World, path: str) -> bool:
    return find_project(world, path) is not None or find_wiki_container(world, path) is not None


def authorize_wiki(ctx: ReadContext, container: Container, ability: Ability) -> None:
    """Raise the refusal unless the caller may fetch from (`DOWNLOAD_CODE`) or push to the wiki of a container."""
    _check_maintenance(ctx, ability)
    needed, is_public = _WIKI_ABILITIES[ability], ctx.viewer is None and can(ctx, _WIKI_ABILITIES[ability], container)
    if is_public or ctx.viewer is not None or ctx.deploy_token is not None:
        _check_protocol(ctx)
    if is_public:
        return
    if ctx.deploy_token is not None:
        # Deploy tokens are made for code and packages.
        raise GitForbidden(_OUT_OF_SCOPE[ability], reason="deploy tokens cannot read or change wikis")
    if ctx.deploy_key is not None:
        raise GitNotFound(_NOT_FOUND, reason="deploy keys cannot read or change wikis")
    require_login(ctx)
    _check_scope(ctx, ability, container, _WIKI_PERMISSIONS[ability])
    if not can_see(ctx, container):
        raise GitNotFound(_NOT_FOUND, reason=partial(explain_hidden, ctx, container))
    ruling = _decide(ctx, needed, container)
    if not ruling.allowed:
        kind = "project" if isinstance(container, Project) else "group"
        text = _NOT_ALLOWED[ability] if ability is Ability.DOWNLOAD_CODE else _WIKI_NOT_WRITABLE.format(kind)
        raise GitForbidden(text, reason=ruling.why)


def namespace_to_create_in(ctx: ReadContext, path: str) -> tuple[Namespace, str] | None:
    """Return the namespace and path of the project that a push by the caller creates, or None.

    Raises 422 for an invalid project path.
    """
    user = None if ctx.deploy_key is not None else ctx.viewer
    parent_path, _, project_path = path.removesuffix(SUFFIX).rpartition("/")
    if user is None or not path.endswith(SUFFIX) or _is_known(ctx.world, path) or maintenance.is_on(ctx.world):
        return None
    namespace = namespaces.find_by_path(ctx.world, parent_path) if parent_path else None
    if namespace is None or not (ctx.token is None or _has_scope(ctx.token, Ability.PUSH_CODE)):
        return None
    # None leads to the ordinary 404, which does not reveal whether the namespace exists.
    if not can(ctx, Ability.CREATE_PROJECTS, namespace) or projects.is_limit_reached(ctx.world, namespace, user):
        return None
    try:
        projects.list_creation_errors(ctx, namespace, project_path).refuse()
    except InvalidRecord as faulty:
        raise GitUnprocessable(
            f"{_UNCREATABLE}: {faulty.sentence()}", reason=f"{path} is not a valid project path"
        ) from None
    return namespace, project_path


def create_on_push(ctx: WriteContext, creator: User, location: tuple[Namespace, str]) -> Project:
    """Create the private project for a push to a new path; the message for its creator follows with the push."""
    namespace, path = location
    defaults = settings.new_project_fields(ctx.world.settings)
    project = projects.create(ctx, namespace, creator, **defaults, path=path, visibility="private")
    return ctx.world.projects.change(project, pushed_into_being_by=creator.id)


def messages_on_push(ctx: WriteContext, path: str, project: Project) -> list[str]:
    """Return the messages after a push: that it created the project, or that the project has moved."""
    new_path = namespaces.project_path(ctx.world, project)
    url = f"{ctx.origin}/{new_path}"
    messages, old_path = [], path.removesuffix(SUFFIX)
    # Paths are found in any case; only a renamed or moved project is worth a message.
    if old_path.lower() != new_path.lower():
        messages.append(_MOVED.format(old_path=old_path, new_path=new_path, url=url))
    if ctx.user is not None and project.pushed_into_being_by == ctx.user.id:
        ctx.world.projects.change(ctx.world.projects[project.id], pushed_into_being_by=None)
        messages.append(_CREATED.format(new_path=new_path, url=url))
    return messages


def _check_scope(ctx: ReadContext, ability: Ability, container: Container | None, permission: str) -> None:
    """Refuse a token without the scope, and a fine-grained one without the permission in a project or group."""
    if ctx.token is not None and is_granular(ctx.token) and ctx.profile.has(GRANULAR_TOKENS):
        boundaries = [] if container is None else [Boundary.of(container)]
        if any(list_missing(ctx, ctx.token, boundary, [permission]) for boundary in boundaries):
            raise GitForbidden(_OUT_OF_SCOPE[ability], reason=f"the fine-grained token lacks {permission}")
    elif ctx.token is not None and not _has_scope(ctx.token, ability):
        raise GitForbidden(_OUT_OF_SCOPE[ability], reason=_missing_scope_reason(ctx.token, ability))


def _decide(ctx: ReadContext, ability: Ability, project: Container) -> Decision:
    """Decide by the caller's level; a job token of an administrator has only the rights of a member."""
    is_job = ctx.token is not None and ctx.token.kind == "job"
    return decide_as_member(ctx, ability, project) if is_job else decide(ctx, ability, project)


def require_login(ctx: ReadContext) -> None:
    """Refuse anonymous callers with the challenge that makes git ask for a name and password."""
    if ctx.viewer is None:
        raise login_challenge(ctx)


def login_challenge(ctx: ReadContext) -> Refusal:
    """Return the challenge that makes git ask for a name and password."""
    return GitUnauthorized(ctx.instance.product_name, reason="not signed in; git will send username and password")


def _has_scope(token: Token, ability: Ability) -> bool:
    """Return whether a token's scopes allow an ability; a job token allows only reading."""
    return ability is Ability.DOWNLOAD_CODE if token.kind == "job" else not _SCOPES[ability].isdisjoint(token.scopes)


def _missing_scope_reason(token: Token, ability: Ability) -> str:
    has, needs = " ".join(token.scopes) or "none", " or ".join(sorted(_SCOPES[ability]))
    return f"the {token.kind} token has the scopes {has}; this request needs {needs}"


def _hidden_reason(ctx: ReadContext, path: str, project: Project | None) -> Reason:
    if project is not None:
        return partial(explain_hidden, ctx, project)
    return f"no repository at {path}"
