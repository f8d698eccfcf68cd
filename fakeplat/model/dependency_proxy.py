"""What projects decide for the packages that they keep of registries outside."""

from fakeplat.core.store.frozen import frozen


@frozen
class DependencyProxySetting:
    """Where the dependency proxy of a project finds packages. The credentials are kept, and sent nowhere."""

    enabled: bool = False
    maven_external_registry_url: str | None = None
    maven_external_registry_username: str | None = None
    maven_external_registry_password: str | None = None
    npm_external_registry_url: str | None = None
    npm_external_registry_basic_auth: str | None = None
    npm_external_registry_auth_token: str | None = None
