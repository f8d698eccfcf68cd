"""What releases do differently inside a function, by name: ``ctx.profile.has(MAINTENANCE_MODE)``.

What begins or ends as a whole, such as an operation, a parameter or a field, has its releases where it is declared.
"""

from typing import Final

from fakeplat.core.release import Behaviour

MAINTENANCE_MODE: Final = Behaviour("13.6", source="doc/administration/maintenance_mode")
CUSTOM_ROLES: Final = Behaviour("15.9", source="doc/api/member_roles.md: enabled by default in 15.9")
