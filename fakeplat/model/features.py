"""Features of the platform itself, which administrators switch on and off, and for whom."""

from fakeplat.core.store.frozen import frozen

FULL: int = 100


@frozen
class Feature:
    """A feature with its gates: it is on if one of them is open. Percentages are of checks and of actors."""

    id: int
    name: str
    enabled: bool = False
    feature_groups: tuple[str, ...] = ()
    user_ids: tuple[int, ...] = ()
    group_ids: tuple[int, ...] = ()
    project_ids: tuple[int, ...] = ()
    percentage_of_actors: int = 0
    percentage_of_time: int = 0

    @property
    def state(self) -> str:
        """``on`` for everybody, ``off``, or ``conditional``."""
        if self.enabled or self.percentage_of_time == FULL:
            return "on"
        gates = (self.feature_groups, self.user_ids, self.group_ids, self.project_ids, self.percentage_of_actors)
        return "conditional" if any(gates) or self.percentage_of_time else "off"
