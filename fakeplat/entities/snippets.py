"""Views of snippets.

Source: docs/platform/snippets.md, docs/platform/project-snippets.md ('Entity order').
"""

from typing import Any
from urllib.parse import quote

from fakeplat.core.operations.entity import Entity, attr, computed, constant
from fakeplat.domain.snippets import snippet_access, snippet_files
from fakeplat.entities import urls
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.snippets import Snippet
from fakeplat.policy.context import ReadContext
from fakeplat.policy.documented import Ruling


class SnippetView(Entity[Snippet]):
    """A personal or project snippet."""

    ctx: ReadContext

    id = attr()
    title = attr()
    description = attr()
    visibility = attr()

    @computed
    def author(self) -> UserBasic:
        author: UserBasic = self.ctx.render(UserBasic, self.ctx.world.users[self.record.author_id])
        return author

    # Obsolete, but still specified (ruling 13).
    expires_at = constant(None, str | None, when=lambda view: Ruling.OBSOLETE_FIELDS_ARE_SHOWN.holds(view.ctx.world))
    updated_at = attr()
    created_at = attr()
    project_id = attr()

    @computed
    def web_url(self) -> str:
        return f"{self._container_url}/-/snippets/{self.record.id}"

    @computed
    def raw_url(self) -> str:
        return f"{self.web_url()}/raw"

    @computed
    def ssh_url_to_repo(self) -> str:
        return urls.ssh_url_of_path(self.ctx, self._git_path)

    @computed
    def http_url_to_repo(self) -> str:
        return f"{self.ctx.origin}/{self._git_path}.git"

    @computed
    def file_name(self) -> str:
        # The first file stands for the whole snippet, for clients that know only one.
        return snippet_files.list_paths(self.ctx.world, self.record)[0]

    @computed
    def files(self) -> list[dict[str, str]]:
        raw_base = f"{self.raw_url()}/{snippet_files.branch_name(self.ctx.world)}"
        paths = snippet_files.list_paths(self.ctx.world, self.record)
        return [{"path": path, "raw_url": f"{raw_base}/{quote(path)}"} for path in paths]

    imported = constant(False, bool, since="17.2")
    imported_from = constant("none", str, since="17.2")

    # Snippets have no storage of their own here: all are in the one that every instance has.
    repository_storage = constant("default", str, since="<=16.3", when=lambda view: view.ctx.admin)

    @property
    def _container_url(self) -> str:
        project = snippet_access.project_of(self.ctx.world, self.record)
        return urls.project_url(self.ctx, project) if project else self.ctx.origin

    @property
    def _git_path(self) -> str:
        project = snippet_access.project_of(self.ctx.world, self.record)
        container = f"{urls.project_path(self.ctx, project)}/" if project else ""
        return f"{container}snippets/{self.record.id}"


class SnippetBasic(SnippetView):
    """A snippet as part of other records."""

    author: Any = None
    expires_at: Any = None
    file_name: Any = None
    files: Any = None
