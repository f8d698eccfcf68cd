"""Views of wiki pages and their attachments. Source: docs/platform/wikis.md."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.uploads import is_image
from fakeplat.domain.wikis import front_matters
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.domain.wikis.wikis import Attachment
from fakeplat.model.wikis import WikiPageMeta


class WikiPageBasic(Entity[WikiPage]):
    """A page without its text."""

    cached_by_id = False

    format = attr()
    slug = attr()
    title = attr()

    wiki_page_meta_id = attr("meta_id", since="<=18.9")


class WikiPageView(WikiPageBasic):
    """A page with its text."""

    content = attr()

    @computed_if(since="14.9")
    def encoding(self) -> str:
        return "UTF-8"

    @computed_if(since="<=18.9")
    def front_matter(self) -> dict[str, Any]:
        return front_matters.read(self.record.text).values


class WikiPageMetaView(Entity[WikiPageMeta]):
    """What a page is known by, in to-dos about its comments."""

    id = attr()
    slug = attr()
    title = attr()


class WikiAttachmentView(Entity[Attachment]):
    """A file in a wiki, and the Markdown to embed it."""

    cached_by_id = False

    file_name = attr()
    file_path = attr()
    branch = attr()

    @computed
    def link(self) -> dict[str, str]:
        name, path = self.record.file_name, self.record.file_path
        # Images are described by their name without its ending; a name like ``.png`` is kept whole.
        markdown = f"![{name.rpartition('.')[0] or name}]({path})" if is_image(name) else f"[{name}]({path})"
        return {"url": path, "markdown": markdown}
