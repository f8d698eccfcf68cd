"""Diff versions of merge requests: one per push, with its base, start and head commits, and the diffs of the latest.

A version that comes from a scenario is ``declared``: its commits are computed from the branches when they are needed,
and stored before the first of these branches moves. Source: docs/platform/merge-requests.md ('versions').
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
from fakeplat.model.world import World
from fakeplat.policy.behaviours import GENERATED_FILES_ARE_DETECTED
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects
    from fakeplat.git.records import Commit
    from fakeplat.git.repository import Repository as Git

HEAD_REF: Final = "refs/merge-requests/{}/head"
MERGE_REF: Final = "refs/merge-requests/{}/merge"
TRAIN_REF: Final = "refs/merge-requests/{}/train"
_KEEP_AROUND_REF: Final = "refs/keep-around/"


def list_versions(world: World, merge_request: MergeRequest) -> Sequence[DiffVersion]:
    """Return all versions of a merge request, newest first."""
    return world.diff_versions.where("merge_request", merge_request.id).in_reverse()


def latest_version(world: World, merge_request: MergeRequest) -> DiffVersion | None:
    """Return the newest version; None without one."""
    return world.diff_versions.newest("merge_request", merge_request.id)


def refs_of(world: World, version: DiffVersion | None) -> DiffRefs | None:
    """Return the commits of a version; None without a source branch."""
    if version is None or not version.declared:
        return version.refs if version else None
    merge_request = world.merge_requests[version.merge_request_id]
    return _compute_declared_refs(world, merge_request)


def latest_refs(world: World, merge_request: MergeRequest) -> DiffRefs | None:
    """Return the commits of the newest version."""
    return refs_of(world, latest_version(world, merge_request))


def head_sha(world: World, merge_request: MergeRequest) -> str | None:
    """Return the head of the source branch as of the newest version."""
    refs = latest_refs(world, merge_request)
    return refs.head if refs else None


def merge_commit_sha(world: World, merge_request: MergeRequest) -> str | None:
    """Return the sha of the merge commit; for a declared version, of the commit that brought in its head."""
    if merge_request.state != "merged" or merge_request.merge_commit_sha:
        return merge_request.merge_commit_sha
    version = latest_version(world, merge_request)
    if version is None or not version.declared:
        return None
    refs = refs_of(world, version)
    landed = _find_landing_commit(world, merge_request, refs.head) if refs else None
    # A fast-forward moves the target to the head itself, without a merge commit.
    return landed.sha if landed and refs and landed.sha != refs.head else None


def add_version(ctx: WriteContext, merge_request: MergeRequest, *, at: str | None = None) -> DiffVersion:
    """Add a version with the current commits of the branches, and keep these commits reachable."""
    refs = compute_refs(ctx.world, merge_request)
    return insert_version(ctx, merge_request, at or ctx.now_iso, refs)


def insert_version(ctx: WriteContext, merge_request: MergeRequest, at: str, refs: DiffRefs | None) -> DiffVersion:
    """Add a version with the given commits, and keep them reachable."""
    version = _insert_record(ctx, merge_request, at, refs)
    _keep_reachable(ctx, merge_request, refs)
    return version


def declare_version(ctx: WriteContext, merge_request: MergeRequest) -> DiffVersion:
    """Add a declared version, whose commits are computed later."""
    return _insert_record(ctx, merge_request, merge_request.created_at, None, declared=True)


def _insert_record(
    ctx: WriteContext, merge_request: MergeRequest, created_at: str, refs: DiffRefs | None, *, declared: bool = False
) -> DiffVersion:
    table = ctx.world.diff_versions
    project_id, source_id = merge_request.project_id, merge_request.source_project_id
    return table.add(
        DiffVersion(table.next_id(), merge_request.id, project_id, source_id, created_at, refs, declared=declared)
    )


def _keep_reachable(ctx: WriteContext, merge_request: MergeRequest, refs: DiffRefs | None) -> None:
    if refs is None:
        return
    project = ctx.world.projects[merge_request.project_id]
    repositories.set_internal_refs(
        ctx,
        project,
        {
            HEAD_REF.format(merge_request.iid): refs.head,
            # These outlive a forced push to the source; the base, an ancestor of the start, needs no ref.
            **{_KEEP_AROUND_REF + sha: sha for sha in (refs.head, refs.start)},
        },
    )


def store_declared_refs(ctx: WriteContext, project: Project) -> None:
    """Store the commits of declared versions from or to a project, before its branches move."""
    # A list, because storing the refs removes the version from the index that is iterated.
    for version in list(ctx.world.diff_versions.where("declared", project.id)):
        merge_request = ctx.world.merge_requests[version.merge_request_id]
        # Compute both before changing the version: they are derived only while it is declared.
        refs = refs_of(ctx.world, version)
        merge_sha = merge_commit_sha(ctx.world, merge_request)
        ctx.world.diff_versions.change(version, refs=refs, declared=False)
        ctx.world.merge_requests.change(merge_request, merge_commit_sha=merge_sha)
        _keep_reachable(ctx, merge_request, refs)


def open_with_heads(world: World, project: Project) -> "Git":
    """Return a project's repository including the heads of merge requests with declared versions."""
    git = repositories.open_repository(world, project)
    declared = (world.merge_requests[version.merge_request_id] for version in _list_declared_into(world, project))
    heads = {HEAD_REF.format(merge_request.iid): head_sha(world, merge_request) for merge_request in declared}
    return evolve(git, refs={**git.refs, **{name: sha for name, sha in heads.items() if sha is not None}})


