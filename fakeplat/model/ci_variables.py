"""CI variables of projects, groups and the instance."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

VariableType = Literal["env_var", "file"]


@frozen
class CiVariable:
    """A CI variable. ``subject`` is ("project" or "group", id), or None for a variable of the instance.

    ``environment_scope`` is the name of an environment, or a pattern with ``*``. The API does not show the value of a
    ``hidden`` variable.
    """

    id: int
    subject: tuple[str, int] | None
    key: str
    created_at: str
    updated_at: str
    value: str = ""
    variable_type: VariableType = "env_var"
    protected: bool = False
    masked: bool = False
    environment_scope: str = "*"
    raw: bool = False
    hidden: bool = False
    description: str | None = None
