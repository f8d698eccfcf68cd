"""Rules of projects that newer releases have: job tokens, protected packages, external status checks."""

from fakeplat.core.store.frozen import frozen
from fakeplat.model.packages import PackageType


@frozen
class JobTokenAllowance:
    """A project or group whose jobs may access a project with their tokens. ``target`` is its kind and id."""

    id: int
    project_id: int
    target: tuple[str, int]


@frozen
class PackageProtectionRule:
    """Who may push and delete packages with certain names in a project; it is only listed."""

    id: int
    project_id: int
    package_name_pattern: str
    package_type: PackageType
    minimum_access_level_for_delete: str | None = None
    minimum_access_level_for_push: str | None = None


@frozen
class ExternalStatusCheck:
    """A service outside that judges merge requests; it is never notified."""

    id: int
    project_id: int
    name: str
    external_url: str
    protected_branch_ids: tuple[int, ...] = ()
    hmac: bool = False


@frozen
class ContextCommit:
    """A commit of the target project that a merge request refers to without containing it."""

    id: int
    merge_request_id: int
    sha: str
