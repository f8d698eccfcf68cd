"""What a search of files shows."""

from fakeplat.core.entity import Entity, attr
from fakeplat.core.frozen import frozen


@frozen
class FoundBlob:
    """A piece of a file in which a text was found, from a line (``startline``, from 1) on."""

    path: str
    ref: str
    data: str
    startline: int
    project_id: int

    @property
    def basename(self) -> str:
        """The path without the ending of the file's name."""
        folder, slash, name = self.path.rpartition("/")
        return folder + slash + (name.rpartition(".")[0] or name)


class FoundBlobView(Entity[FoundBlob]):
    """A piece of a file."""

    keyed = False

    basename = attr(str)
    data = attr(str)
    path = attr(str)
    filename = attr(str, "path")
    ref = attr(str)
    startline = attr(int)
    project_id = attr(int)
