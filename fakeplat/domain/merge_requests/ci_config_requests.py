"""Merge requests that bring the CI configuration that a project lacks. Source: docs/platform/merge-requests.md."""

from typing import Final

from fakeplat.core.operations.errors import BadRequest, Unprocessable
from fakeplat.domain.ci import ci_files
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.merge_requests.merge_requests import MergeRequestParams
from fakeplat.domain.repository import branches, commit_actions, repositories
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import WriteContext

_TITLE: Final = "Add ci config file"
_NO_PUSH: Final = "You are not allowed to push code to this project."
# Short and our own, with the stages and jobs of the platform's template for beginners.
_CONTENT: Final = """\
stages: [build, test, deploy]

build-job:
  stage: build
  script: echo "Compile the code"

unit-test-job:
  stage: test
  script: echo "Run the unit tests"

lint-test-job:
  stage: test
  script: echo "Check the style of the code"

deploy-job:
  stage: deploy
  environment: production
  script: echo "Deploy the application"
"""


def create(ctx: WriteContext, project: Project) -> MergeRequest:
    """Propose a CI configuration in a new branch; 422 if the project has one, or has no default branch."""
    git, path = repositories.open_repository(ctx.world, project), ci_files.ci_path(project)
    tip = git.find_branch(project.default_branch)
    if tip is None or project.default_branch is None:
        raise Unprocessable("Project must have default branch", reason="the repository is empty")
    if git.entry(tip, path) is not None:
        raise Unprocessable("Ci config already present", reason=f"{project.default_branch!r} has {path}")
    if not can(ctx, Ability.PUSH_CODE, project):
        raise BadRequest(_NO_PUSH, reason=lambda: f"{caller_name(ctx)} needs Developer")
    branch = f"add-ci-config-{ctx.random_hex('branch of a CI configuration', 8)}"
    branches.create(ctx, project, branch, project.default_branch)
    commit_actions.commit(ctx, project, NewCommit(branch, _TITLE, [Action("create", path, _CONTENT.encode())]))
    fields: MergeRequestParams = {"source_branch": branch, "target_branch": project.default_branch, "title": _TITLE}
    return merge_requests.create(ctx, project, ctx.signed_in_user, **fields)
