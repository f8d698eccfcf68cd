"""Creation of commits from file actions. Source: docs/platform/commits.md ('Create')."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NoReturn

from fakeplat.core.operations.errors import BadRequest, Forbidden, Unauthorized
from fakeplat.core.operations.reasons import list_names
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people import namespace_commit_emails
from fakeplat.domain.repository import change_checks, commits, protection, repositories, size_limits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, decide
from fakeplat.policy.behaviours import PUSHES_NEED_LOGIN
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git
    from fakeplat.git.tree_editing import Action as GitAction

NO_PUSH: Final = "You are not allowed to push into this branch"
FILE_EXISTS: Final = "A file with this name already exists"
FILE_IS_MISSING: Final = "A file with this name doesn't exist"
DIRECTORY_EXISTS: Final = "A directory with this name already exists"
TRAVERSAL: Final = "Path cannot include directory traversal"
NO_PATH: Final = "You must provide a file path"
NO_BRANCH: Final = "You can only create or edit files when you are on a branch"


@frozen
class Action:
    """A change of one file. ``last_commit_id``: the file's newest commit known to the client."""

    action: Literal["create", "update", "move", "delete", "chmod"]
    path: str
    content: bytes | None = None
    previous_path: str = ""
    executable: bool = False
    last_commit_id: str = ""

    @property
    def known_path(self) -> str:
        """Return the path of the file before the action."""
        return self.previous_path or self.path


@frozen
class NewCommit:
    """A commit to create on a branch.

    Its parent is the head of the branch, or ``start_branch`` (of ``start_project``, if given), or ``start_sha``.
    ``force``: an existing branch may be moved to another start.
    """

    branch: str
    message: str
    actions: Sequence[Action]
    start_branch: str | None = None
    start_sha: str | None = None
    start_project: Project | None = None
    force: bool = False
    author_name: str | None = None
    author_email: str | None = None

    def starts_elsewhere(self, project: Project) -> bool:
        """Return whether the parent is not the head of the branch itself."""
        from_elsewhere = self.start_project is not None and self.start_project.id != project.id
        return bool(self.start_sha) or from_elsewhere or (self.start_branch or self.branch) != self.branch


def authorize_push(ctx: ReadContext, project: Project, branch: str) -> None:
    """Raise 403 if the caller may not push to a branch; later releases raise 401 for anonymous callers."""
    if ctx.viewer is None and ctx.profile.has(PUSHES_NEED_LOGIN):
        raise Unauthorized(reason=f"pushing to {branch!r} needs a login")
    if not protection.can_push(ctx, project, branch):
        raise Forbidden(NO_PUSH, reason=partial(explain_push_objection, ctx, project, branch))


def explain_push_objection(ctx: ReadContext, project: Project, branch: str) -> str:
    """Explain why the caller may not push to a branch."""
    ruling = decide(ctx, Ability.PUSH_CODE, project)
    if not ruling.allowed:
        return ruling.reason
    rules = protection.list_branch_rules(ctx.world, project, branch)
    # Leaves out entries for users and groups (None), and ``No one`` (0).
    levels = [access.level for rule in rules for access in rule.push if access.level]
    needs = (
        f"needs {_describe_level(min(levels))} on {describe(ctx.world, project)}"
        if levels
        else "is granted to no level"
    )
    level = protection.counted_level(ctx, project)
    has = f"{caller_name(ctx)} {f'has {_describe_level(level)}' if level else 'is no member'}"
    return f"pushing to {branch!r}, which {rules[0].name!r} protects, {needs}; {has}"


def _describe_level(level: int) -> str:
    return "an administrator" if level == protection.ADMINISTRATORS else f"{Level(level).name.title()} ({level})"


def commit(ctx: WriteContext, project: Project, new: NewCommit) -> ProjectCommit:
    """Create the commit and move the branch; 400 with the platform's text if that is not possible."""
    # The order decides which of several errors is reported: the start, the branch, the known commits, the actions.
    parent = _find_parent(ctx, project, new)
    _check_branch(ctx, project, new)
    size_limits.check_commits(ctx, project)
    _check_known_commits(ctx, new.start_project or project, new, parent)
    objects = repositories.open_repository(ctx.world, project).objects
    sha = _write_commit(ctx, project, new, parent)
    change_checks.check_commit(ctx, project, new.branch, sha)
    repositories.move_refs(ctx, project, {BRANCHES + new.branch: sha}, ctx.user)
    return ProjectCommit(project, objects.commit(sha))


def _find_parent(ctx: WriteContext, project: Project, new: NewCommit) -> str | None:
    """Return the parent of the commit; None in an empty repository."""
    source = new.start_project or project
    git = repositories.open_repository(ctx.world, source)
    if new.start_sha:
        return _resolve_start_sha(ctx, source, new.start_sha)
    start = new.start_branch or new.branch
    # The first commit of an empty repository has no parent, whatever start is named.
    if not git.has_branches:
        return None
    if BRANCHES + start not in git.refs:
        raise BadRequest(NO_BRANCH, reason=partial(_missing_branch_reason, ctx.world, source, start))
    return git.refs[BRANCHES + start]


