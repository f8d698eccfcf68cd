"""Enforcement of push rules, on pushes with git and on commits of the API.

The checks stop at the first objection, in the platform's order: the name of the ref, the commits, the size of files,
the names of files.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.core.regexps import compile_regexp
from fakeplat.domain.people import users
from fakeplat.domain.repository import push_rules
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS, PushRule
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

if TYPE_CHECKING:
    from fakeplat.git.diffs import FileDiff
    from fakeplat.git.objects import Objects
    from fakeplat.git.records import Commit

_MEBIBYTE: Final = 1024 * 1024
_SSH_KEY_KINDS: Final = ("rsa", "dsa", "ed25519", "ecdsa", "ecdsa_sk", "ed25519_sk")
# The texts are shown in the platform's messages.
_SECRETS: Final = (
    r"aws\/credentials$",
    r"(ssh|config)\/(personal|server)_(rsa|dsa|ed25519|ecdsa|ecdsa_sk|ed25519_sk)",
    *(f"id_{kind}$" for kind in _SSH_KEY_KINDS),
    r"\.(pem|key)$",
    "[._]history$",
)
_SIGNATURE: Final = b"\ngpgsig "
_SIGN_OFF: Final = re.compile(r"Signed-off-by:.+<.+@.+>", re.IGNORECASE)
_NO_SIGN_OFF: Final = "Commit message must contain a DCO signoff"
_WRONG_NAME: Final = "Your git username is inconsistent with GitLab account name"


class RefChange(NamedTuple):
    """A change of a ref: its full name, its new hash (None: it is deleted), and where the objects are.

    ``known`` are the hashes of all refs before: what they reach is not new. ``by_git`` is false for the API.
    """

    name: str
    new: str | None
    objects: "Objects"
    known: Collection[str]
    by_git: bool


def explain_push_objection(ctx: WriteContext, project: Project, change: RefChange) -> str:
    """Return the objection of a project's push rule to a pushed ref; empty if there is none."""
    rule = _find_active_rule(ctx.world, project)
    return "" if rule is None else _explain_objection(ctx, project, rule, change)


def explain_merge_objection(ctx: WriteContext, project: Project, message: str, by: User) -> str:
    """Return the objection of a project's push rule to the commit of a merge; empty if there is none."""
    rule = _find_active_rule(ctx.world, project)
    if rule is None:
        return ""
    objection = _explain_message_objection(rule, message)
    if not objection and _matches(rule.author_email_regex, by.email):
        return "" if _is_signed_off(rule, message) else _NO_SIGN_OFF
    return objection or f"Commit author's email '{by.email}' does not follow the pattern '{rule.author_email_regex}'"


def _find_active_rule(world: World, project: Project) -> PushRule | None:
    rule = push_rules.find_rule(world, project)
    return rule if rule is not None and has_feature(world, "premium", project) else None


def _explain_objection(ctx: WriteContext, project: Project, rule: PushRule, change: RefChange) -> str:
    if change.name.startswith(TAGS):
        # The API may delete tags.
        is_denied = rule.deny_delete_tag and change.new is None and change.by_git
        objection = "You cannot delete a tag" if is_denied else ""
    else:
        objection = _explain_branch_objection(project, rule, change)
    if objection or change.new is None:
        return objection
    commits = list_new_commits(change)
    is_branch = change.name.startswith(BRANCHES)
    objections = (
        *((_explain_commit_objection(ctx, rule, change, commit) for commit in commits) if is_branch else ()),
        *_find_file_objections(rule, change, commits),
    )
    return next(filter(None, objections), "")


def _explain_branch_objection(project: Project, rule: PushRule, change: RefChange) -> str:
    branch = change.name.removeprefix(BRANCHES)
    # Branches that exist can be deleted, and the default branch keeps its name.
    if change.new is None or branch == project.default_branch or _matches(rule.branch_name_regex, branch):
        return ""
    return f"Branch name does not follow the pattern '{rule.branch_name_regex}'"


def list_new_commits(change: RefChange) -> "list[Commit]":
    """Return the commits that no ref reached before, newest first."""
    from fakeplat.git.reachability import peel_to_commits
    from fakeplat.git.walk import Selection, walk_by_date

    new, known = (peel_to_commits(change.objects, shas) for shas in ([change.new] if change.new else [], change.known))
    return list(walk_by_date(change.objects, Selection(tuple(new), tuple(known))))


