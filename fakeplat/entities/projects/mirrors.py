"""Mirrors of projects."""

from urllib.parse import urlsplit, urlunsplit

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.projects.mirror_host_keys import parse_host_keys
from fakeplat.domain.projects.remote_mirrors import mask_url
from fakeplat.model.projects import Project, RemoteMirror
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature


class RemoteMirrorView(Entity[RemoteMirror]):
    """A mirror; the user and password in its URL are masked."""

    ctx: ReadContext

    id = attr()
    enabled = attr()

    @computed
    def url(self) -> str:
        return mask_url(self.record.url)

    update_status = attr()
    last_update_at = attr()
    last_update_started_at = attr()
    last_successful_update_at = attr()
    last_error = attr()
    only_protected_branches = attr()
    keep_divergent_refs = attr()
    auth_method = attr(since="16.10")
    mirror_branch_regex = attr(since="16.0", when=lambda view: has_feature(view.ctx.world, "premium", view.project))

    @computed_if(since="18.4")
    def host_keys(self) -> list[dict[str, str]]:
        # The platform also learns them when it first reaches a mirror, and nothing is ever sent here.
        keys = parse_host_keys(self.record.host_keys)
        return [{"fingerprint_sha256": f"SHA256:{key.fingerprint_sha256}"} for key in keys]

    @property
    def project(self) -> Project:
        """The project that is mirrored."""
        return self.ctx.world.projects[self.record.project_id]


class PullMirrorView(Entity[Project]):
    """How a project mirrors another repository. It is never fetched, so there is no time of an update."""

    id = attr()
    update_status = attr("import_status")

    @computed
    def url(self) -> str | None:
        return None if self.record.import_url is None else _hide_credentials(self.record.import_url)

    last_error = attr("import_error")
    last_update_at = constant(None, str | None)
    last_update_started_at = constant(None, str | None)
    last_successful_update_at = constant(None, str | None)
    enabled = attr("mirror")
    mirror_trigger_builds = attr()
    only_mirror_protected_branches = attr()
    mirror_overwrites_diverged_branches = attr()


def _hide_credentials(url: str) -> str:
    parts = urlsplit(url)
    credentials, at, host = parts.netloc.rpartition("@")
    hidden = ":".join("*****" for _ in credentials.split(":")) if at else ""
    return urlunsplit(parts._replace(netloc=f"{hidden}{at}{host}"))
