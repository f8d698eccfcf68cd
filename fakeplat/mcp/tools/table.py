"""The table of tools: their names, their releases, and what they run. Source: docs/platform/mcp.md ('Tools')."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from fakeplat.core.release import Lifetime, Profile
from fakeplat.mcp.tools.branches import BRANCH, BRANCH_ARGUMENTS, AddBranchTool
from fakeplat.mcp.tools.commits import (
    COMMIT,
    COMMIT_ARGUMENTS,
    NEW_COMMIT,
    NEW_COMMIT_ARGUMENTS,
    AddCommitTool,
    GetCommitTool,
)
from fakeplat.mcp.tools.conflicts import CONFLICT_ARGUMENTS, GetConflictsTool
from fakeplat.mcp.tools.files import FILE_ARGUMENTS, GetRepositoryFileTool
from fakeplat.mcp.tools.jobs import JOB_ARGUMENTS, LOG_ALIAS, GetJobTool
from fakeplat.mcp.tools.labels import LABEL_ARGUMENTS, LABELS, SearchLabelsTool
from fakeplat.mcp.tools.merge_requests import (
    LIST,
    LIST_ARGUMENTS,
    ONE,
    ONE_ARGUMENTS,
    SAVE_ARGUMENTS,
    GetMergeRequestTool,
    ListMergeRequestsTool,
    SaveMergeRequestTool,
)
from fakeplat.mcp.tools.notes import (
    NOTE,
    NOTE_OF_MERGE_REQUEST_ARGUMENTS,
    NOTE_OF_WORK_ITEM_ARGUMENTS,
    NOTES_OF_MERGE_REQUEST,
    NOTES_OF_MERGE_REQUEST_ARGUMENTS,
    NOTES_OF_WORK_ITEM,
    NOTES_OF_WORK_ITEM_ARGUMENTS,
    CreateMergeRequestNoteTool,
    CreateWorkItemNoteTool,
    ListMergeRequestNotesTool,
    ListWorkItemNotesTool,
)
from fakeplat.mcp.tools.pipeline_details import PIPELINE, PIPELINE_ARGUMENTS, GetPipelineTool
from fakeplat.mcp.tools.pipelines import SAVE_ARGUMENTS as SAVE_PIPELINE_ARGUMENTS
from fakeplat.mcp.tools.pipelines import ManagePipelineTool, SavePipelineTool
from fakeplat.mcp.tools.records import OF_CONTAINER
from fakeplat.mcp.tools.routes import RouteTool
from fakeplat.mcp.tools.search import SearchTool
from fakeplat.mcp.tools.server_version import ServerVersionTool
from fakeplat.mcp.tools.tool import ADDS, DESTROYS, READS, Tool
from fakeplat.mcp.tools.wikis import PAGES, WIKI_ARGUMENTS, ListWikiPagesTool
from fakeplat.mcp.tools.work_items import LINK_ARGUMENTS, LINKS, TYPES, LinkWorkItemsTool, ListWorkItemTypesTool
from fakeplat.policy.behaviours import MERGE_REQUEST_TOOL_HAS_PEOPLE

_ISSUE: Final = ("id", "title", "description", "assignee_ids", "milestone_id", "labels", "confidential", "epic_id")
_NEW: Final = ("id", "title", "source_branch", "target_branch", "target_project_id")
_NEW_WITH_PEOPLE: Final = (*_NEW, "assignee_ids", "reviewer_ids", "description", "labels", "milestone_id")
_MERGE_REQUEST: Final = ("id", "merge_request_iid")
_PAGE: Final = ("per_page", "page")
_FILTERS: Final = ("ref", "status", "source", "created_after", "created_before", "order_by", "sort")


def _list_names_of_merge_request(profile: Profile) -> Sequence[str]:
    return _NEW_WITH_PEOPLE if profile.has(MERGE_REQUEST_TOOL_HAS_PEOPLE) else _NEW


_since_18_4: Final = partial(RouteTool, lifetime=Lifetime("18.4"), hints=READS)
TOOLS: Final[Sequence[Tool]] = (
    _since_18_4("get_pipeline_jobs", "list_pipeline_jobs", ("id", "pipeline_id", *_PAGE), record="pipeline"),
    RouteTool(
        "list_pipelines",
        "list_pipelines",
        ("id", *_FILTERS, "page", "per_page"),
        lifetime=Lifetime("19.3"),
        hints=READS,
    ),
    _since_18_4("get_issue", "get_issue", ("id", "issue_iid"), record="issue"),
    RouteTool(
        "create_issue",
        "create_issue",
        _ISSUE,
        lifetime=Lifetime("18.4"),
        hints=ADDS,
        has_early_hints=False,
        record="issue",
    ),
    RouteTool(
        "create_merge_request",
        "create_merge_request",
        _list_names_of_merge_request,
        lifetime=Lifetime("18.5", "19.3"),
        hints=ADDS,
        has_early_hints=False,
        record="merge request",
    ),
    SaveMergeRequestTool(
        "save_merge_request",
        lifetime=Lifetime("19.3"),
        hints=ADDS,
        aliases=dict.fromkeys(("create_merge_request", "update_merge_request"), Lifetime("19.3")),
        description="Create a merge request, or change one.",
        properties=SAVE_ARGUMENTS,
        required=("project_id",),
    ),
    RouteTool("get_merge_request", "get_merge_request", _MERGE_REQUEST, lifetime=Lifetime("18.4", "19.3"), hints=READS),
    GetMergeRequestTool(
        "get_merge_request",
        lifetime=Lifetime("19.3"),
        hints=READS,
        description="Get a merge request, and one thing of it besides.",
        document=ONE,
        root="project",
        properties=ONE_ARGUMENTS,
    ),
    ListMergeRequestsTool(
        "list_merge_requests",
        lifetime=Lifetime("19.3"),
        hints=READS,
        description="List the merge requests of a project.",
        document=LIST,
        root="project",
        properties=LIST_ARGUMENTS,
    ),
    _since_18_4(
        "get_merge_request_commits", "list_merge_request_commits", (*_MERGE_REQUEST, *_PAGE), record="merge request"
    ),
    _since_18_4(
        "get_merge_request_diffs", "list_merge_request_diffs", (*_MERGE_REQUEST, *_PAGE), record="merge request"
    ),
    _since_18_4("get_merge_request_pipelines", "list_merge_request_pipelines", _MERGE_REQUEST, record="merge request"),
    RouteTool(
        "gitlab_search",
        "search_instance",
        ("scope", "search", "state", "confidential", "fields", *_PAGE),
        lifetime=Lifetime("18.4", "18.6"),
        hints=READS,
    ),
    SearchTool(
        "gitlab_search", lifetime=Lifetime("18.6", "18.8"), hints=READS, description="Search issues, code and more."
    ),
    SearchTool(
        "search",
        lifetime=Lifetime("18.8"),
        hints=READS,
        aliases={"gitlab_search": Lifetime("18.8")},
        description="Search issues, code and more.",
    ),
    ManagePipelineTool(
        "manage_pipeline",
        lifetime=Lifetime("18.10"),
        hints=DESTROYS,
        description="Do something with the pipelines of a project, chosen by the arguments.",
    ),
    SavePipelineTool(
        "save_pipeline",
        lifetime=Lifetime("19.3"),
        hints=DESTROYS,
        description="Create, retry or cancel a pipeline.",
        properties=SAVE_PIPELINE_ARGUMENTS,
    ),
    GetJobTool(
        "get_job",
        lifetime=Lifetime("19.3"),
        hints=READS,
        aliases={LOG_ALIAS: Lifetime("19.3")},
        description="Get a job, and its log.",
        properties=JOB_ARGUMENTS,
        required=("id", "job_id"),
    ),
    AddBranchTool(
        "add_branch",
        lifetime=Lifetime("19.3"),
        hints=ADDS,
        aliases={"create_branch": Lifetime("19.3")},
        description="Add a branch.",
        document=BRANCH,
        root="createBranch",
        properties=BRANCH_ARGUMENTS,
        required=("branch", "ref"),
    ),
    GetPipelineTool(
        "get_pipeline",
        lifetime=Lifetime("19.3"),
        hints=READS,
        description="Get a pipeline, and one list of what belongs to it.",
        document=PIPELINE,
        root="project",
        properties=PIPELINE_ARGUMENTS,
        required=("id", "pipeline_id"),
    ),
    GetCommitTool(
        "get_commit",
        lifetime=Lifetime("19.3"),
        hints=READS,
        description="Get a commit, and its diff or the comments on it.",
        document=COMMIT,
        root="project",
        properties=COMMIT_ARGUMENTS,
    ),
    AddCommitTool(
        "add_commit",
        lifetime=Lifetime("19.3"),
        hints=DESTROYS,
        aliases={"create_commit": Lifetime("19.3")},
        description="Commit changes of files.",
        document=NEW_COMMIT,
        root="commitCreate",
        properties=NEW_COMMIT_ARGUMENTS,
        required=("branch", "commit_message", "actions"),
    ),
    GetRepositoryFileTool(
        "get_repository_file",
        lifetime=Lifetime("19.3"),
        hints=READS,
        description="Read a file of a repository as committed, in windows of lines.",
        properties=FILE_ARGUMENTS,
    ),
    ListWikiPagesTool(
        "list_wiki_pages",
        lifetime=Lifetime("19.3"),
        hints=READS,
        description="List the wiki pages of a project or group.",
        document=PAGES,
        properties=WIKI_ARGUMENTS,
        required=None,
    ),
    GetConflictsTool(
        "get_merge_request_conflicts",
        lifetime=Lifetime("<=18.11"),
        hints=READS,
        description="Get the files of a merge request that are in conflict, with git's markers.",
        properties=CONFLICT_ARGUMENTS,
        required=("project_id", "merge_request_iid"),
    ),
    ListWorkItemTypesTool(
        "get_work_item_types",
        lifetime=Lifetime("<=19.2"),
        hints=READS,
        description="List the types of work items of a project or group, with their widgets.",
        document=TYPES,
        root="namespace",
        properties=OF_CONTAINER,
        required=None,
    ),
    ServerVersionTool(
        "get_mcp_server_version", lifetime=Lifetime("18.3"), hints=READS, description="Get the version of the platform."
    ),
    CreateWorkItemNoteTool(
        "create_workitem_note",
        lifetime=Lifetime("18.7"),
        hints=ADDS,
        has_early_hints=False,
        description="Comment on a work item.",
        document=NOTE,
        root="createNote",
        properties=NOTE_OF_WORK_ITEM_ARGUMENTS,
        required=("body",),
    ),
    ListWorkItemNotesTool(
        "get_workitem_notes",
        lifetime=Lifetime("18.7"),
        hints=READS,
        description="List the comments on a work item.",
        document=NOTES_OF_WORK_ITEM,
        root="workItem",
        properties=NOTES_OF_WORK_ITEM_ARGUMENTS,
        required=None,
    ),
    SearchLabelsTool(
        "search_labels",
        lifetime=Lifetime("18.9"),
        hints=READS,
        has_early_hints=False,
        description="List the labels of a project or group.",
        document=LABELS,
        properties=LABEL_ARGUMENTS,
        required=("full_path", "is_project"),
    ),
    LinkWorkItemsTool(
        "link_work_items",
        lifetime=Lifetime("19.0"),
        hints=ADDS,
        description="Link a work item to others.",
        document=LINKS,
        root="workItemAddLinkedItems",
        properties=LINK_ARGUMENTS,
        required=("work_items_ids",),
    ),
    CreateMergeRequestNoteTool(
        "create_merge_request_note",
        lifetime=Lifetime("19.2"),
        hints=ADDS,
        description="Comment on a merge request.",
        document=NOTE,
        root="createNote",
        properties=NOTE_OF_MERGE_REQUEST_ARGUMENTS,
        required=("body",),
        is_closed=True,
    ),
    ListMergeRequestNotesTool(
        "get_merge_request_notes",
        lifetime=Lifetime("19.2"),
        hints=READS,
        description="List the comments on a merge request.",
        document=NOTES_OF_MERGE_REQUEST,
        root="project",
        properties=NOTES_OF_MERGE_REQUEST_ARGUMENTS,
    ),
)


def list_tools(profile: Profile) -> list[Tool]:
    """Return the tools of a release."""
    return [tool for tool in TOOLS if profile.has(tool.lifetime)]


def find_tool(profile: Profile, name: str) -> Tool | None:
    """Return the tool that a release knows by a name, or None."""
    return next((tool for tool in list_tools(profile) if tool.has_name(name, profile)), None)