def _explain_commit_objection(ctx: WriteContext, rule: PushRule, change: RefChange, commit: "Commit") -> str:
    pattern = rule.author_email_regex
    objection = _explain_message_objection(rule, commit.message)
    if objection:
        return objection
    for role, person in (("Committer", commit.committer), ("Author", commit.author)):
        if not _matches(pattern, person.email):
            return f"{role}'s email '{person.email}' does not follow the pattern '{pattern}'"
    email = commit.committer.email
    if rule.commit_committer_check and email.lower() not in _own_emails(ctx):
        return (
            f"You cannot push commits for '{email}'. "
            "You can only push commits that were committed with one of your own verified emails."
        )
    if rule.commit_committer_name_check and ctx.user is not None and commit.committer.name != ctx.user.name:
        return _WRONG_NAME
    is_signed = _SIGNATURE in change.objects.get(commit.sha).content.partition(b"\n\n")[0]
    if rule.reject_unsigned_commits and change.by_git and not is_signed:
        return "Commit must be signed with a GPG key"
    if not _is_signed_off(rule, commit.message):
        return _NO_SIGN_OFF
    return _explain_stranger(ctx.world, commit) if rule.member_check else ""


def _is_signed_off(rule: PushRule, message: str) -> bool:
    """Return whether a message has the sign-off of its author, unless the rule asks for none."""
    return not rule.reject_non_dco_commits or _SIGN_OFF.search(message) is not None


def _explain_message_objection(rule: PushRule, message: str) -> str:
    if not _matches(rule.commit_message_regex, message, multiline=True):
        return f"Commit message does not follow the pattern '{rule.commit_message_regex}'"
    forbidden = rule.commit_message_negative_regex
    if forbidden and _matches(forbidden, message, multiline=True):
        return f"Commit message contains the forbidden pattern '{forbidden}'"
    return ""


def _own_emails(ctx: WriteContext) -> list[str]:
    if ctx.user is None:
        return []
    emails = *users.list_confirmed_emails(ctx.world, ctx.user), users.commit_email_of(ctx, ctx.user)
    return [email.lower() for email in emails]


def _explain_stranger(world: World, commit: "Commit") -> str:
    author, committer = commit.author.email, commit.committer.email
    if users.find_by_any_email(world, author) is None:
        return f"Author '{author}' is not a member of team"
    # The platform compares the texts, and looks the committer up only if it comes after the author.
    if author.lower() < committer.lower() and users.find_by_any_email(world, committer) is None:
        return f"Committer '{committer}' is not a member of team"
    return ""


def _find_file_objections(rule: PushRule, change: RefChange, commits: "list[Commit]") -> Iterator[str]:
    forbidden = _forbidden_names(rule)
    if not rule.max_file_size and not forbidden:
        return
    diffs = [diff for commit in commits for diff in list_changed_files(change.objects, commit)]
    if rule.max_file_size:
        yield from (_explain_size_objection(rule, change.objects, diff) for diff in diffs)
    for diff in diffs:
        pattern = next((pattern for pattern in forbidden if _matches(pattern, diff.new_path)), None)
        if diff.status == "A" and pattern is not None:
            yield f"File name {diff.new_path} was prohibited by the denylist pattern {pattern}."


def _forbidden_names(rule: PushRule) -> tuple[str, ...]:
    own = (rule.file_name_regex,) if rule.file_name_regex else ()
    return (*(_SECRETS if rule.prevent_secrets else ()), *own)


def list_changed_files(objects: "Objects", commit: "Commit") -> "Iterable[FileDiff]":
    """Return the changes of a commit, compared with its first parent."""
    from fakeplat.git.diffs import diff_trees

    parent = objects.commit(commit.parents[0]).tree if commit.parents else None
    return diff_trees(objects, parent, commit.tree, renames=False, context=0)


def _explain_size_objection(rule: PushRule, objects: "Objects", diff: "FileDiff") -> str:
    from fakeplat.git.records import SUBMODULE

    if diff.status == "D" or diff.new_mode == SUBMODULE:
        return ""
    if len(objects.blob(diff.new_sha)) <= rule.max_file_size * _MEBIBYTE:
        return ""
    return f'File "{diff.new_path}" is larger than the allowed size of {rule.max_file_size} MB'


def _matches(pattern: str | None, text: str, *, multiline: bool = False) -> bool:
    """Return whether an expression is in a text; an empty one is in every text."""
    if not pattern:
        return True
    return compile_regexp(f"(?m){pattern}" if multiline else pattern).is_in(text)
