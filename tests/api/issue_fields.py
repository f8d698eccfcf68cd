"""The fields of issues, labels and milestones.

Source: docs/platform/issues.md ('Entity order'), docs/platform/labels.md, docs/platform/milestones.md.
"""

ISSUE = {
    "id",
    "iid",
    "project_id",
    "title",
    "description",
    "state",
    "created_at",
    "updated_at",
    "closed_at",
    "closed_by",
    "labels",
    "milestone",
    "assignees",
    "author",
    "assignee",
    "user_notes_count",
    "merge_requests_count",
    "upvotes",
    "downvotes",
    "due_date",
    "confidential",
    "discussion_locked",
    "web_url",
    "time_stats",
    "task_completion_status",
    "has_tasks",
    "_links",
    "references",
    "moved_to_id",
}
ISSUE_BASIC = ISSUE - {"has_tasks", "_links", "references", "moved_to_id"}
PREMIUM = {"weight", "epic", "epic_iid"}
ULTIMATE = PREMIUM | {"health_status"}

LABEL_DETAIL = {"id", "name", "color", "description", "description_html", "text_color"}
GROUP_LABEL = LABEL_DETAIL | {"subscribed"}
PROJECT_LABEL = GROUP_LABEL | {"priority", "is_project_label"}
COUNTS = {"open_issues_count", "closed_issues_count", "open_merge_requests_count"}

MILESTONE = {
    "id",
    "iid",
    "title",
    "description",
    "state",
    "created_at",
    "updated_at",
    "due_date",
    "start_date",
    "expired",
    "web_url",
}
PROJECT_MILESTONE = MILESTONE | {"project_id"}
GROUP_MILESTONE = MILESTONE | {"group_id"}
