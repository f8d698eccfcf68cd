"""Views of templates of files. Source: docs/platform/version-and-metadata.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.templates.licenses import License, fill_in
from fakeplat.domain.templates.templates import Template
from fakeplat.policy.context import ReadContext

PROJECT = "project:"
FULLNAME = "fullname:"


class TemplateName(Entity[Template]):
    """A template in a list."""

    cached_by_id = False

    key = attr()
    name = attr()


class TemplateView(Entity[Template]):
    """A template with its content."""

    cached_by_id = False

    name = attr()
    content = attr()


class LicenseView(Entity[License]):
    """A licence, with the text as options fill it in: ``project:`` and ``fullname:`` precede their values."""

    ctx: ReadContext
    cached_by_id = False

    key = attr()
    name = attr()
    nickname = attr()
    popular = attr()

    @computed
    def html_url(self) -> str | None:
        return f"http://choosealicense.com/licenses/{self.record.key}/"

    @computed
    def source_url(self) -> str | None:
        return None

    description = attr()
    conditions = attr()
    permissions = attr()
    limitations = attr()
    content = attr()


class FilledLicenseView(LicenseView):
    """A licence whose placeholders are replaced."""

    @computed
    def content(self) -> str:
        return fill_in(self.record.content, self.ctx.today[:4], self._option(PROJECT), self._option(FULLNAME))

    def _option(self, prefix: str) -> str | None:
        values = (option.removeprefix(prefix) for option in self.options if option.startswith(prefix))
        return next(values, None)
