"""The tool that shows the conflicts of merge requests. Source: docs/platform/mcp.md ('Merge requests')."""

from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.merge_requests import merge_checks
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import ToolError, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.records import build_not_found, get_project
from fakeplat.mcp.tools.tool import FixedTool
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.behaviours import HIDDEN_PARENTS_ARE_NOT_FOUND

CONFLICT_ARGUMENTS: Final = {
    "project_id": describe("string", "The id or full path of the project"),
    "merge_request_iid": describe("integer", "The number of the merge request"),
}
_MERGEABLE: Final = "can_be_merged"
_CONFLICTING: Final = "cannot_be_merged"


@frozen
class GetConflictsTool(FixedTool):
    """The files in conflict, with git's markers. Those may ask who may push to the source branch."""

    def call(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Look up the merge request before the arguments are checked, as the platform does."""
        try:
            self._authorize(session, self._get_merge_request(session, arguments))
        except ToolError as failure:
            return failure.result
        return super().call(session, arguments)

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Return the files in conflict as a text."""
        from fakeplat.git.errors import MissingSide

        merge_request = self._get_merge_request(session, arguments)
        status = merge_request.merge_status
        if status == _MERGEABLE:
            return ToolResult.of_error("Merge request does not have conflicts")
        if status != _CONFLICTING:
            return ToolResult.of_error(
                f"Merge request merge status is '{status}' — "
                "conflicts cannot be determined until mergeability has been checked"
            )
        try:
            files = merge_checks.list_conflicts(session.ctx.world, merge_request)
        except MissingSide:
            raise ToolError("9:conflict side missing") from None
        if files is None:
            return ToolResult.of_error("Cannot retrieve conflicts: missing branches or diff refs")
        names = (file.ours if file.ours == file.theirs else f"{file.theirs} -> {file.ours}" for file in files)
        texts = (f"# File: {name}\n{file.text}" for name, file in zip(names, files, strict=True))
        return ToolResult("\n\n".join(texts), {})

    def _get_merge_request(self, session: ToolSession, arguments: Arguments) -> MergeRequest:
        reference, iid = arguments.get("project_id"), arguments.get("merge_request_iid")
        if not isinstance(reference, str):
            raise ToolError("project_id must be a string")
        world = session.ctx.world
        if session.profile.has(HIDDEN_PARENTS_ARE_NOT_FOUND):
            project = get_project(session, reference)
        else:
            found = namespaces.find_project(world, reference)
            if found is None:
                raise build_not_found("project", reference)
            project = found
        number = parse_number(str(iid))
        merge_request = world.merge_requests.find("iid", (project.id, number)) if number is not None else None
        if merge_request is None:
            raise ToolError(f"{self.name}: merge request not found")
        return merge_request

    def _authorize(self, session: ToolSession, merge_request: MergeRequest) -> None:
        ctx, user_id = session.ctx, session.ctx.signed_in_user.id
        if not noteables.is_visible(ctx, merge_request):
            raise ToolError(
                f"CustomService: User {user_id} does not have permission to read_merge_request "
                f"for target {merge_request.id}"
            )
        source = ctx.world.projects.get(merge_request.source_project_id or 0)
        if source is None:
            raise ToolError(f"{self.name}: source project not found")
        branch = merge_request.source_branch
        if not protection.can_push(ctx, source, branch):
            raise ToolError(
                f"User {user_id} does not have permission to push to branch '{branch}' in project {source.id}"
            )
