"""Pages domains of projects."""

import re
from collections.abc import Sequence
from typing import Final, Required, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, NotFound, Unprocessable
from fakeplat.domain.pages_domains import certificates, page_deployments, page_urls
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.pages_domains import PagesDomain
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import PRIMARY_PAGES_DOMAIN
from fakeplat.policy.context import WriteContext

_LABEL: Final = re.compile(r"[a-z0-9_-]+", re.IGNORECASE)
_LONGEST: Final = 255
_LONGEST_LABEL: Final = 63
_NOT_LISTED: Final = (
    "The `{0}` attribute is missing from the domain list in the Pages project "
    "configuration. Assign `{0}` to the Pages project or reset it."
)


def list_all(world: World, domain: str | None = None) -> Sequence[PagesDomain]:
    """Return all domains, or the one with a name; 404 if there is none with this name."""
    if not domain:
        return list(world.pages_domains.all())
    match = world.pages_domains.find("domain", domain.lower())
    if match is None:
        raise NotFound("PagesDomain", reason=f"there is no pages domain {domain!r}")
    return [match]


def list_domains(world: World, project: Project) -> Sequence[PagesDomain]:
    """Return the domains of a project, by name."""
    return sorted(world.pages_domains.where("project", project.id), key=lambda domain: domain.domain)


def get_domain(world: World, project: Project, name: str) -> PagesDomain:
    """Return the domain of a project with a name, or refuse with 404."""
    match = next((domain for domain in list_domains(world, project) if domain.domain == name), None)
    if match is None:
        raise NotFound("PagesDomain", reason=lambda: f"{project_path(world, project)} has no pages domain {name!r}")
    return match


class NewPagesDomain(TypedDict, total=False):
    """The fields of a new domain."""

    domain: Required[str]
    verification_code: str
    certificate: str | None
    key: str | None
    auto_ssl_enabled: bool
    verified_at: str | None
    enabled_until: str | None


class CertificateChanges(TypedDict, total=False):
    """Changes of the certificate of a domain."""

    certificate: str | None
    key: str | None
    auto_ssl_enabled: bool


def create(ctx: WriteContext, project: Project, **fields: Unpack[NewPagesDomain]) -> PagesDomain:
    """Create a domain."""
    _list_errors(ctx, fields).refuse()
    table = ctx.world.pages_domains
    if "verification_code" not in fields:
        fields["verification_code"] = ctx.random_hex("pages domain")
    return table.add(PagesDomain(table.next_id(), project.id, **fields))


def update(ctx: WriteContext, domain: PagesDomain, **fields: Unpack[CertificateChanges]) -> PagesDomain:
    """Change the certificate of a domain; a new certificate alone has to match the key."""
    changed = evolve(domain, **fields)
    errors = ValidationErrors()
    _check_certificate(errors, changed.certificate, changed.key)
    errors.refuse()
    return ctx.world.pages_domains.change(domain, **fields)


def _list_errors(ctx: WriteContext, fields: NewPagesDomain) -> ValidationErrors:
    errors = ValidationErrors()
    domain = fields["domain"]
    _check_hostname(errors, domain)
    errors.when(ctx.world.pages_domains.find("domain", domain.lower()), "domain", TAKEN)
    host = page_urls.pages_host(ctx.origin)
    errors.when(domain.lower().endswith(host), "domain", f"*.{host} is restricted")
    _check_certificate(errors, fields.get("certificate"), fields.get("key"))
    return errors


def _check_hostname(errors: ValidationErrors, domain: str) -> None:
    errors.when(not 1 <= len(domain) <= _LONGEST, "domain", f"must be between 1 and {_LONGEST} characters long")
    labels = domain.split(".") if domain else []
    sizes = f"must be between 1 and {_LONGEST_LABEL} characters long"
    errors.when(any(not 1 <= len(label) <= _LONGEST_LABEL for label in labels), "domain", f"label {sizes}")
    hyphens = any(label.startswith("-") or label.endswith("-") for label in labels)
    errors.when(hyphens, "domain", "label begins or ends with hyphen")
    characters = any(label and not _LABEL.fullmatch(label) for label in labels)
    errors.when(characters, "domain", r"label contains invalid characters (valid characters: [a-z0-9\-_])")


def _check_certificate(errors: ValidationErrors, certificate: str | None, key: str | None) -> None:
    if not certificate and not key:
        return
    parsed = certificates.parse_certificate(certificate or "")
    errors.when(certificate and parsed is None, "certificate", "must be a valid PEM certificate")
    errors.when(key and not certificates.is_private_key(key), "key", "must be a valid PEM private key")
    matches = parsed is not None and certificates.belong_together(parsed, key or "")
    errors.when(not matches, "key", "doesn't match the certificate")


# Settings of a project's pages


def unpublish(ctx: WriteContext, project: Project) -> None:
    """End the deployments of a project's pages, and remove its domains."""
    purge(ctx, *list_domains(ctx.world, project))
    page_deployments.deactivate(ctx, *page_deployments.list_active(ctx, project))


class PagesChanges(TypedDict, total=False):
    """Changes of how pages are served."""

    pages_unique_domain_enabled: bool
    pages_https_only: bool
    pages_default_domain_redirect: str | None


def change_settings(ctx: WriteContext, project: Project, **fields: Unpack[PagesChanges]) -> Project:
    """Change how the pages of a project are served."""
    redirect = fields.get("pages_default_domain_redirect")
    if redirect and redirect not in [domain.domain for domain in list_domains(ctx.world, project)]:
        not_listed = _NOT_LISTED.format(ctx.profile.choose(PRIMARY_PAGES_DOMAIN))
        raise BadRequest(f"400 Bad request - {not_listed}", reason=f"{redirect!r} is none of its domains")
    return ctx.world.projects.change(project, **fields)


def verify(ctx: WriteContext, domain: PagesDomain) -> PagesDomain:
    """Verify a domain where the settings ask for no proof; otherwise refuse with 422, as no DNS record is found."""
    if ctx.world.settings.pages_domain_verification_enabled:
        raise Unprocessable(f"Couldn't verify {domain.domain}", reason="nothing here reads DNS records")
    return ctx.world.pages_domains.change(domain, verified_at=ctx.now_iso)
