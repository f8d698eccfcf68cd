"""Moves of repositories to other storages. Source: docs/platform/storage-moves.md."""

from typing import cast

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities.people.namespaces import GroupBasic
from fakeplat.entities.projects.projects import ProjectIdentity
from fakeplat.entities.snippets import SnippetBasic
from fakeplat.model.people import Group
from fakeplat.model.projects import StorageMove
from fakeplat.policy.context import ReadContext


class StorageMoveView(Entity[StorageMove]):
    """The fields of every move."""

    ctx: ReadContext

    id = attr()
    created_at = attr()
    state = attr()
    source_storage_name = attr()
    destination_storage_name = attr()
    error_message = attr(since="<=18.9")


class ProjectMoveView(StorageMoveView):
    """A move of a project."""

    @computed
    def project(self) -> ProjectIdentity:
        project: ProjectIdentity = self.ctx.render(ProjectIdentity, self.ctx.world.projects[self.record.source[1]])
        return project


class GroupMoveView(StorageMoveView):
    """A move of the wiki of a group."""

    @computed
    def group(self) -> GroupBasic:
        group = cast(Group, self.ctx.world.namespaces[self.record.source[1]])
        rendered: GroupBasic = self.ctx.render(GroupBasic, group)
        return rendered


class SnippetMoveView(StorageMoveView):
    """A move of a snippet."""

    @computed
    def snippet(self) -> SnippetBasic:
        snippet: SnippetBasic = self.ctx.render(SnippetBasic, self.ctx.world.snippets[self.record.source[1]])
        return snippet
