"""Receivers of each signal, in the order in which they are called."""

from fakeplat.domain import signals
from fakeplat.domain.alerts import alerts
from fakeplat.domain.audit import credential_recorders, recorders
from fakeplat.domain.ci import automatic_pipelines, bridges, playback, resource_groups
from fakeplat.domain.deployments import environment_stops, job_deployments
from fakeplat.domain.hooks import ci_hooks, issuable_hooks, push_hooks, system_hooks, triggers
from fakeplat.domain.integrations.receivers import INTEGRATION_RECEIVERS
from fakeplat.domain.issues import issue_notes
from fakeplat.domain.mail import daily_jobs
from fakeplat.domain.mail import receivers as mail
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
from fakeplat.model.access_requests import AccessRequest
from fakeplat.model.accounts import Email, GpgKey, SshKey
from fakeplat.model.boards import BoardList
from fakeplat.model.ci_variables import CiVariable
from fakeplat.model.deploy_keys import DeployKey, DeployKeyProject
from fakeplat.model.deploy_tokens import DeployToken
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Member, Project, Share
from fakeplat.model.repositories import ProtectedBranch
from fakeplat.model.users import Token, User

signals.pre_delete.connect(Member, members.record_seats_before_removal)
signals.pre_delete.connect(
    Project, reassignment.handle_source_deletion, recorders.record_deletion, system_hooks.execute_deleted_project
)
signals.pre_delete.connect(Group, recorders.record_deletion, system_hooks.execute_deleted_group)
signals.pre_delete.connect(User, recorders.record_deletion, system_hooks.execute_deleted_user)
signals.pre_delete.connect(SshKey, system_hooks.execute_deleted_key)
signals.pre_delete.connect(DeployKey, system_hooks.execute_deleted_key)
signals.post_delete.connect(BoardList, boards.close_gap)
signals.post_delete.connect(DeployKeyProject, deploy_keys.delete_orphan)
signals.post_delete.connect(Token, tokens.delete_bot)

signals.post_create.connect(Project, recorders.record_creation, system_hooks.execute_new_project)
signals.post_create.connect(Group, recorders.record_creation, system_hooks.execute_new_group)
signals.post_create.connect(User, recorders.record_creation, system_hooks.execute_new_user)
signals.post_create.connect(AccessRequest, mail.mail_access_request)
signals.post_create.connect(Email, mail.mail_new_address)
signals.post_create.connect(GpgKey, mail.mail_new_key)
signals.post_create.connect(Member, recorders.record_member, system_hooks.execute_new_member, mail.mail_new_member)
signals.post_create.connect(Token, credential_recorders.record_token, daily_jobs.schedule_token)
signals.post_create.connect(DeployToken, credential_recorders.record_deploy_token)
signals.post_create.connect(CiVariable, credential_recorders.record_variable)
signals.post_create.connect(Share, recorders.record_share)
signals.post_create.connect(ProtectedBranch, recorders.record_protection)
signals.post_create.connect(SshKey, system_hooks.execute_new_key, mail.mail_new_key)
signals.post_create.connect(DeployKey, system_hooks.execute_new_key)
signals.post_create.connect(DeployKeyProject, recorders.record_deploy_key)
signals.post_change.connect(
    Project, recorders.record_project_change, system_hooks.execute_changed_project, mail.mail_changed_project
)
signals.post_change.connect(Group, recorders.record_group_change, system_hooks.execute_changed_group)
signals.post_change.connect(
    User, recorders.record_user_change, system_hooks.execute_changed_user, mail.mail_changed_user
)
signals.post_change.connect(
    Member, recorders.record_member_change, system_hooks.execute_changed_member, mail.mail_changed_member
)
signals.post_change.connect(Token, credential_recorders.record_token_change)
signals.post_change.connect(CiVariable, credential_recorders.record_variable_change)
signals.post_remove.connect(AccessRequest, mail.mail_removed_access_request)
signals.post_remove.connect(DeployKeyProject, recorders.record_deploy_key_removal)
signals.post_remove.connect(Member, recorders.record_member_removal, system_hooks.execute_removed_member)
signals.post_remove.connect(Share, recorders.record_share_removal)
signals.post_remove.connect(ProtectedBranch, recorders.record_protection_removal)
signals.post_remove.connect(Token, credential_recorders.record_token_removal)
signals.post_remove.connect(DeployToken, credential_recorders.record_deploy_token_removal)
signals.post_remove.connect(CiVariable, credential_recorders.record_variable_removal)