def _missing_branch_reason(world: World, project: Project, name: str) -> str:
    git = repositories.open_repository(world, project)
    is_tag = f": {name!r} is a tag" if TAGS + name in git.refs else ""
    branch_names = list_names([*git.branches()])
    return f"{describe(world, project)} has no branch {name!r}{is_tag}; its branches are: {branch_names}"


def _resolve_start_sha(ctx: WriteContext, source: Project, sha: str) -> str:
    if not re.fullmatch("[0-9a-f]{40}", sha):
        raise BadRequest(f"Invalid start_sha '{sha}'", reason="it is not 40 hexadecimal digits")
    commit = commits.find_commit(ctx.world, source, sha)
    if commit is None:
        raise BadRequest(
            f"Cannot find start_sha '{sha}'", reason=partial(commits.no_commit_reason, ctx.world, source, sha)
        )
    return commit.commit.sha


def _check_branch(ctx: WriteContext, project: Project, new: NewCommit) -> None:
    """Check that an existing branch is the start (or ``force`` is set), and that a new one has a valid name."""
    from fakeplat.git.name_checks import find_conflicting_ref

    git = repositories.open_repository(ctx.world, project)
    if BRANCHES + new.branch in git.refs:
        if new.starts_elsewhere(project) and not new.force:
            text = f"A branch called '{new.branch}' already exists. Switch to that branch in order to make changes"
            raise BadRequest(text, reason="set force to move the branch")
        return
    if not _is_valid_name(new.branch) or find_conflicting_ref(BRANCHES + new.branch, git.refs):
        text = f"Something went wrong when we tried to create '{new.branch}' for you: Branch name is invalid"
        raise BadRequest(text, reason=f"{new.branch!r} is not a valid name, or conflicts with another branch")


def _is_valid_name(branch: str) -> bool:
    from fakeplat.git.errors import BadName
    from fakeplat.git.name_checks import check_branch

    try:
        check_branch(branch)
    except BadName:
        return False
    return True


def _check_known_commits(ctx: WriteContext, source: Project, new: NewCommit, parent: str | None) -> None:
    git = repositories.open_repository(ctx.world, source)
    for action in new.actions:
        if has_changed(git, parent, action.known_path, action.last_commit_id):
            text = f"The file has changed since you started editing it: {action.known_path}"
            raise BadRequest(text, reason=f"its last commit is not {action.last_commit_id}")


def has_changed(git: "Git", revision: str | None, path: str, known: str) -> bool:
    """Return whether the newest commit of a file differs from the one known to a client (empty: not checked)."""
    # A file that does not exist yet has no commit, so nothing can have changed.
    last = git.last_commit(revision, path) if revision and known else None
    return last is not None and last.sha != known


def _write_commit(ctx: WriteContext, project: Project, new: NewCommit, parent: str | None) -> str:
    from fakeplat.git import errors
    from fakeplat.git.writing import commit_actions

    user = ctx.signed_in_user
    # The author may be named in the request; the committer is always the caller.
    own = namespace_commit_emails.find_address(ctx.world, user, project)
    author = git_person(ctx, user, name=new.author_name, email=new.author_email or own)
    objects = repositories.open_repository(ctx.world, project).objects
    # EmptyPath and Traversal are kinds of BadPath with texts of their own, so they are caught before it.
    try:
        return commit_actions(objects, parent, _to_git_actions(new.actions), new.message, author, git_person(ctx, user))
    except errors.FileExists as error:
        _refuse(FILE_EXISTS, error)
    except errors.FileMissing as error:
        _refuse(FILE_IS_MISSING, error)
    except errors.DirectoryExists as error:
        _refuse(DIRECTORY_EXISTS, error)
    except errors.EmptyPath as error:
        _refuse(NO_PATH, error)
    except errors.Traversal as error:
        _refuse(TRAVERSAL, error)
    except errors.BadPath as error:
        _refuse(f"invalid path: '{error}'", error)


def _refuse(text: str, error: Exception) -> NoReturn:
    raise BadRequest(text, reason=f"path {str(error)!r}") from error


def _to_git_actions(actions: Sequence[Action]) -> "Iterator[GitAction]":
    from fakeplat.git.tree_editing import Chmod, Create, Delete, Move, Update

    for action in actions:
        match action.action:
            case "create":
                yield Create(action.path, action.content or b"")
            case "update":
                yield Update(action.path, action.content or b"")
            case "move":
                yield Move(action.previous_path, action.path, action.content)
            case "delete":
                yield Delete(action.path)
            case "chmod":
                yield Chmod(action.path, action.executable)
