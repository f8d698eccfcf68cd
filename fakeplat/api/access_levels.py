"""Access levels as parameters."""

from typing import Final, Literal

from fakeplat.core.release import Lifetime
from fakeplat.model.people import Level
from fakeplat.policy.behaviours import GROUPS_OWN_PROJECTS, PLANNERS

AccessLevel = Literal[10, 15, 20, 30, 40, 50]
PLANNER_SINCE: Final = Lifetime(since=PLANNERS.since, values=(int(Level.PLANNER),))
"""A marker of parameters with access levels."""
OWNER_SINCE: Final = Lifetime(since=GROUPS_OWN_PROJECTS.since, values=(int(Level.OWNER),))
"""A marker of the level that a group gets on a project."""
