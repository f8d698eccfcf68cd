"""Receivers of what happens to issues, merge requests, notes and alerts, in the order of calls."""

from fakeplat.domain import signals
from fakeplat.domain.alerts import alerts, incident_statuses
from fakeplat.domain.ci import automatic_pipelines
from fakeplat.domain.deployments import environment_stops
from fakeplat.domain.hooks import issuable_hooks
from fakeplat.domain.issues import issue_notes
from fakeplat.domain.mail import daily_jobs
from fakeplat.domain.mail import receivers as mail
from fakeplat.domain.merge_requests import (
    auto_merge,
    code_owner_rules,
    merge_request_history,
    outdated_positions,
    rule_copies,
    rules_at_merge,
    suggestions,
)
from fakeplat.domain.pages_domains import page_deployments

signals.milestone_changed.connect(issuable_hooks.execute_changed_milestone)
signals.issue_created.connect(
    issue_notes.record_creation,
    issuable_hooks.execute_new_issue,
    mail.mail_new_issuable,
    daily_jobs.schedule_due_issue,
)
signals.issue_fields_changed.connect(
    issue_notes.record_changes, mail.mail_changed_issuable, daily_jobs.reschedule_due_issue
)
signals.issue_update_finished.connect(issuable_hooks.execute_updated_issue)
signals.issue_closed.connect(alerts.follow_closing, incident_statuses.follow_closing, issue_notes.finish_closer_todos)
signals.issue_state_changed.connect(issuable_hooks.execute_transitioned_issue, mail.mail_transition)
signals.issue_moved.connect(issue_notes.record_move, issuable_hooks.execute_copied_issue, mail.mail_moved_issue)
signals.issue_cloned.connect(
    issue_notes.record_clone,
    issuable_hooks.execute_copied_issue,
    mail.mail_cloned_issue,
    daily_jobs.schedule_due_clone,
)
signals.issues_linked.connect(issue_notes.record_linking)
signals.issues_unlinked.connect(issue_notes.record_unlinking)
signals.merge_request_created.connect(
    rule_copies.inherit_rules,
    code_owner_rules.synchronize,
    merge_request_history.record_creation,
    issuable_hooks.execute_new_merge_request,
    mail.mail_new_issuable,
    automatic_pipelines.create_after_creation,
)
signals.merge_request_fields_changed.connect(
    merge_request_history.record_changes,
    mail.mail_changed_issuable,
    auto_merge.cancel_if_retargeted,
    outdated_positions.handle_retargeting,
    code_owner_rules.follow_retargeting,
)
signals.merge_request_state_changed.connect(
    rules_at_merge.keep_rules,
    merge_request_history.record_state,
    auto_merge.cancel_if_closed,
    outdated_positions.handle_reopening,
    environment_stops.stop_with_merge_request,
    page_deployments.end_with_merge_request,
    issuable_hooks.execute_transitioned_merge_request,
    mail.mail_transition,
    auto_merge.continue_blocked,
)
signals.merge_request_update_finished.connect(issuable_hooks.execute_updated_merge_request, auto_merge.handle_changes)
signals.merge_request_checked.connect(code_owner_rules.synchronize)
signals.merge_request_pushed.connect(
    code_owner_rules.follow_push, issuable_hooks.execute_pushed_merge_request, mail.mail_pushed_merge_request
)
signals.merge_request_blocked.connect(merge_request_history.record_block)
signals.review_requested.connect(merge_request_history.record_review_request, mail.mail_review_request)
signals.merge_request_unmergeable.connect(mail.mail_unmergeable)
signals.merge_request_auto_merge_set.connect(mail.mail_auto_merge)
signals.merge_request_threads_resolved.connect(mail.mail_resolved_threads, auto_merge.merge_when_checks_pass)
signals.merge_request_approved.connect(issuable_hooks.execute_approved_merge_request, auto_merge.merge_when_checks_pass)
signals.merge_request_unapproved.connect(issuable_hooks.execute_unapproved_merge_request)
signals.award_given.connect(issuable_hooks.execute_new_award)
signals.award_revoked.connect(issuable_hooks.execute_revoked_award)
signals.note_created.connect(issuable_hooks.execute_new_note, mail.mail_note)
signals.note_published.connect(issuable_hooks.execute_new_note)
signals.review_published.connect(mail.mail_review)
signals.note_edited.connect(issuable_hooks.execute_edited_note)
signals.note_text_changed.connect(suggestions.refresh_suggestions)
signals.alert_reported.connect(mail.mail_alert)