def _list_declared_into(world: World, project: Project) -> Iterator[DiffVersion]:
    # The index also holds versions from the project into others, whose refs belong to their targets' repositories.
    versions = world.diff_versions.where("declared", project.id)
    return (version for version in versions if version.project_id == project.id)


def compute_refs(world: World, merge_request: MergeRequest) -> DiffRefs | None:
    """Compute the commits from the current branches; None if one of them does not exist."""
    git = _open_target(world, merge_request)
    target = git.find_branch(merge_request.target_branch)
    if merge_request.source_project_id == merge_request.project_id:
        source = git.find_branch(merge_request.source_branch)
    else:
        source = source_head_sha(world, merge_request)
    if source is None or target is None:
        return None
    # Unrelated histories have no merge base; their diff starts at the target.
    return DiffRefs(_merge_base(git.objects, target, source) or target, target, source)


def source_head_sha(world: World, merge_request: MergeRequest) -> str | None:
    """Return the current head of the source branch."""
    return _branch_sha(world, merge_request.source_project_id, merge_request.source_branch)


def target_head_sha(world: World, merge_request: MergeRequest) -> str | None:
    """Return the current head of the target branch."""
    return _branch_sha(world, merge_request.project_id, merge_request.target_branch)


def _branch_sha(world: World, project_id: int | None, name: str) -> str | None:
    project = world.projects.get(project_id) if project_id is not None else None
    return repositories.open_repository(world, project).find_branch(name) if project else None


def _compute_declared_refs(world: World, merge_request: MergeRequest) -> DiffRefs | None:
    # Once merged, the target contains the head: the start is where the target was before the merge.
    refs = compute_refs(world, merge_request)
    if refs is None or merge_request.state != "merged":
        return refs
    landed = _find_landing_commit(world, merge_request, refs.head)
    if landed is None or not landed.parents:
        return refs
    start = landed.parents[0]
    objects = _open_target(world, merge_request).objects
    return DiffRefs(_merge_base(objects, start, refs.head) or start, start, refs.head)


def _find_landing_commit(world: World, merge_request: MergeRequest, head_sha: str) -> "Commit | None":
    """Return the first-parent commit of the target that brought a head into it."""
    target = target_head_sha(world, merge_request)
    git = _open_target(world, merge_request)
    # Commits are immutable, so an entry for a pair of shas never becomes stale.
    cached: dict[tuple[str, str | None], Commit | None] = git.objects.caches.setdefault("landed", {})
    if (head_sha, target) not in cached:
        cached[head_sha, target] = find_landing_commit(git, head_sha, target) if target else None
    return cached[head_sha, target]


def find_landing_commit(git: "Git", head_sha: str, target: str) -> "Commit | None":
    """Return the oldest commit on the first-parent line of a target that has a head among its ancestors."""
    from fakeplat.git.writing import can_fast_forward

    landed, sha = None, target
    # The head is an ancestor of the landing commit and of everything after it, but of nothing before it.
    while can_fast_forward(git.objects, head_sha, sha):
        landed = git.objects.commit(sha)
        if not landed.parents:
            break
        sha = landed.parents[0]
    return landed


def _merge_base(objects: "Objects", ours: str, theirs: str) -> str | None:
    cached: dict[tuple[str, str], str | None] = objects.caches.setdefault("merge bases", {})
    if (ours, theirs) not in cached:
        cached[ours, theirs] = _find_merge_base(objects, ours, theirs)
    return cached[ours, theirs]


def _find_merge_base(objects: "Objects", ours: str, theirs: str) -> str | None:
    from fakeplat.git.history import History

    history = History.of(objects)
    bases = history.best_common(objects, history.ancestors(objects, ours), history.ancestors(objects, theirs))
    # Criss-cross merges leave several best common ancestors; git merge-base, too, shows only one of them.
    return next(iter(bases), None)


def _open_target(world: World, merge_request: MergeRequest) -> "Git":
    return repositories.open_repository(world, world.projects[merge_request.project_id])


def list_commits(world: World, merge_request: MergeRequest, refs: DiffRefs | None) -> list[ProjectCommit]:
    """Return the commits that only the source has, newest first."""
    if refs is None:
        return []
    project = world.projects[merge_request.project_id]
    objects = _open_target(world, merge_request).objects
    cached: dict[tuple[str, str], tuple[Commit, ...]] = objects.caches.setdefault("only in head", {})
    if (refs.base, refs.head) not in cached:
        cached[refs.base, refs.head] = _walk_between(objects, refs)
    return [ProjectCommit(project, commit) for commit in cached[refs.base, refs.head]]


