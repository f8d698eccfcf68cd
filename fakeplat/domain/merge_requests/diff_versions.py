"""How merge requests differ from their targets: the versions that pushes leave, and what stands in the newest.

A version that a scenario made is ``declared``: its commits are worked out from the branches when somebody asks, and
noted before the first of these branches moves. Source: docs/platform/merge-requests.md ('versions').
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from attrs import evolve

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain.repository import diffs, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.diffs import DiffOfFile
from fakeplat.model.merge_requests import DiffRefs, DiffVersion, MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.records import Commit
    from fakeplat.git.repository import Repository as Git

HEAD_REF: Final = "refs/merge-requests/{}/head"
MERGE_REF: Final = "refs/merge-requests/{}/merge"
_KEEP: Final = "refs/keep-around/"


def list_versions(world: World, merge_request: MergeRequest) -> Sequence[DiffVersion]:
    """All versions of a merge request, the newest first."""
    return world.diff_versions.where("merge_request", merge_request.id).backwards()


def latest_version(world: World, merge_request: MergeRequest) -> DiffVersion | None:
    """The version that stands."""
    return next(iter(list_versions(world, merge_request)), None)


def refs_of(world: World, version: DiffVersion | None) -> DiffRefs | None:
    """The commits of a version; None where there is no source branch."""
    if version is None or not version.declared:
        return version.refs if version else None
    merge_request = world.merge_requests[version.merge_request_id]
    return _declared(world, merge_request)


def latest_refs(world: World, merge_request: MergeRequest) -> DiffRefs | None:
    """The commits of the version that stands."""
    return refs_of(world, latest_version(world, merge_request))


def head_sha(world: World, merge_request: MergeRequest) -> str | None:
    """The head of the source branch, as last seen."""
    found = latest_refs(world, merge_request)
    return found.head if found else None


def merge_commit(world: World, merge_request: MergeRequest) -> str | None:
    """With which commit it was merged; of what a scenario made, the one by which its head came into the target."""
    version = latest_version(world, merge_request)
    if merge_request.state != "merged" or merge_request.merge_commit_sha or version is None or not version.declared:
        return merge_request.merge_commit_sha
    found = refs_of(world, version)
    landed = _landed(world, merge_request, found.head) if found else None
    return landed.sha if landed and found and landed.sha != found.head else None


def add_version(ctx: WriteContext, merge_request: MergeRequest, *, at: str | None = None) -> DiffVersion:
    """Note how it differs now, and keep its commits from being lost."""
    found = current_refs(ctx.world, merge_request)
    return insert_version(ctx, merge_request, at or ctx.now_iso, found)


def insert_version(ctx: WriteContext, merge_request: MergeRequest, at: str, found: DiffRefs | None) -> DiffVersion:
    """Note a version with some commits."""
    version = _new(ctx, merge_request, at, found)
    _keep(ctx, merge_request, found)
    return version


def declare_version(ctx: WriteContext, merge_request: MergeRequest) -> DiffVersion:
    """Note that it differs as its branches do, which nobody looks at yet."""
    return _new(ctx, merge_request, merge_request.created_at, None, declared=True)


def _new(
    ctx: WriteContext, merge_request: MergeRequest, at: str, found: DiffRefs | None, *, declared: bool = False
) -> DiffVersion:
    table, one = ctx.world.diff_versions, merge_request
    return table.add(
        DiffVersion(table.next_id(), one.id, one.project_id, one.source_project_id, at, found, declared=declared)
    )


def _keep(ctx: WriteContext, merge_request: MergeRequest, found: DiffRefs | None) -> None:
    if found is None:
        return
    project = ctx.world.projects[merge_request.project_id]
    repositories.keep_objects(
        ctx,
        project,
        {
            HEAD_REF.format(merge_request.iid): found.head,
            **{_KEEP + sha: sha for sha in (found.head, found.start)},
        },
    )


def pin_declared(ctx: WriteContext, project: Project) -> None:
    """Note the commits of what is declared from or to a project, before its branches move."""
    for version in list(ctx.world.diff_versions.where("declared", project.id)):
        merge_request = ctx.world.merge_requests[version.merge_request_id]
        found = refs_of(ctx.world, version)
        merged_with = merge_commit(ctx.world, merge_request)
        ctx.world.diff_versions.change(version, refs=found, declared=False)
        ctx.world.merge_requests.change(merge_request, merge_commit_sha=merged_with)
        _keep(ctx, merge_request, found)


def with_heads(world: World, project: Project) -> "Git":
    """Return a project's repository with the heads of merge requests whose commits nobody has noted yet."""
    git = repositories.open_repository(world, project)
    declared = (world.merge_requests[version.merge_request_id] for version in _declared_into(world, project))
    heads = {HEAD_REF.format(merge_request.iid): head_sha(world, merge_request) for merge_request in declared}
    return evolve(git, refs={**git.refs, **{name: sha for name, sha in heads.items() if sha is not None}})


def _declared_into(world: World, project: Project) -> Iterator[DiffVersion]:
    versions = world.diff_versions.where("declared", project.id)
    return (version for version in versions if version.project_id == project.id)