signals.signed_in.connect(credential_recorders.record_sign_in)
signals.sign_in_failed.connect(credential_recorders.record_failed_sign_in)
signals.account_created.connect(mail.mail_new_user)
signals.password_forgotten.connect(mail.mail_forgotten_password)
signals.sign_in_refused.connect(system_hooks.execute_refused_sign_in)

signals.issue_created.connect(
    issue_notes.record_creation,
    issuable_hooks.execute_new_issue,
    mail.mail_new_issuable,
    daily_jobs.schedule_due_issue,
)
signals.issue_changed.connect(issue_notes.record_changes, mail.mail_changed_issuable, daily_jobs.reschedule_due_issue)
signals.issue_updated.connect(issuable_hooks.execute_updated_issue)
signals.issue_closed.connect(alerts.follow_closing, issue_notes.finish_closer_todos)
signals.issue_transitioned.connect(issuable_hooks.execute_transitioned_issue, mail.mail_transition)
signals.issue_moved.connect(issue_notes.record_move, issuable_hooks.execute_moved_issue, mail.mail_moved_issue)
signals.issues_linked.connect(issue_notes.record_linking)
signals.issues_unlinked.connect(issue_notes.record_unlinking)

signals.merge_request_created.connect(
    merge_request_history.record_creation,
    issuable_hooks.execute_new_merge_request,
    mail.mail_new_issuable,
    automatic_pipelines.create_after_creation,
)
signals.merge_request_changed.connect(
    merge_request_history.record_changes,
    mail.mail_changed_issuable,
    auto_merge.cancel_if_retargeted,
    outdated_positions.handle_retargeting,
)
signals.merge_request_state_changed.connect(
    merge_request_history.record_state,
    auto_merge.cancel_if_closed,
    outdated_positions.handle_reopening,
    environment_stops.stop_with_merge_request,
)

signals.merge_request_updated.connect(issuable_hooks.execute_updated_merge_request)
signals.merge_request_transitioned.connect(issuable_hooks.execute_transitioned_merge_request, mail.mail_transition)
signals.merge_request_pushed.connect(issuable_hooks.execute_pushed_merge_request, mail.mail_pushed_merge_request)
signals.merge_request_unmergeable.connect(mail.mail_unmergeable)
signals.merge_request_auto_merge_set.connect(mail.mail_auto_merge)
signals.merge_request_threads_resolved.connect(mail.mail_resolved_threads)
signals.merge_request_approved.connect(issuable_hooks.execute_approved_merge_request)
signals.merge_request_unapproved.connect(issuable_hooks.execute_unapproved_merge_request)

signals.note_created.connect(issuable_hooks.execute_new_note, mail.mail_note)
signals.note_text_changed.connect(suggestions.refresh_suggestions)
signals.jobs_created.connect(
    job_deployments.create_environments, resource_groups.create_groups, ci_hooks.execute_new_jobs
)
signals.job_status_changed.connect(
    ci_hooks.execute_job,
    playback.play_queued_job,
    bridges.start_queued_bridge,
    tokens.revoke_job_tokens,
    job_deployments.follow_job,
    environment_stops.follow_stop_job,
    resource_groups.release,
)
signals.pipeline_status_changed.connect(
    ci_hooks.execute_pipeline,
    mail.mail_pipeline,
    auto_merge.handle_pipeline_status,
    bridges.follow_downstream,
    bridges.follow_mirrored,
)

signals.deployment_status_changed.connect(ci_hooks.execute_deployment)
signals.feature_flag_switched.connect(ci_hooks.execute_feature_flag)
signals.release_created.connect(ci_hooks.execute_new_release, mail.mail_release)
signals.export_finished.connect(mail.mail_export)
signals.alert_reported.connect(mail.mail_alert)
signals.release_updated.connect(ci_hooks.execute_updated_release)

signals.refs_changing.connect(diff_versions.store_declared_refs)
signals.refs_pushed.connect(push_hooks.execute_pushes)
signals.ref_changed.connect(
    merge_checks.invalidate_checks,
    closing_issues.close_pushed_references,
    merge_request_pushes.handle_push,
    push_events.record_push,
    automatic_pipelines.create_after_push,
    environment_stops.stop_with_branch,
)

triggers.RECEIVERS.append(INTEGRATION_RECEIVERS)
