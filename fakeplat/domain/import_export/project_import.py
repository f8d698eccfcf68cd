"""A project from an archive. A row that cannot be imported is left out, and reported."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from attrs import define, field

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.params.body import Upload
from fakeplat.core.store.persistent_map import Map
from fakeplat.core.store.references import Subject
from fakeplat.core.store.table import KeyTaken
from fakeplat.domain import uploads
from fakeplat.domain.import_export import (
    activity_parts,
    archive_files,
    board_parts,
    ci_parts,
    discussion_parts,
    epic_parts,
    setting_parts,
)
from fakeplat.domain.import_export.archive_files import BadArchiveError, Files, Rows
from fakeplat.domain.import_export.project_export import BUNDLE, FEATURE_LEVELS, SETTINGS, WIKI_BUNDLE
from fakeplat.domain.import_export.reading import Resolver, Row, read_fields, rows_in, text_in
from fakeplat.domain.issuables import timelogs
from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.people import members
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import labels
from fakeplat.domain.releases import release_links, releases
from fakeplat.domain.repository import lfs, protection, repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.snippets import snippet_files, snippets
from fakeplat.domain.snippets.snippet_files import FileWriteError
from fakeplat.domain.wikis import wikis
from fakeplat.model.import_export import FailedRelation
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import DiffRefs, MergeRequest, Reviewer
from fakeplat.model.people import VISIBILITY_RANK, User
from fakeplat.model.projects import FEATURES, Project
from fakeplat.model.releases import Release, ReleaseLink
from fakeplat.model.repository import Refs
from fakeplat.model.snippets import Snippet
from fakeplat.policy.context import WriteContext

_ISSUABLE: Final = (
    "iid title description state created_at updated_at closed_at discussion_locked time_estimate total_time_spent"
).split()
_ISSUE: Final = [
    *_ISSUABLE,
    *"kind start_date due_date confidential weight health_status severity relative_position".split(),
    *"work_status escalation_status".split(),
]
_MERGE_REQUEST: Final = [
    *_ISSUABLE,
    *"source_branch target_branch merged_at merge_status merge_commit_sha squash_commit_sha squash".split(),
    *"merge_commit_message squash_commit_message force_remove_source_branch allow_collaboration".split(),
]
_RELEASE: Final = "name description sha created_at updated_at released_at".split()
_LINK: Final = "name url created_at updated_at filepath link_type".split()
_SNIPPET: Final = "title description created_at updated_at".split()
# Whatever is wrong with a row of an archive, it is a mistake of the archive.
_FAULTS: Final = (Refusal, BadArchiveError, ValueError, TypeError, KeyError, KeyTaken, FileWriteError)

_PARTS: Final[dict[str, Callable[[Resolver, Project, Row], object]]] = {
    "ci_pipelines": ci_parts.import_pipeline,
    "triggers": ci_parts.import_trigger,
    "pipeline_schedules": ci_parts.import_schedule,
    "auto_devops": setting_parts.import_auto_devops,
    "container_expiration_policy": setting_parts.import_cleanup_policy,
    "custom_attributes": setting_parts.import_custom_attribute,
    "protected_environments": setting_parts.import_protected_environment,
    "push_rule": setting_parts.import_push_rule,
}


@define
class ProjectImporter:
    """The import of an archive's files into a project. ``failures``: the rows that could not be imported."""

    ctx: WriteContext
    project: Project
    importer: User
    archive: Files
    failures: list[FailedRelation] = field(factory=list)

    def run(self) -> None:
        """Import everything; BadArchiveError if the archive has no project."""
        if "VERSION" not in self.archive:
            raise BadArchiveError("the archive has no VERSION")
        tree = archive_files.Tree(self.archive, "project", legacy="project.json")
        resolver = Resolver(self.ctx, self.project, self.importer)
        resolver.learn_members(tree.rows("project_members"))
        self._import_repositories(tree.attributes)
        self._import_attributes(tree)
        for relation, import_row in self._relations(resolver).items():
            self._import_rows(relation, tree.rows(relation), import_row)
        self._import_files()

    def run_relation(self, relation: str, is_known: Callable[[int], bool]) -> None:
        """Import the records of one relation, except those whose numbers the project has already."""
        if "VERSION" not in self.archive:
            raise BadArchiveError("the archive has no VERSION")
        tree = archive_files.Tree(self.archive, "project", legacy="project.json")
        resolver = Resolver(self.ctx, self.project, self.importer)
        resolver.learn_members(tree.rows("project_members"))
        missing = (row for row in tree.rows(relation) if not (isinstance(row.get("iid"), int) and is_known(row["iid"])))
        self._import_rows(relation, list(missing), self._relations(resolver)[relation])

    def _relations(self, resolver: Resolver) -> dict[str, Callable[[Row], object]]:
        return {
            "project_members": lambda row: self._import_member(resolver, row),
            "labels": lambda row: self._import_label(resolver, row),
            "milestones": lambda row: self._import_milestone(resolver, row),
            "issues": lambda row: self._import_issue(resolver, row),
            "merge_requests": lambda row: self._import_merge_request(resolver, row),
            "snippets": lambda row: self._import_snippet(resolver, row),
            "releases": lambda row: self._import_release(resolver, row),
            "protected_branches": self._import_protected_branch,
            "protected_tags": self._import_protected_tag,
            "boards": partial(board_parts.import_board, resolver),
            "project_badges": partial(board_parts.import_badge, resolver),
            **{relation: partial(self._import_part, resolver, part) for relation, part in _PARTS.items()},
        }

    def _import_part(self, resolver: Resolver, part: Callable[[Resolver, Project, Row], object], row: Row) -> None:
        part(resolver, self.ctx.world.projects[self.project.id], row)

    def _import_rows(self, relation: str, rows: Rows, import_row: Callable[[Row], object]) -> None:
        for row in rows:
            self._attempt(relation, partial(import_row, row))

    def _attempt(self, relation: str, action: Callable[[], object]) -> None:
        """Run an action; if the archive is at fault, undo and report it."""
        state = self.ctx.world.frozen()
        try:
            action()
        except _FAULTS as fault:
            self.ctx.world.roll_back(state)
            self._report(relation, fault)

    def _report(self, relation: str, fault: Exception) -> None:
        text = str(fault) or type(fault).__name__
        if isinstance(fault, Refusal):
            text = str(fault.payload)
        self.failures.append(
            FailedRelation(self.ctx.now_iso, type(fault).__name__, text, "process_relation_item!", relation)
        )

    # The project itself

    def _import_repositories(self, attributes: Row) -> None:
        bundle, wiki_bundle = self.archive.get(BUNDLE), self.archive.get(WIKI_BUNDLE)
        if bundle is not None:
            refs, head = self._read_bundle(bundle)
            branch = attributes.get("default_branch")
            head = f"refs/heads/{branch}" if isinstance(branch, str) and f"refs/heads/{branch}" in refs else head
            repositories.adopt_refs(self.ctx, self.project, refs, head)
        if wiki_bundle is not None:
            wikis.adopt_refs(self.ctx, self.project, *self._read_bundle(wiki_bundle))

    def _read_bundle(self, content: bytes) -> tuple[Refs, str | None]:
        from fakeplat.git.errors import GitError
        from fakeplat.git.import_repository import from_bundle

        try:
            imported = from_bundle(self.ctx.world.setup.store.objects, content)
        except GitError as error:
            raise BadArchiveError(f"a repository cannot be read: {error}") from error
        return Map(imported.refs), imported.head

    def _import_attributes(self, tree: archive_files.Tree) -> None:
        names = [name for name in SETTINGS if name not in ("default_branch", "container_registry_enabled")]
        if tree.attributes.get("container_registry_enabled") is False:
            self._change(container_registry_access_level="disabled")
        for row in tree.rows("project_feature")[:1]:
            self._change(**_feature_levels(row))
        self._attempt("project", lambda: self._change(**read_fields(Project, tree.attributes, names)))
        rank = tree.attributes.get("visibility_level")
        visibility = next((name for name, number in VISIBILITY_RANK.items() if number == rank), self.project.visibility)
        self._change(visibility=visibility if self._allows(visibility) else "private")

    def _change(self, **fields: object) -> None:
        self.project = self.ctx.world.projects.change(self.ctx.world.projects[self.project.id], **fields)

    def _allows(self, visibility: str) -> bool:
        """Return whether the namespace and the settings allow a visibility."""
        namespace = self.ctx.world.namespaces[self.project.namespace_id]
        highest = VISIBILITY_RANK[getattr(namespace, "visibility", "public")]
        restricted = () if self.importer.admin else self.ctx.world.settings.restricted_visibility_levels
        return VISIBILITY_RANK[visibility] <= highest and visibility not in restricted

    # Its parts

    def _import_member(self, resolver: Resolver, row: Row) -> None:
        user = resolver.find_user(row, "user")
        known = members.list_inherited(self.ctx.world, self.project)
        if user is None or any(member.user_id == user.id for member in known):
            return
        level = min(int(row["access_level"]), int(max(members.list_levels(self.ctx.world, self.project))))
        members.add_member(self.ctx, self.project, user, level, row.get("expires_at"))

    def _import_label(self, resolver: Resolver, row: Row) -> None:
        label = resolver.get_or_create_label(row)
        for priority in rows_in(row, "priorities"):
            labels.prioritize(self.ctx, self.project, label, int(priority["priority"]))

    def _import_milestone(self, resolver: Resolver, row: Row) -> None:
        milestone = resolver.get_or_create_milestone(row)
        activity_parts.import_events(resolver, row, ("milestone", milestone.id))

    def _import_issue(self, resolver: Resolver, row: Row) -> None:
        fields = {**read_fields(Issue, row, _ISSUE), **self._issuable_fields(resolver, row, "issue")}
        closer = resolver.find_user(row, "closed_by")
        fields["closed_by_id"] = closer.id if closer else None
        issue = issues.insert(self.ctx, self.project, **fields)
        timelogs.log_rest(self.ctx, issue)
        self._import_about(resolver, row, ("issue", issue.id))
        namespace = self.ctx.world.namespaces[self.project.namespace_id]
        epic_parts.import_epic_issue(resolver, namespace, row, issue)

    def _issuable_fields(self, resolver: Resolver, row: Row, kind: str) -> dict[str, Any]:
        assignees = (resolver.find_user(assignee, "user") for assignee in rows_in(row, f"{kind}_assignees"))
        return {
            "author_id": resolver.user_or_importer(row).id,
            "assignee_ids": tuple(dict.fromkeys(user.id for user in assignees if user is not None)),
            "label_ids": resolver.label_ids(row),
            "milestone_id": resolver.milestone_id(row),
            **discussion_parts.read_description(resolver, row),
        }

    def _import_merge_request(self, resolver: Resolver, row: Row) -> None:
        roles = {f"{role}_id": resolver.find_user(row, role) for role in ("merged_by", "closed_by", "merge_user")}
        fields = {
            **read_fields(MergeRequest, row, _MERGE_REQUEST),
            **self._issuable_fields(resolver, row, "merge_request"),
            **{name: user.id if user else None for name, user in roles.items()},
            "reviewers": tuple(self._read_reviewers(resolver, row)),
            # A fork is another project, which the archive does not have.
            "source_project_id": self.project.id,
        }
        merge_request = merge_requests.insert(self.ctx, self.project, **fields)
        timelogs.log_rest(self.ctx, merge_request)
        diff = row.get("merge_request_diff")
        names = ("base_commit_sha", "start_commit_sha", "head_commit_sha")
        shas = [str(diff.get(name)) for name in names] if isinstance(diff, dict) else []
        objects = self.ctx.world.setup.store.objects
        if shas and all(sha in objects for sha in shas):
            diff_versions.insert_version(self.ctx, merge_request, merge_request.created_at, DiffRefs(*shas))
        else:
            diff_versions.declare_version(self.ctx, merge_request)
        merge_requests.refresh_closing_issues(self.ctx, merge_request)
        self._import_about(resolver, row, ("merge_request", merge_request.id))

    def _read_reviewers(self, resolver: Resolver, row: Row) -> Iterator[Reviewer]:
        for reviewer in rows_in(row, "merge_request_reviewers"):
            user = resolver.find_user(reviewer, "user")
            if user is not None:
                fields = read_fields(Reviewer, reviewer, ("created_at", "state"))
                yield Reviewer(**{"user_id": user.id, "created_at": self.ctx.now_iso, **fields})

    def _import_about(self, resolver: Resolver, row: Row, subject: Subject) -> None:
        discussion_parts.import_discussion(resolver, row, subject)
        activity_parts.import_events(resolver, row, subject)
        activity_parts.import_label_events(resolver, row, subject)

    def _import_snippet(self, resolver: Resolver, row: Row) -> None:
        contents = row.get("files")
        files_by_path = contents if isinstance(contents, dict) else {row.get("file_name") or "": row.get("content")}
        author, visibility = resolver.user_or_importer(row), row.get("visibility_level")
        head = snippet_files.create_repository(
            self.ctx.world.setup.store.objects,
            [(str(path), str(text)) for path, text in files_by_path.items()],
            git_person(self.ctx, author),
        )
        level = next((name for name, number in VISIBILITY_RANK.items() if number == visibility), "private")
        fields = {**read_fields(Snippet, row, _SNIPPET), "visibility": level}
        snippet = snippets.insert_snippet(self.ctx, self.project, author, head=head, **fields)
        discussion_parts.import_discussion(resolver, row, ("snippet", snippet.id))

    def _import_release(self, resolver: Resolver, row: Row) -> None:
        milestones = [id_ for link in rows_in(row, "milestone_releases") if (id_ := resolver.milestone_id(link))]
        author = resolver.user_or_importer(row)
        fields = {**read_fields(Release, row, _RELEASE), "milestone_ids": tuple(milestones), "author_id": author.id}
        release = releases.insert(self.ctx, self.project, text_in(row, "tag"), **fields)
        for link in rows_in(row, "links"):
            release_links.insert(self.ctx, release, **read_fields(ReleaseLink, link, _LINK))

    def _import_protected_branch(self, row: Row) -> None:
        name, table = text_in(row, "name"), self.ctx.world.protected_branches
        push, merge = (setting_parts.read_accesses(row, f"{kind}_access_levels") for kind in ("push", "merge"))
        rule = table.find("name", (self.project.id, name))
        if rule is not None:
            table.change(rule, push=push, merge=merge)
            return
        owners = bool(row.get("code_owner_approval_required"))
        protection.protect_branch(self.ctx, self.project, name, push, merge, code_owners=owners)

    def _import_protected_tag(self, row: Row) -> None:
        protection.protect_tag(
            self.ctx, self.project, text_in(row, "name"), setting_parts.read_accesses(row, "create_access_levels")
        )

    def _import_files(self) -> None:
        for path, content in self.archive.items():
            folder, _, name = path.partition("/")
            store = {"uploads": self._store_upload, "lfs-objects": self._store_large_file, "avatar": self._store_avatar}
            if folder in store and name:
                self._attempt(folder, partial(store[folder], name, content))

    def _store_upload(self, name: str, content: bytes) -> None:
        secret, _, filename = name.partition("/")
        upload = Upload(filename, "application/octet-stream", content)
        uploads.store_file(self.ctx, source_of(self.project), upload, secret)

    def _store_large_file(self, name: str, content: bytes) -> None:
        lfs.store_object(self.ctx, self.project, name, content)

    def _store_avatar(self, name: str, content: bytes) -> None:
        upload = Upload(name, uploads.inline_content_type(name) or "application/octet-stream", content)
        self._change(avatar=uploads.new_avatar(self.ctx, source_of(self.project), upload))


def _feature_levels(row: Row) -> dict[str, str]:
    levels = {number: level for level, number in FEATURE_LEVELS.items()}
    given = {f"{feature}_access_level": row.get(f"{feature}_access_level") for feature in FEATURES}
    return {name: levels[number] for name, number in given.items() if isinstance(number, int) and number in levels}
