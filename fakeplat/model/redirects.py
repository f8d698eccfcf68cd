"""Paths that projects had before."""

from fakeplat.core.store.frozen import frozen


@frozen
class Redirect:
    """A full path under which a project is still found by git, unless another project took it."""

    id: int
    project_id: int
    path: str
