"""How much users did in the projects of a group (paid). Source: docs/platform/graphql.md ('Namespaces')."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people.namespaces import list_projects_within
from fakeplat.model.activity import Event
from fakeplat.model.people import Group, User
from fakeplat.model.world import World

_COUNTED: Final = {
    ("issue", "created"): "issues_created",
    ("issue", "closed"): "issues_closed",
    ("merge_request", "approved"): "merge_requests_approved",
    ("merge_request", "closed"): "merge_requests_closed",
    ("merge_request", "created"): "merge_requests_created",
    ("merge_request", "merged"): "merge_requests_merged",
    (None, "pushed"): "repo_pushed",
}
"""What is counted, by the kind of the target and the action."""


@frozen
class Contribution:
    """How much a user did."""

    user: User
    issues_created: int = 0
    issues_closed: int = 0
    merge_requests_approved: int = 0
    merge_requests_closed: int = 0
    merge_requests_created: int = 0
    merge_requests_merged: int = 0
    repo_pushed: int = 0

    @property
    def id(self) -> int:
        """What tells it apart from those of others."""
        return self.user.id

    @property
    def total_events(self) -> int:
        """All together."""
        return sum(getattr(self, name) for name in _COUNTED.values())


def list_contributions(world: World, group: Group, first_day: str, last_day: str) -> Sequence[Contribution]:
    """Return what each active user did in the projects of a group and its subgroups, by the ids of the users."""
    counts: dict[int, Counter[str]] = {}
    for event in _list_events(world, group):
        name = _COUNTED.get((event.kind, event.action))
        if name is not None and first_day <= event.created_at[:10] <= last_day:
            counts.setdefault(event.author_id, Counter())[name] += 1
    users = (world.users[id_] for id_ in sorted(counts))
    return [Contribution(user, **counts[user.id]) for user in users if user.state == "active"]


def _list_events(world: World, group: Group) -> Iterator[Event]:
    for project in list_projects_within(world, group):
        yield from world.events.where("project", project.id)
