"""Receivers of each signal, in the order in which they are called."""

from fakeplat.domain import signals
from fakeplat.domain.alerts import alerts
from fakeplat.domain.ci import automatic_pipelines, bridges, playback, resource_groups
from fakeplat.domain.deployments import environment_stops, job_deployments
from fakeplat.domain.hooks import triggers
from fakeplat.domain.integrations.receivers import INTEGRATION_RECEIVERS
from fakeplat.domain.issues import issue_notes
from fakeplat.domain.merge_requests import (
    auto_merge,
    closing_issues,
    diff_versions,
    merge_checks,
    merge_request_history,
    merge_request_pushes,
    reassignment,
    suggestions,
)
from fakeplat.domain.notes import outdated_positions
from fakeplat.domain.people import members, tokens
from fakeplat.domain.planning import boards
from fakeplat.domain.projects import deploy_keys
from fakeplat.domain.repository import push_events
from fakeplat.model.boards import BoardList
from fakeplat.model.deploy_keys import DeployKeyProject
from fakeplat.model.projects import Member, Project
from fakeplat.model.users import Token

signals.pre_delete.connect(Member, members.record_seats_before_removal)
signals.pre_delete.connect(Project, reassignment.handle_source_deletion)
signals.post_delete.connect(BoardList, boards.close_gap)
signals.post_delete.connect(DeployKeyProject, deploy_keys.delete_orphan)
signals.post_delete.connect(Token, tokens.delete_bot)

signals.issue_created.connect(issue_notes.record_creation)
signals.issue_changed.connect(issue_notes.record_changes)
signals.issue_closed.connect(alerts.follow_closing, issue_notes.finish_closer_todos)
signals.issue_moved.connect(issue_notes.record_move)
signals.issues_linked.connect(issue_notes.record_linking)
signals.issues_unlinked.connect(issue_notes.record_unlinking)

signals.merge_request_created.connect(merge_request_history.record_creation, automatic_pipelines.create_after_creation)
signals.merge_request_changed.connect(
    merge_request_history.record_changes, auto_merge.cancel_if_retargeted, outdated_positions.handle_retargeting
)
signals.merge_request_state_changed.connect(
    merge_request_history.record_state,
    auto_merge.cancel_if_closed,
    outdated_positions.handle_reopening,
    environment_stops.stop_with_merge_request,
)

signals.note_text_changed.connect(suggestions.refresh_suggestions)
signals.jobs_created.connect(job_deployments.create_environments, resource_groups.create_groups)
signals.job_status_changed.connect(
    playback.play_queued_job,
    bridges.start_queued_bridge,
    tokens.revoke_job_tokens,
    job_deployments.follow_job,
    environment_stops.follow_stop_job,
    resource_groups.release,
)
signals.pipeline_status_changed.connect(
    auto_merge.handle_pipeline_status, bridges.follow_downstream, bridges.follow_mirrored
)

signals.refs_changing.connect(diff_versions.store_declared_refs)
signals.ref_changed.connect(
    merge_checks.invalidate_checks,
    closing_issues.close_pushed_references,
    merge_request_pushes.handle_push,
    push_events.record_push,
    automatic_pipelines.create_after_push,
    environment_stops.stop_with_branch,
)

triggers.RECEIVERS.append(INTEGRATION_RECEIVERS)
