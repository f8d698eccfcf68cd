"""Receivers of pushes and releases, in the order of calls."""

from fakeplat.domain import signals
from fakeplat.domain.audit import delivery_recorders
from fakeplat.domain.ci import automatic_pipelines
from fakeplat.domain.deployments import environment_stops
from fakeplat.domain.hooks import ci_hooks, push_hooks
from fakeplat.domain.mail import receivers as mail
from fakeplat.domain.merge_requests import (
    closing_issues,
    merge_checks,
    merge_request_history,
    merge_request_pushes,
    merge_train_runs,
)
from fakeplat.domain.repository import push_events
from fakeplat.domain.reviews import diff_versions

signals.release_created.connect(ci_hooks.execute_new_release, mail.mail_release, delivery_recorders.record_release)
signals.release_updated.connect(ci_hooks.execute_updated_release, delivery_recorders.record_release_update)
signals.release_deleted.connect(ci_hooks.execute_deleted_release)
signals.commit_picked.connect(merge_request_history.record_pick)
signals.pre_push.connect(diff_versions.store_declared_refs)
signals.post_push.connect(push_hooks.execute_pushes)
signals.ref_moved.connect(
    merge_checks.invalidate_checks,
    closing_issues.close_pushed_references,
    merge_request_pushes.handle_push,
    merge_train_runs.handle_push,
    push_events.record_push,
    automatic_pipelines.create_after_push,
    environment_stops.stop_with_branch,
)
