"""Kubernetes clusters of projects, groups and the instance."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

AuthorizationType = Literal["rbac", "abac", "unknown_authorization"]


@frozen
class KubernetesPlatform:
    """How the API of a cluster is reached. The token is never shown."""

    api_url: str
    token: str
    namespace: str | None = None
    authorization_type: AuthorizationType = "rbac"
    ca_cert: str | None = None


@frozen
class GcpProvider:
    """The provider of a cluster that was created on Google's platform."""

    gcp_project_id: str
    status_name: Literal["scheduled", "creating", "created", "errored"] = "created"
    zone: str = "us-central1-a"
    machine_type: str = "n1-standard-2"
    num_nodes: int = 3
    endpoint: str | None = None


@frozen
class Cluster:
    """A cluster. ``source`` is ("project" or "group", id), or None for a cluster of the instance.

    ``provider_type``: added by a user, or created by a provider. Managed clusters get a namespace and a service
    account from the platform.
    """

    id: int
    source: tuple[str, int] | None
    user_id: int | None
    name: str
    created_at: str
    updated_at: str
    platform_kubernetes: KubernetesPlatform
    domain: str | None = None
    enabled: bool = True
    managed: bool = True
    namespace_per_environment: bool = True
    provider_type: Literal["user", "gcp", "aws"] = "user"
    provider_gcp: GcpProvider | None = None
    environment_scope: str = "*"
    management_project_id: int | None = None

    @property
    def cluster_type(self) -> str:
        """The kind of the owner."""
        return f"{self.source[0] if self.source else 'instance'}_type"

    @property
    def is_being_created(self) -> bool:
        """Whether the provider is still creating the cluster."""
        return self.provider_gcp is not None and self.provider_gcp.status_name in ("scheduled", "creating")


@frozen
class ClusterAgent:
    """An agent that runs in a cluster; the file of its configuration in the project says who else may use it."""

    id: int
    project_id: int
    name: str
    created_at: str
    updated_at: str
    creator_id: int | None = None


@frozen
class ClusterAgentToken:
    """A token with which an agent signs in. ``value`` is shown only when it is created."""

    id: int
    agent_id: int
    name: str
    value: str
    created_at: str
    updated_at: str
    description: str | None = None
    creator_id: int | None = None
    revoked: bool = False
    last_used_at: str | None = None

    @property
    def status(self) -> str:
        """``active`` or ``revoked``."""
        return "revoked" if self.revoked else "active"


AgentEventKind = Literal["token_created", "token_revoked", "agent_connected", "agent_disconnected"]
AgentEventLevel = Literal["debug", "info", "warn", "error", "fatal", "unknown"]


@frozen
class AgentActivityEvent:
    """Something that happened to an agent, and the user and the token that had to do with it."""

    id: int
    agent_id: int
    kind: AgentEventKind
    recorded_at: str
    level: AgentEventLevel = "info"
    user_id: int | None = None
    token_id: int | None = None


@frozen
class AgentUrlConfiguration:
    """Where the platform itself reaches an agent: with a key of its own, or with a client's certificate.

    ``public_key`` is in base64; certificates are in PEM.
    """

    id: int
    agent_id: int
    url: str
    public_key: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    ca_cert: str | None = None
    tls_host: str | None = None
    creator_id: int | None = None
