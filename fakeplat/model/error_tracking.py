"""Error tracking of projects: where their errors are collected. No such server is ever asked."""

from fakeplat.core.store.frozen import frozen


@frozen
class ErrorTrackingSetting:
    """The settings of a project. ``api_url`` is the address of its project on the error tracking server."""

    id: int
    project_id: int
    active: bool = True
    project_name: str | None = None
    api_url: str | None = None
    integrated: bool = False
