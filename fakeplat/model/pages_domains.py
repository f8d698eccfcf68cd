"""Pages of projects: the names under which they would be served, and what is deployed."""

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


@frozen
class PagesDeployment:
    """Pages that a job deployed, perhaps below a prefix of the path; a job that is gone leaves its deployment.

    ``deleted_at``: from then on it may be deleted. Without it, the deployment is active.
    """

    id: int
    project_id: int
    created_at: str
    updated_at: str
    path_prefix: str | None = None
    root_directory: str | None = None
    expires_at: str | None = None
    deleted_at: str | None = None
    file_count: int = 0
    size: int = 0
    job_id: int | None = None
