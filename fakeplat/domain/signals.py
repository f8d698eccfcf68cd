"""Signals: notify other areas of a change within the same request.

The modules of `fakeplat.domain.receivers` connect them. What leaves the platform after the commit is sent by
`WriteContext.send`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, TypeVar

from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.domain.hooks.payloads.milestones import MilestoneAction
    from fakeplat.domain.wikis.pages import WikiPage
    from fakeplat.model.activity import Action as EventAction
    from fakeplat.model.alerts import Alert
    from fakeplat.model.ci import Job, Pipeline
    from fakeplat.model.deployments import Deployment, FeatureFlag
    from fakeplat.model.import_export import Export
    from fakeplat.model.issues import Award, Issue
    from fakeplat.model.merge_requests import MergeRequest
    from fakeplat.model.notes import Note
    from fakeplat.model.people import Group, User, UserAchievement
    from fakeplat.model.planning import Milestone
    from fakeplat.model.projects import Project
    from fakeplat.model.releases import Release
    from fakeplat.model.repository import Push

P = ParamSpec("P")
R = TypeVar("R")


class Signal(Generic[P]):
    """A kind of change. Its receivers are connected once, in the order in which they are called.

    ``module``: the module of `fakeplat.domain.receivers` that connects them, imported when it is first needed.
    """

    def __init__(self, module: str = "") -> None:
        self.module = module
        self._receivers: tuple[Callable[Concatenate[WriteContext, P], object], ...] = ()

    def connect(self, *receivers: Callable[Concatenate[WriteContext, P], object]) -> None:
        """Connect the receivers, in order. Raises ValueError if the signal has receivers."""
        if self._receivers:
            raise ValueError("a signal can be connected only once: pass all receivers in one call, in their order")
        self._receivers = receivers

    def send(self, ctx: WriteContext, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call the receivers."""
        if self.module:
            _import_receivers(self.module)
        for receiver in self._receivers:
            receiver(ctx, *args, **kwargs)


class _SignalByClass(Generic[P]):
    """A signal for each class of records.

    The ``modules`` are imported one after the other, until one has connected the class.
    """

    def __init__(self, *modules: str) -> None:
        self.modules = modules
        self._signals: dict[type, Signal[P]] = {}

    def _find(self, kind: type) -> Signal[P] | None:
        for module in self.modules:
            if kind in self._signals:
                break
            _import_receivers(module)
        return self._signals.get(kind)


class RecordSignal(_SignalByClass[[Any]]):
    """Changes of records of any table, with receivers per class of record."""

    def connect(self, kind: type[R], *receivers: Callable[[WriteContext, R], object]) -> None:
        """Connect the receivers for a class of records, in order."""
        self._signals.setdefault(kind, Signal()).connect(*receivers)

    def send(self, ctx: WriteContext, record: object) -> None:
        """Call the receivers for the record's class."""
        signal = self._find(type(record))
        if signal is not None:
            signal.send(ctx, record)


class ChangeSignal(_SignalByClass[[Any, Any]]):
    """Changes of records of any table, before and after, with receivers per class of record."""

    def connect(self, kind: type[R], *receivers: Callable[[WriteContext, R, R], object]) -> None:
        """Connect the receivers for a class of records, in order."""
        self._signals.setdefault(kind, Signal()).connect(*receivers)

    def send(self, ctx: WriteContext, before: R, after: R) -> None:
        """Call the receivers for the class of the records, unless nothing changed."""
        if before is after:
            return
        signal = self._find(type(after))
        if signal is not None:
            signal.send(ctx, before, after)


@cache
def _import_receivers(module: str) -> None:
    import_module(f"fakeplat.domain.receivers.{module}")


post_create: Final = RecordSignal("accounts", "access")
"""A record was created by an action, or by a scenario."""
post_change: Final = ChangeSignal("accounts", "access")
"""A record was changed by an action: before and after."""
post_remove: Final = RecordSignal("deletions")
"""A record was deleted on its own account, not along with what it belongs to."""
pre_delete: Final = RecordSignal("deletions")
"""A record is about to be deleted; it and its dependents still exist."""
post_delete: Final = RecordSignal("deletions")
"""A record was deleted, with its dependents."""

signed_in: Final[Signal[[User, str]]] = Signal("accounts")
"""A user signed in at the page, and how."""
sign_in_failed: Final[Signal[[User | None, str, str]]] = Signal("accounts")
"""Somebody failed to sign in: the user who has given the password, if any, the name that was sent, and how."""

milestone_changed: Final[Signal[[Milestone, MilestoneAction]]] = Signal("issuables")
"""A milestone was created, closed or reopened, or is about to be deleted, and which of them."""

issue_created: Final[Signal[[Issue]]] = Signal("issuables")
issue_fields_changed: Final[Signal[[Issue, Issue]]] = Signal("issuables")
"""The issue before and after some of its fields changed."""
issue_update_finished: Final[Signal[[Issue, Issue]]] = Signal("issuables")
"""The issue before and after all of an update, which may have changed nothing."""
issue_closed: Final[Signal[[Issue]]] = Signal("issuables")
issue_state_changed: Final[Signal[[Issue, Issue, User | None]]] = Signal("issuables")
"""The issue before and after it was closed or reopened, and who did it."""
issue_moved: Final[Signal[[Issue, Issue]]] = Signal("issuables")
"""The closed issue, and the new one in another project."""
issue_cloned: Final[Signal[[Issue, Issue]]] = Signal("issuables")
"""The issue, and its copy."""
issues_linked: Final[Signal[[Issue, Issue]]] = Signal("issuables")
issues_unlinked: Final[Signal[[Issue, Issue]]] = Signal("issuables")