def _walk_between(objects: "Objects", refs: DiffRefs) -> "tuple[Commit, ...]":
    from fakeplat.git.walk import Selection, walk_by_date

    return tuple(walk_by_date(objects, Selection((refs.head,), (refs.base,))))


def list_committer_emails(world: World, merge_request: MergeRequest) -> list[str]:
    """Return the addresses of those who committed what only the source has, without merges, each once."""
    commits = (each.commit for each in list_commits(world, merge_request, latest_refs(world, merge_request)))
    return list(dict.fromkeys(commit.committer.email for commit in commits if len(commit.parents) == 1))


def list_diffs(
    world: World, merge_request: MergeRequest, refs: DiffRefs | None, *, raw: bool = False
) -> Sequence[DiffOfFile]:
    """Return the diffs of files; ``raw``: without the limits on the total size."""
    if refs is None:
        return []
    from fakeplat.git.diffs import diff_trees

    objects = _open_target(world, merge_request).objects
    files = diff_trees(objects, objects.commit(refs.base).tree, objects.commit(refs.head).tree)
    shown = diffs.present_diff(world, files) if raw else diffs.limit_diffs(world, files)
    if not world.profile.has(GENERATED_FILES_ARE_DETECTED):
        return shown
    from fakeplat.domain.reviews.generated_files import mark_generated

    return mark_generated(objects, refs, shown)


def list_changed_paths(world: World, merge_request: MergeRequest) -> set[str]:
    """Return the paths of all changed files, of renamed ones both."""
    refs = latest_refs(world, merge_request)
    if refs is None:
        return set()
    from fakeplat.git.diffs import diff_trees

    objects = _open_target(world, merge_request).objects
    files = diff_trees(objects, objects.commit(refs.base).tree, objects.commit(refs.head).tree)
    return {path for file in files for path in (file.old_path, file.new_path)}


def get_raw_diff(world: World, merge_request: MergeRequest, refs: DiffRefs | None) -> bytes:
    """Return the output of ``git diff`` for all files, without limits."""
    if refs is None:
        return b""
    from fakeplat.git.diffs import diff_trees

    objects = _open_target(world, merge_request).objects
    files = diff_trees(objects, objects.commit(refs.base).tree, objects.commit(refs.head).tree, binary=True)
    return b"".join(file.text for file in files)


def count_files(world: World, merge_request: MergeRequest, refs: DiffRefs | None) -> int:
    """Return the number of changed files."""
    if refs is None or refs.base == refs.head:
        return 0
    from fakeplat.git.diffs import count_lines

    objects = _open_target(world, merge_request).objects
    return count_lines(objects, objects.commit(refs.base).tree, objects.commit(refs.head).tree).files


def identify_patch(world: World, merge_request: MergeRequest, refs: DiffRefs | None) -> str | None:
    """Return the hash of the changes, which stays when they are rebased; None without changes."""
    if refs is None or refs.base == refs.head:
        return None
    from fakeplat.git import diffs

    objects = _open_target(world, merge_request).objects
    trees = (objects.commit(sha).tree for sha in (refs.base, refs.head))
    return diffs.identify_patch(diffs.diff_trees(objects, *trees))


def has_commits(world: World, merge_request: MergeRequest) -> bool:
    """Return whether the source branch exists and has commits that the target branch lacks."""
    refs = latest_refs(world, merge_request)
    return refs is not None and refs.head != refs.base and not is_missing_source(world, merge_request)


def is_missing_source(world: World, merge_request: MergeRequest) -> bool:
    """Return whether the source branch or the whole source project no longer exists."""
    return source_head_sha(world, merge_request) is None


def count_diverged_commits(world: World, merge_request: MergeRequest) -> int:
    """Return how many commits of the target are missing in the source."""
    source, target = source_head_sha(world, merge_request), target_head_sha(world, merge_request)
    if source is None or target is None:
        return 0
    from fakeplat.git.history import History

    objects = _open_target(world, merge_request).objects
    history = History.of(objects)
    # Ancestors are bitsets: this counts what git rev-list --count source..target counts.
    return (history.ancestors(objects, target) & ~history.ancestors(objects, source)).bit_count()


def list_containing(world: World, project: Project, sha: str) -> list[MergeRequest]:
    """Return the merge requests into a project that contain a commit or were merged by it, newest first."""
    ids = iterate_bits(world.merge_requests.bits("facts", ("project", project.id)))
    merge_requests = (world.merge_requests[id_] for id_ in ids)
    # Bits are iterated by ascending id, so the newest merge request is the last until this reversal.
    return [merge_request for merge_request in merge_requests if _contains_commit(world, merge_request, sha)][::-1]


def _contains_commit(world: World, merge_request: MergeRequest, sha: str) -> bool:
    from fakeplat.git.writing import can_fast_forward

    if sha in (merge_commit_sha(world, merge_request), merge_request.squash_commit_sha):
        return True
    refs = latest_refs(world, merge_request)
    if refs is None:
        return False
    objects = _open_target(world, merge_request).objects
    # A commit belongs to the merge request if its head contains it and its base does not.
    return can_fast_forward(objects, sha, refs.head) and not can_fast_forward(objects, sha, refs.base)
