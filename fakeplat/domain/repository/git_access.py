"""Who may fetch from a repository and push to it with git, and what git's user is told otherwise.

Looked at in this order: credentials, scopes, project, right. Source: docs/platform/git-over-http.md.
"""

from functools import partial
from typing import Final

from fakeplat.core.operations.errors import (
    GitForbidden,
    GitNotFound,
    GitUncreatable,
    InvalidRecord,
    Reason,
    Refusal,
    SignInToGit,
)
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import projects, redirects
from fakeplat.domain.repository import protection
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.users import Token, User
from fakeplat.model.world import World
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import Ruling, can, feature_open, hidden, rule, rule_as_member, sees

SUFFIX: Final = ".git"
_WIKI: Final = f".wiki{SUFFIX}"
_NO_REPOSITORY: Final = "A repository for this project does not exist yet."
_SCOPES: Final = {
    May.DOWNLOAD_CODE: frozenset({"api", "read_repository", "write_repository"}),
    May.PUSH_CODE: frozenset({"api", "write_repository"}),
}
_OUT_OF_SCOPE: Final = {
    May.DOWNLOAD_CODE: "You are not allowed to download code.",
    May.PUSH_CODE: "You are not allowed to upload code.",
}
_NOT_ALLOWED: Final = {
    May.DOWNLOAD_CODE: "You are not allowed to download code from this project.",
    May.PUSH_CODE: "You are not allowed to push code to this project.",
}
_UNCREATABLE: Final = "Could not create project"
_MOVED: Final = """Project '{before}' was moved to '{now}'.

Please update your Git remote:

  git remote set-url origin {url}.git
"""
_CREATED: Final = """
The private project {now} was successfully created.

To configure the remote, run:
  git remote add origin {url}.git

To view the project, visit:
  {url}

"""
_NOT_FOUND: Final = "The project you were looking for could not be found or you don't have permission to view it."


def admitted(cx: Context, path: str, may: May) -> Project:
    """The project whose repository has a path (``acme/site.git``), if the caller may fetch from it or push to it.

    401 for nobody, where somebody might; 403 for a token whose scopes do not reach and for whoever sees the project but
    may not; 404 for all others.
    """
    project = project_at(cx.world, path)
    wiki_of = project_of_wiki(cx.world, path)
    if wiki_of is not None:
        raise _no_wiki(cx, wiki_of, may)
    if cx.user is None:
        if project is not None and can(cx, may, project):
            return project
        demand_login(cx)
    if cx.token is not None and not _reaches(cx.token, may):
        raise GitForbidden(_OUT_OF_SCOPE[may], reason=_too_narrow(cx.token, may))
    if project is None or not sees(cx, project):
        raise GitNotFound(_NOT_FOUND, reason=_unseen(cx, path, project))
    ruling = _rule(cx, may, project)
    if not ruling.allowed and not (may is May.PUSH_CODE and protection.may_push_code(cx, project)):
        raise GitForbidden(_NOT_ALLOWED[may], reason=ruling.why)
    return project


def project_at(world: World, path: str) -> Project | None:
    """Return the project whose repository has a path, or had it before."""
    if not path.endswith(SUFFIX):
        return None
    plain = path.removesuffix(SUFFIX)
    return namespaces.project_at(world, plain) or redirects.project_at(world, plain)


def project_of_wiki(world: World, path: str) -> Project | None:
    """Return the project whose wiki has a path (``acme/site.wiki.git``), unless a project itself is there."""
    if not path.endswith(_WIKI) or project_at(world, path) is not None:
        return None
    return project_at(world, path.removesuffix(_WIKI) + SUFFIX)


def _is_known(world: World, path: str) -> bool:
    return project_at(world, path) is not None or project_of_wiki(world, path) is not None


