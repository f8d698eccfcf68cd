"""Who may use the package registries: projects and groups for users, job tokens and deploy tokens.

Source: docs/platform/packages.md.
"""

from functools import partial
from typing import Final

from fakeplat.api import missing, scopes
from fakeplat.core.operations.errors import Forbidden, NotFound, PasswordRequired, Reason, Refusal, Unauthorized
from fakeplat.core.operations.scope import NO_SCOPE, Scope, Segment
from fakeplat.core.release import ALWAYS, Behaviour, Lifetime
from fakeplat.domain.ci import job_token_scope
from fakeplat.domain.packages import packages
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision, authorize, can, can_see, decide, explain_hidden
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import parse_basic
from fakeplat.policy.levels import covers_namespace, covers_project


def sees_project(ctx: ReadContext, project: Project) -> bool:
    """Return whether the caller, who may be a deploy token, sees a project."""
    token = ctx.deploy_token
    return (
        can_see(ctx, project)
        or (token is not None and covers_project(ctx.world, token, project))
        or _may_be_pulled_by_anybody(ctx, project)
    )


def _may_be_pulled_by_anybody(ctx: ReadContext, project: Project) -> bool:
    """Return whether a request reads, and the packages of a project are public although it may not be."""
    return (
        not isinstance(ctx, WriteContext)
        and project.packages_enabled
        and project.package_registry_access_level == "public"
        and ctx.world.settings.package_registry_allow_anyone_to_pull_option
    )


def get_project(ctx: ReadContext, reference: str) -> Project:
    """Return the project that the caller sees, or 404; 403 for a deploy token of another project."""
    if ctx.deploy_token is None:
        found = namespaces.find_project(ctx.world, reference)
        if found is None or can_see(ctx, found) or not _may_be_pulled_by_anybody(ctx, found):
            return scopes.get_project(ctx, reference)
        job_token_scope.authorize_job(ctx, found)
        return found
    project = get_any_project(ctx, reference, "Project")
    if not sees_project(ctx, project):
        raise Forbidden(reason=f"the deploy token {ctx.deploy_token.name} belongs to another project")
    return project


def get_any_project(ctx: ReadContext, reference: str, resource: str = "") -> Project:
    """Return the project, whether or not the caller sees it, or 404, which names the resource."""
    project = namespaces.find_project(ctx.world, reference)
    if project is None:
        raise NotFound(resource, reason=missing.project(ctx, reference))
    return project


def get_any_group(ctx: ReadContext, reference: str) -> Group:
    """Return the group, whether or not the caller sees it, or 404."""
    group = namespaces.find_group(ctx.world, reference)
    if group is None:
        raise NotFound(reason=missing.group(ctx, reference))
    return group


def get_group_of_packages(ctx: ReadContext, reference: str, *, has_public_registries: bool = False) -> Group:
    """Return the group that the caller, who may be a deploy token, sees, or 404.

    ``has_public_registries``: the registry is open to all if that of a project of the group is.
    """
    group = namespaces.find_group(ctx.world, reference)
    if group is not None and _sees_group(ctx, group, has_public_registries=has_public_registries):
        return group
    return scopes.get_group(ctx, reference)


def get_group_or_challenge(ctx: ReadContext, reference: str, *, has_public_registries: bool = False) -> Group:
    """Return the group that the caller sees; else 401 with a challenge for anonymous callers, 404 for others."""
    try:
        return get_group_of_packages(ctx, reference, has_public_registries=has_public_registries)
    except NotFound as refusal:
        require_password(ctx)
        # Unlike elsewhere, the platform does not say that it is a group.
        raise NotFound(reason=refusal.why) from None


def _sees_group(ctx: ReadContext, group: Group, *, has_public_registries: bool) -> bool:
    token = ctx.deploy_token
    return (
        can_see(ctx, group)
        or (token is not None and covers_namespace(ctx.world, token, group.id))
        or (has_public_registries and _has_public_registry(ctx, group))
    )


def _has_public_registry(ctx: ReadContext, group: Group) -> bool:
    return any(_may_be_pulled_by_anybody(ctx, project) for project in packages.list_projects(ctx.world, group))


def _get_named_project(ctx: ReadContext, reference: str) -> Project:
    return get_any_project(ctx, reference, "Project")


REGISTRY_PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=get_project, word="project")
ANY_PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_named_project, word="project")
"""A project that the caller may not see: the operation checks that where it matters (`authorize_seen`)."""
REGISTRY_GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=get_group_of_packages, word="group")


def ask_visitors_to_login(ctx: ReadContext, project: Project | None, lifetime: Lifetime = ALWAYS) -> None:
    """Raise 401 in these releases for anonymous callers if a project exists that they do not see."""
    if project is None or not is_anonymous(ctx) or not ctx.profile.has(lifetime):
        return
    if not sees_project(ctx, project):
        raise Unauthorized(reason=partial(explain_hidden, ctx, project))


def challenge_visitors(ctx: ReadContext, reference: str, ability: Ability, lifetime: Lifetime) -> None:
    """Raise 401 with a challenge in these releases for anonymous callers who lack an ability in a project."""
    if is_anonymous(ctx) and ctx.profile.has(lifetime):
        authorize_or_challenge(ctx, reference, ability)


def is_anonymous(ctx: ReadContext) -> bool:
    """Return whether a request has neither a user nor a deploy token."""
    return ctx.viewer is None and ctx.deploy_token is None


def build_visitor_scope(lifetime: Lifetime = ALWAYS) -> Scope:
    """Return the scope of projects that the caller sees; in these releases, closed ones are 401 for visitors."""

    def locate(ctx: ReadContext, reference: str) -> Project:
        ask_visitors_to_login(ctx, namespaces.find_project(ctx.world, reference), lifetime)
        return get_project(ctx, reference)

    return NO_SCOPE / Segment("projects/:id", locate=locate, word="project")


