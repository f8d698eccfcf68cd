"""Redirects from former paths of projects."""

from fakeplat.core.store.frozen import frozen


@frozen
class Redirect:
    """A former full path, which git can still use for the project unless another project has it now."""

    id: int
    project_id: int
    path: str
