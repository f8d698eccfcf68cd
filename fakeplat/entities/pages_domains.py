"""Views of pages domains, and of the settings of a project's pages."""

from datetime import datetime
from typing import TypedDict

from propcache.api import cached_property

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.core.timestamps import SECOND, to_iso
from fakeplat.domain.pages_domains import page_deployments, page_urls
from fakeplat.domain.pages_domains.certificates import Certificate, parse_certificate
from fakeplat.model.pages_domains import PagesDeployment, PagesDomain
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext


class CertificateExpiration(TypedDict):
    """Until when a certificate is valid."""

    expired: bool
    expiration: str


class CertificateDetail(TypedDict):
    """A certificate, as sent and as read."""

    subject: str
    expired: bool
    certificate: str
    certificate_text: str


class _Domain(Entity[PagesDomain]):
    """What lists and details have in common."""

    ctx: ReadContext

    @cached_property
    def parsed(self) -> Certificate | None:
        """The certificate, if there is one."""
        return parse_certificate(self.record.certificate or "")

    def is_expired(self, certificate: Certificate) -> bool:
        """Return whether a certificate is not valid now."""
        is_started = self.ctx.has_passed(_milliseconds(certificate.valid_from))
        return not is_started or self.ctx.has_passed(_milliseconds(certificate.valid_until) + 1)

    def show_url(self) -> str:
        """Return the URL of the domain, encrypted with a certificate only."""
        return f"{'https' if self.record.certificate else 'http'}://{self.record.domain}"


def _milliseconds(time: datetime) -> int:
    return int(time.timestamp()) * SECOND


class PagesDomainBasic(_Domain):
    """A domain in the list of all domains."""

    domain = attr()

    @computed
    def url(self) -> str:
        return self.show_url()

    project_id = attr()

    @computed
    def verified(self) -> bool:
        return self.record.verified_at is not None

    verification_code = attr()
    enabled_until = attr()
    auto_ssl_enabled = attr()

    @computed_if(when=lambda view: view.parsed is not None)
    def certificate_expiration(self) -> CertificateExpiration | None:
        certificate = self.parsed
        if certificate is None:
            return None
        expiration = to_iso(_milliseconds(certificate.valid_until))
        return {"expired": self.is_expired(certificate), "expiration": expiration}


class PagesDomainView(_Domain):
    """A domain of a project."""

    domain = attr()

    @computed
    def url(self) -> str:
        return self.show_url()

    @computed
    def verified(self) -> bool:
        return self.record.verified_at is not None

    verification_code = attr()
    enabled_until = attr()
    auto_ssl_enabled = attr()

    @computed_if(when=lambda view: view.parsed is not None)
    def certificate(self) -> CertificateDetail | None:
        certificate = self.parsed
        if certificate is None:
            return None
        lines = (
            "Certificate:",
            f"    Not Before: {certificate.valid_from:%b %d %H:%M:%S %Y} GMT",
            f"    Not After : {certificate.valid_until:%b %d %H:%M:%S %Y} GMT",
            f"    Subject: {certificate.subject}",
        )
        return {
            "subject": certificate.subject,
            "expired": self.is_expired(certificate),
            "certificate": self.record.certificate or "",
            "certificate_text": "".join(f"{line}\n" for line in lines),
        }


class PagesDeploymentView(Entity[PagesDeployment]):
    """Pages that a job deployed."""

    ctx: ReadContext
    created_at = attr()

    @computed
    def url(self) -> str:
        world = self.ctx.world
        project = world.projects[self.record.project_id]
        return page_urls.deployment_url(world, project, self.ctx.origin, self.record.path_prefix)

    path_prefix = attr()
    root_directory = attr()


class PagesSettings(Entity[Project]):
    """How the pages of a project would be served."""

    ctx: ReadContext

    @computed
    def url(self) -> str:
        return page_urls.pages_url(self.ctx.world, self.record, self.ctx.origin)

    @computed
    def is_unique_domain_enabled(self) -> bool:
        return self.record.pages_unique_domain_enabled

    @computed
    def force_https(self) -> bool:
        return self.record.pages_https_only

    @computed
    def deployments(self) -> list[PagesDeploymentView]:
        active = page_deployments.list_active(self.ctx, self.record)
        return [self.ctx.render(PagesDeploymentView, deployment) for deployment in active]

    pages_default_domain_redirect = attr(until="17.8")
    pages_primary_domain = attr("pages_default_domain_redirect", since="17.8")