merge_request_created: Final[Signal[[MergeRequest]]] = Signal("issuables")
merge_request_fields_changed: Final[Signal[[MergeRequest, MergeRequest]]] = Signal("issuables")
"""The merge request before and after some of its fields changed."""
merge_request_update_finished: Final[Signal[[MergeRequest, MergeRequest]]] = Signal("issuables")
"""The merge request before and after all of an update, which may have changed nothing."""
merge_request_state_changed: Final[Signal[[MergeRequest, MergeRequest, User | None]]] = Signal("issuables")
"""The merge request before and after it was closed, reopened or merged, and who did it."""
merge_request_pushed: Final[Signal[[MergeRequest, str, User | None]]] = Signal("issuables")
"""Commits came into the source branch: the merge request after, the old head, and the user who pushed."""
merge_request_blocked: Final[Signal[[MergeRequest, MergeRequest]]] = Signal("issuables")
"""The merge request that has to be merged first, and the one that waits for it."""
review_requested: Final[Signal[[MergeRequest, User, bool]]] = Signal("issuables")
"""A reviewer was asked once more, and whether that revoked their approval."""
merge_request_unmergeable: Final[Signal[[MergeRequest]]] = Signal("issuables")
"""A check found conflicts."""
merge_request_checked: Final[Signal[[MergeRequest]]] = Signal("issuables")
"""A check finds out whether the branches can be merged."""
merge_request_auto_merge_set: Final[Signal[[MergeRequest]]] = Signal("issuables")
"""The merge request is to be merged when its pipeline succeeds."""
merge_request_threads_resolved: Final[Signal[[MergeRequest]]] = Signal("issuables")
"""The last unresolved thread was resolved."""
merge_request_approved: Final[Signal[[MergeRequest]]] = Signal("issuables")
merge_request_unapproved: Final[Signal[[MergeRequest, bool]]] = Signal("issuables")
"""The merge request after an approval was revoked, and whether it had all approvals before."""

award_given: Final[Signal[[Award]]] = Signal("issuables")
"""A user awarded an emoji."""
award_revoked: Final[Signal[[Award]]] = Signal("issuables")
"""An awarded emoji was deleted."""
note_created: Final[Signal[[Note]]] = Signal("issuables")
"""A user commented."""
note_published: Final[Signal[[Note]]] = Signal("issuables")
"""A note was published with a review."""
review_published: Final[Signal[[MergeRequest, Sequence[Note]]]] = Signal("issuables")
"""A user published the drafts of a review, which became these notes."""
note_edited: Final[Signal[[Note, Note]]] = Signal("issuables")
"""A user changed the text of a comment, from the first version to the second."""
note_text_changed: Final[Signal[[Note]]] = Signal("issuables")
"""A note was written, or its text changed."""

jobs_created: Final[Signal[[Sequence[Job]]]] = Signal("ci")
"""Jobs were added to a pipeline; none of them has started."""
job_status_changed: Final[Signal[[Job, Job]]] = Signal("ci")
"""The job before and after."""

pipeline_status_changed: Final[Signal[[Pipeline, Pipeline]]] = Signal("ci")
"""The pipeline before and after."""

deployment_status_changed: Final[Signal[[Deployment]]] = Signal("ci")
feature_flag_switched: Final[Signal[[FeatureFlag]]] = Signal("ci")
alert_reported: Final[Signal[[Alert]]] = Signal("issuables")
"""A new alert, of which the project wants to be told by e-mail."""
export_finished: Final[Signal[[Export, int]]] = Signal("accounts")
"""The export, and the id of the user who asked for it."""
release_created: Final[Signal[[Release]]] = Signal("repository")
release_updated: Final[Signal[[Release, Release]]] = Signal("repository")
release_deleted: Final[Signal[[Release]]] = Signal("repository")
"""A release is about to be deleted by a user; its links are still there."""
"""The release before and after an update, which may have changed nothing."""

account_created: Final[Signal[[User, bool]]] = Signal("accounts")
"""The new user, and whether they have to choose a password."""
achievement_awarded: Final[Signal[[UserAchievement]]] = Signal("accounts")
password_forgotten: Final[Signal[[User]]] = Signal("accounts")
"""Somebody asked for a mail to set a new password of a user."""
sign_in_refused: Final[Signal[[User]]] = Signal("accounts")
"""A user with the right password may not sign in."""

pre_push: Final[Signal[[Project]]] = Signal("repository")
"""Refs of a project's repository are about to move, by a push or a change of the platform itself."""
post_push: Final[Signal[[Sequence[Push]]]] = Signal("repository")
"""All refs that one push created, moved or deleted; sent before `ref_moved` for each of them."""
commit_picked: Final[Signal[[Project, str, str, str]]] = Signal("repository")
"""A commit was cherry-picked: its hash, the branch, and the hash of the new commit."""
wiki_page_changed: Final[Signal[[Project | Group, EventAction, WikiPage, str]]] = Signal("wikis")
"""The owner of the wiki, what happened to the page, the page, and its slug before it was moved (or empty)."""
ref_moved: Final[Signal[[Push]]] = Signal("repository")
"""One ref was created, moved or deleted."""