def build_challenged_scope(behaviour: Behaviour, ability: Ability) -> Scope:
    """Return the scope of projects; from a release on, of those for which the caller has an ability.

    Visitors get a challenge then.
    """

    def locate(ctx: ReadContext, reference: str) -> Project:
        is_challenged = ctx.profile.has(behaviour)
        return authorize_or_challenge(ctx, reference, ability) if is_challenged else get_project(ctx, reference)

    return NO_SCOPE / Segment("projects/:id", locate=locate, word="project")


def build_challenged_group_scope(
    behaviour: Behaviour, segment: str = "groups/:id", *, has_public_registries: bool = False
) -> Scope:
    """Return the scope of groups that the caller sees; from a release on, visitors of others get a challenge.

    ``has_public_registries``: a group is open to all if the registry of one of its projects is.
    """

    def locate(ctx: ReadContext, reference: str) -> Group:
        locate_group = get_group_or_challenge if ctx.profile.has(behaviour) else get_group_of_packages
        return locate_group(ctx, reference, has_public_registries=has_public_registries)

    return NO_SCOPE / Segment(segment, locate=locate, word="group")


def authorize_found(ctx: ReadContext, ability: Ability, project: Project) -> None:
    """Refuse unless the caller has an ability in a project that was found by the name of a package.

    404 or 403; 403 also for a job that may not access the project with its token.
    """
    authorize(ctx, ability, project)
    job_token_scope.authorize_job(ctx, project)


def authorize_seen(ctx: ReadContext, ability: Ability, project: Project) -> None:
    """Refuse unless the caller has an ability in a project: 404 if they do not see it, else 403."""
    if not sees_project(ctx, project):
        raise NotFound("Project", reason=partial(explain_hidden, ctx, project))
    authorize_found(ctx, ability, project)


def authorize_or_challenge(ctx: ReadContext, reference: str, ability: Ability, resource: str = "") -> Project:
    """Return the project for which the caller has an ability.

    401 with a challenge for anonymous callers, even if there is no such project; else 404 or 403.
    ``resource``: what the 404 names.
    """
    project = namespaces.find_project(ctx.world, reference)
    decision = decide(ctx, ability, project) if project is not None and sees_project(ctx, project) else None
    if project is not None and decision is not None:
        job_token_scope.authorize_job(ctx, project)
        if decision.allowed:
            return project
    if is_anonymous(ctx):
        raise PasswordRequired(_realm(ctx), reason="not signed in; the client will send a name and a password")
    if decision is None:
        hidden = partial(explain_hidden, ctx, project) if project is not None else missing.project(ctx, reference)
        raise NotFound(resource, reason=hidden)
    raise Forbidden(reason=decision.why)


def authorize_group_or_challenge(ctx: ReadContext, reference: str) -> Group:
    """Return the group in which the caller may read packages.

    404 for an unknown group; else 401 with a challenge for anonymous callers, 404 or 403.
    """
    group, token = get_any_group(ctx, reference), ctx.deploy_token
    if token is not None and covers_namespace(ctx.world, token, group.id):
        decision: Decision | None = Decision("read_package_registry" in token.scopes, "the deploy token may not read")
    else:
        decision = decide(ctx, Ability.READ_PACKAGE, group) if can_see(ctx, group) else None
    if decision is not None and decision.allowed:
        return group
    if ctx.viewer is None and token is None:
        raise PasswordRequired(_realm(ctx), reason="not signed in; the client will send a name and a password")
    if decision is None:
        raise NotFound(reason=partial(explain_hidden, ctx, group))
    raise Forbidden(reason=decision.why)


def list_readable_projects(ctx: ReadContext, group: Group) -> list[Project]:
    """Return the projects of a group, and of its subgroups, whose packages the caller may read."""
    projects = packages.list_projects(ctx.world, group)
    return [project for project in projects if can(ctx, Ability.READ_PACKAGE, project)]


def challenged_scope(
    ability: Ability, *, strict: bool = False, known: bool = False, resource: str = "", lifetime: Lifetime = ALWAYS
) -> Scope:
    """Return the scope of the projects for which the caller has an ability; anonymous callers get a challenge.

    ``strict``: a wrong password is refused, even where none is needed.
    ``known``: a project that is unknown is not found, whoever asks.
    ``resource``: what a 404 names.
    ``lifetime``: the releases that ask for the ability; in others nobody needs one.
    """

    def locate(ctx: ReadContext, reference: str) -> Project:
        if not ctx.profile.has(lifetime):
            return get_any_project(ctx, reference, resource)
        if strict:
            refuse_wrong_password(ctx)
        if known:
            get_any_project(ctx, reference)
        return authorize_or_challenge(ctx, reference, ability, resource)

    return NO_SCOPE / Segment("projects/:id", locate=locate, word="project")


def build_refusal(ctx: ReadContext, reason: Reason) -> Refusal:
    """Return 403, for anonymous callers 401 with a challenge."""
    if is_anonymous(ctx):
        return PasswordRequired(_realm(ctx), reason=reason)
    return Forbidden(reason=reason)


def refuse_wrong_password(ctx: ReadContext) -> None:
    """Raise 401 with a challenge for a name and a password that belong to nobody."""
    if ctx.request is not None and parse_basic(ctx.request.headers.get("authorization")) is not None:
        require_password(ctx)


def require_password(ctx: ReadContext) -> None:
    """Raise 401 with a challenge for anonymous callers."""
    if is_anonymous(ctx):
        raise PasswordRequired(_realm(ctx), reason="the password is missing, or it is no token of this world")


def _realm(ctx: ReadContext) -> str:
    return f"{ctx.instance.product_name} Packages Registry"
