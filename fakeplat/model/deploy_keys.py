"""Deploy keys: SSH keys that projects accept, without a user's account."""

from fakeplat.core.store.frozen import frozen


@frozen
class DeployKey:
    """An SSH key for one or several projects. A public key can be enabled in every project.

    ``user_id`` is the user who added the key; ``fingerprint`` is the MD5 one.
    """

    id: int
    title: str
    key: str
    fingerprint: str
    fingerprint_sha256: str
    created_at: str
    updated_at: str
    user_id: int | None = None
    public: bool = False
    expires_at: str | None = None


@frozen
class DeployKeyProject:
    """A deploy key in a project, and whether the key can push there."""

    id: int
    deploy_key_id: int
    project_id: int
    created_at: str
    updated_at: str
    can_push: bool = False
