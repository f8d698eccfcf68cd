"""What snippets show.

Source: docs/platform/specification.md ('Snippet'), docs/platform/project-snippets.md ('Entity order').
"""

from urllib.parse import quote

from fakeplat.core.operations.entity import Entity, attr, constant, shown
from fakeplat.domain.snippets import snippet_files, snippets
from fakeplat.entities import urls
from fakeplat.entities.users import UserBasic
from fakeplat.model.snippets import Snippet
from fakeplat.policy.context import Context

Text = str | None


class SnippetView(Entity[Snippet]):
    """A snippet, personal or of a project."""

    cx: Context

    id = attr(int)
    title = attr(str)
    description = attr(Text)
    visibility = attr(str)

    @shown
    def author(self) -> UserBasic:
        found: UserBasic = self.cx.show(UserBasic, self.cx.world.users[self.record.author_id])
        return found

    expires_at = constant(None, Text)
    updated_at = attr(str)
    created_at = attr(str)
    project_id = attr(int | None)

    @shown
    def web_url(self) -> str:
        return f"{self._place}/-/snippets/{self.record.id}"

    @shown
    def raw_url(self) -> str:
        return f"{self.web_url()}/raw"

    @shown
    def ssh_url_to_repo(self) -> str:
        return urls.ssh_to(self.cx, self._git_path)

    @shown
    def http_url_to_repo(self) -> str:
        return f"{self.cx.origin}/{self._git_path}.git"

    @shown
    def file_name(self) -> str:
        return snippet_files.paths(self.cx.world, self.record)[0]

    @shown
    def files(self) -> list[dict[str, str]]:
        raw = f"{self.raw_url()}/{snippet_files.BRANCH}"
        found = snippet_files.paths(self.cx.world, self.record)
        return [{"path": path, "raw_url": f"{raw}/{quote(path)}"} for path in found]

    @property
    def _place(self) -> str:
        project = snippets.project_of(self.cx.world, self.record)
        return urls.project_page(self.cx, project) if project else self.cx.origin

    @property
    def _git_path(self) -> str:
        project = snippets.project_of(self.cx.world, self.record)
        place = f"{urls.project_path(self.cx, project)}/" if project else ""
        return f"{place}snippets/{self.record.id}"
