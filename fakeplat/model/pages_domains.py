"""Pages domains: names under which the pages of a project would be served."""

from fakeplat.core.store.frozen import frozen


@frozen
class PagesDomain:
    """A domain of a project's pages, with its certificate and key in PEM.

    A domain is verified by a DNS record, which nothing here reads, so it is verified only in scenarios.
    """

    id: int
    project_id: int
    domain: str
    verification_code: str
    certificate: str | None = None
    key: str | None = None
    auto_ssl_enabled: bool = False
    verified_at: str | None = None
    enabled_until: str | None = None