def current_refs(world: World, merge_request: MergeRequest) -> DiffRefs | None:
    """How the branches differ as they stand; None where one of them is not there."""
    source, target = source_head(world, merge_request), target_head(world, merge_request)
    if source is None or target is None:
        return None
    return DiffRefs(_merge_base(world, merge_request, target, source) or target, target, source)


def source_head(world: World, merge_request: MergeRequest) -> str | None:
    """Where the source branch stands."""
    return _branch(world, merge_request.source_project_id, merge_request.source_branch)


def target_head(world: World, merge_request: MergeRequest) -> str | None:
    """Where the target branch stands."""
    return _branch(world, merge_request.project_id, merge_request.target_branch)


def _branch(world: World, project_id: int | None, name: str) -> str | None:
    project = world.projects.get(project_id) if project_id is not None else None
    return repositories.open_repository(world, project).refs.get(BRANCHES + name) if project else None


def _declared(world: World, merge_request: MergeRequest) -> DiffRefs | None:
    found = current_refs(world, merge_request)
    if found is None or merge_request.state != "merged":
        return found
    landed = _landed(world, merge_request, found.head)
    if landed is None or not landed.parents:
        return found
    start = landed.parents[0]
    return DiffRefs(_merge_base(world, merge_request, start, found.head) or start, start, found.head)


def _landed(world: World, merge_request: MergeRequest, head_sha: str) -> "Commit | None":
    """The commit on the target's own line by which a head came into it; kept, as commits never change."""
    target = target_head(world, merge_request)
    git = _git(world, merge_request)
    kept: dict[tuple[str, str | None], Commit | None] = git.objects.kept.setdefault("landed", {})
    if (head_sha, target) not in kept:
        kept[head_sha, target] = landed_between(git, head_sha, target) if target else None
    return kept[head_sha, target]


def landed_between(git: "Git", head_sha: str, target: str) -> "Commit | None":
    """The oldest commit on a line of first parents that has a head among its ancestors."""
    from fakeplat.git.writing import can_fast_forward

    found, sha = None, target
    while can_fast_forward(git.objects, head_sha, sha):
        found = git.objects.commit(sha)
        if not found.parents:
            break
        sha = found.parents[0]
    return found


def _merge_base(world: World, merge_request: MergeRequest, ours: str, theirs: str) -> str | None:
    from fakeplat.git.history import History

    objects = _git(world, merge_request).objects
    history = History.of(objects)
    both = history.best_common(objects, history.ancestors(objects, ours), history.ancestors(objects, theirs))
    return next(iter(both), None)


def _git(world: World, merge_request: MergeRequest) -> "Git":
    return repositories.open_repository(world, world.projects[merge_request.project_id])


def list_commits(world: World, merge_request: MergeRequest, found: DiffRefs | None) -> list[ProjectCommit]:
    """The commits that only the source has, the newest first."""
    if found is None:
        return []
    from fakeplat.git.walk import Selection, by_date

    project = world.projects[merge_request.project_id]
    objects = _git(world, merge_request).objects
    chosen = by_date(objects, Selection((found.head,), (found.base,)))
    return [ProjectCommit(project, commit) for commit in chosen]


def list_diffs(
    world: World, merge_request: MergeRequest, found: DiffRefs | None, *, raw: bool = False
) -> Sequence[DiffOfFile]:
    """How files differ; ``raw``: without the limits of the whole."""
    if found is None:
        return []
    from fakeplat.git.diffs import diff_trees

    objects = _git(world, merge_request).objects
    files = diff_trees(objects, objects.commit(found.base).tree, objects.commit(found.head).tree)
    return diffs.present_diff(world, files) if raw else diffs.limit_diffs(world, files)


def file_count(world: World, merge_request: MergeRequest, found: DiffRefs | None) -> int:
    """How many files differ."""
    if found is None or found.base == found.head:
        return 0
    from fakeplat.git.diffs import count_lines

    objects = _git(world, merge_request).objects
    return count_lines(objects, objects.commit(found.base).tree, objects.commit(found.head).tree).files


def is_missing_source(world: World, merge_request: MergeRequest) -> bool:
    """Whether the source branch, or the fork, is gone."""
    return source_head(world, merge_request) is None


def count_diverged_commits(world: World, merge_request: MergeRequest) -> int:
    """How many commits the target has that the source has not."""
    source, target = source_head(world, merge_request), target_head(world, merge_request)
    if source is None or target is None:
        return 0
    from fakeplat.git.history import History

    objects = _git(world, merge_request).objects
    history = History.of(objects)
    return (history.ancestors(objects, target) & ~history.ancestors(objects, source)).bit_count()


def list_containing(world: World, project: Project, sha: str) -> list[MergeRequest]:
    """The merge requests into a project whose commits a commit is among, or that it merged; the newest first."""
    ids = iterate_bits(world.merge_requests.bits("facts", ("project", project.id)))
    found = (world.merge_requests[id_] for id_ in ids)
    return [one for one in found if _holds(world, one, sha)][::-1]


def _holds(world: World, merge_request: MergeRequest, sha: str) -> bool:
    from fakeplat.git.writing import can_fast_forward

    if sha in (merge_commit(world, merge_request), merge_request.squash_commit_sha):
        return True
    found = latest_refs(world, merge_request)
    if found is None:
        return False
    objects = _git(world, merge_request).objects
    return can_fast_forward(objects, sha, found.head) and not can_fast_forward(objects, sha, found.base)