def _no_wiki(cx: Context, project: Project, may: May) -> Refusal:
    """Return the refusal of whoever asks for a project's wiki: the repositories of wikis are not built."""
    visible = sees(cx, project) and feature_open(cx, project, "wiki")
    if cx.user is None and not (visible and may is May.DOWNLOAD_CODE):
        return sign_in(cx)
    if cx.token is not None and not _reaches(cx.token, may):
        return GitForbidden(_OUT_OF_SCOPE[may], reason=_too_narrow(cx.token, may))
    if not sees(cx, project):
        return GitNotFound(_NOT_FOUND, reason=partial(hidden, cx, project))
    return GitNotFound(_NO_REPOSITORY, reason="the repositories of wikis are not built")


def place_to_create(cx: Context, path: str) -> tuple[Namespace, str] | None:
    """Return the namespace and the path of the project that a push of the caller creates; None where it does not.

    422 for a path that no project can have.
    """
    user, (above, _, own) = cx.user, path.removesuffix(SUFFIX).rpartition("/")
    if user is None or not path.endswith(SUFFIX) or _is_known(cx.world, path):
        return None
    namespace = namespaces.at_path(cx.world, above) if above else None
    if namespace is None or not (cx.token is None or _reaches(cx.token, May.PUSH_CODE)):
        return None
    if not can(cx, May.CREATE_PROJECTS, namespace) or projects.is_limit_reached(cx.world, namespace, user):
        return None
    try:
        projects.creation_faults(cx, namespace, own).refuse()
    except InvalidRecord as faulty:
        raise GitUncreatable(f"{_UNCREATABLE}: {faulty.sentence()}", reason=f"no project can be at {path}") from None
    return namespace, own


def create_on_push(cx: Doing, creator: User, place: tuple[Namespace, str]) -> Project:
    """Create the private project that somebody pushes to; its creator is told so with the push."""
    namespace, path = place
    project = projects.create(cx, namespace, creator, path=path, visibility="private")
    return cx.world.projects.change(project, pushed_into_being_by=creator.id)


def messages_on_push(cx: Doing, path: str, project: Project) -> list[str]:
    """Return what is said behind a push: that the project was created by it, or is at another path now."""
    now = namespaces.project_path(cx.world, project)
    url = f"{cx.origin}/{now}"
    messages, before = [], path.removesuffix(SUFFIX)
    if before.lower() != now.lower():
        messages.append(_MOVED.format(before=before, now=now, url=url))
    if cx.user is not None and project.pushed_into_being_by == cx.user.id:
        cx.world.projects.change(cx.world.projects[project.id], pushed_into_being_by=None)
        messages.append(_CREATED.format(now=now, url=url))
    return messages


def _rule(cx: Context, may: May, project: Project) -> Ruling:
    """Decide by the caller's level; the token of an administrator's job reaches only what a member's would."""
    is_job = cx.token is not None and cx.token.kind == "job"
    return rule_as_member(cx, may, project) if is_job else rule(cx, may, project)


def demand_login(cx: Context) -> None:
    """Refuse anonymous callers with the challenge that makes git ask for a name and password."""
    if cx.user is None:
        raise sign_in(cx)


def sign_in(cx: Context) -> Refusal:
    """Return the challenge that makes git ask for a name and password."""
    return SignInToGit(cx.instance.product_name, reason="nobody is signed in; git sends name and password")


def _reaches(token: Token, may: May) -> bool:
    """Whether a token is enough; a job's only reads."""
    return may is May.DOWNLOAD_CODE if token.kind == "job" else not _SCOPES[may].isdisjoint(token.scopes)


def _too_narrow(token: Token, may: May) -> str:
    has, needs = " ".join(token.scopes) or "none", " or ".join(sorted(_SCOPES[may]))
    return f"the {token.kind} token has the scopes {has}; this asks for {needs}"


def _unseen(cx: Context, path: str, project: Project | None) -> Reason:
    if project is not None:
        return partial(hidden, cx, project)
    return f"there is no repository {path}"
