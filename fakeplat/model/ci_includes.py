"""Files that CI configurations include from outside the instance."""

from fakeplat.core.store.frozen import frozen


@frozen
class CiInclude:
    """A file that ``include:remote`` finds at its URL, or ``include:template`` under ``template:<name>``."""

    id: int
    location: str
    content: str
