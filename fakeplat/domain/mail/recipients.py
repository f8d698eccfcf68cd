"""Who gets the mails about an event: candidates, notification levels, and addresses.

Source: docs/platform/mail.md ('Levels').
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.references import Subject
from fakeplat.domain.mail.messages import disables_mail
from fakeplat.domain.people import members, notification_settings
from fakeplat.domain.people.members import source_of
from fakeplat.model.people import Group, NotificationSetting, User
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors_of

Kind = Literal["participating", "mention", "watch", "custom", "subscription"]
"""Why somebody is a candidate; each level suits some kinds."""
_REASONS: Final = ("own_activity", "assigned", "review_requested", "mentioned", "subscribed", "")
"""The reasons, best first: somebody with several gets one mail."""
_INVOLVED: Final[tuple[Kind, ...]] = ("participating", "mention")
_FOR_PARTICIPATING: Final = ("failed_pipeline", "fixed_pipeline", "moved_project")
_NOT_FOR_WATCHERS: Final = ("push_to_merge_request", "issue_due", "success_pipeline")


@frozen
class Recipient:
    """Somebody who gets a mail, and why."""

    user: User
    reason: str = ""


class Audience:
    """The candidates for the mails about one event, and the recipients among them.

    ``action`` is the name of the event among the custom ones, if it is one of them. ``subject`` is what users can be
    unsubscribed from, and ``can_read`` tells who may know of it. ``actor`` gets no mail about the own action, unless
    they want it or ``includes_actor``.
    """

    def __init__(
        self,
        ctx: ReadContext,
        container: Container,
        *,
        action: str = "",
        actor: User | None = None,
        subject: Subject | None = None,
        can_read: Callable[[ReadContext], bool] | None = None,
        includes_actor: bool = False,
    ) -> None:
        self._ctx = ctx
        self._container = container
        self._action = action
        self._actor_id = None if actor is None else actor.id
        self._subject = subject
        self._can_read = can_read
        self._includes_actor = includes_actor
        self._candidates: dict[int, list[tuple[Kind, str]]] = {}

    def add(self, users: Iterable[int], kind: Kind, reason: str = "") -> None:
        """Add candidates by id."""
        for user_id in users:
            self._candidates.setdefault(user_id, []).append((kind, reason))

    def add_observers(self) -> None:
        """Add those who watch the project or group, or chose the events that they want."""
        for user_id in _list_known_ids(self._ctx.world, self._container):
            level = get_setting(self._ctx.world, user_id, self._container).level
            if level == "watch":
                self.add([user_id], "watch")
            elif level == "custom":
                self.add([user_id], "custom")

    def add_subscribers(self, subject: Subject | None = None) -> None:
        """Add those who subscribed to the subject, or to another one."""
        chosen = subject or self._subject
        if chosen is not None:
            subscriptions = self._ctx.world.subscriptions.where("subject", chosen)
            self.add((choice.user_id for choice in subscriptions if choice.subscribed), "subscription", "subscribed")

    def list_recipients(self) -> list[Recipient]:
        """Return who gets the mail, once each, with the best reason."""
        if disables_mail(self._ctx.world, self._container):
            return []
        found = (self._choose(user_id, reasons) for user_id, reasons in self._candidates.items())
        return [recipient for recipient in found if recipient is not None]

    def _choose(self, user_id: int, candidacies: list[tuple[Kind, str]]) -> Recipient | None:
        user = self._ctx.world.users.get(user_id)
        if user is None or not may_receive(user):
            return None
        is_own = user_id == self._actor_id and not self._includes_actor
        if is_own and not user.notified_of_own_activity:
            return None
        if self._can_read is not None and not self._can_read(self._ctx.as_user(user)):
            return None
        reasons = [reason for kind, reason in candidacies if self._suits(user_id, kind)]
        if not reasons:
            return None
        return Recipient(user, "own_activity" if is_own else min(reasons, key=_REASONS.index))

    def _suits(self, user_id: int, kind: Kind) -> bool:
        world = self._ctx.world
        choice = world.subscriptions.find("own", (self._subject, user_id)) if self._subject else None
        if kind != "mention" and choice is not None and not choice.subscribed:
            return False
        return kind == "subscription" or suits_level(get_setting(world, user_id, self._container), kind, self._action)


def may_receive(user: User) -> bool:
    """Return whether the platform sends mail to an account at all."""
    return user.state == "active" and user.kind == "human"


def suits_level(setting: NotificationSetting, kind: Kind, action: str) -> bool:
    """Return whether somebody with a setting wants a mail as a candidate of a kind, for an event if it has a name."""
    match setting.level:
        case "mention":
            return kind == "mention"
        case "watch":
            return kind != "watch" or action not in _NOT_FOR_WATCHERS
        case "custom":
            return kind in _INVOLVED or is_switched_on(setting, action)
        case "participating":
            return kind in _INVOLVED or action in _FOR_PARTICIPATING
        case _:
            return False


def is_switched_on(setting: NotificationSetting, action: str) -> bool:
    """Return whether a setting asks for an event; whoever wants to hear of success hears of a fixed pipeline, too."""
    return action in setting.events or (action == "fixed_pipeline" and "success_pipeline" in setting.events)


def get_setting(world: World, user_id: int, container: Container | None) -> NotificationSetting:
    """Return the setting that counts: of the project, else of the nearest group with one, else the global one."""
    user = world.users[user_id]
    for place in _list_hierarchy(world, container):
        setting = notification_settings.get_setting(world, user, place)
        if setting.level != "global":
            return setting
    return notification_settings.get_setting(world, user, None)


def get_address(world: World, user: User, container: Container | None) -> str:
    """Return the address for mails about a project or group: that of the nearest group with one, else the user's."""
    for place in _list_hierarchy(world, container):
        setting = world.notification_settings.find("own", (source_of(place), user.id))
        if isinstance(place, Group) and setting is not None and setting.notification_email:
            return setting.notification_email
    everywhere = world.notification_settings.find("own", (None, user.id))
    return (everywhere.notification_email if everywhere else None) or user.email


def _list_hierarchy(world: World, container: Container | None) -> Iterator[Container]:
    """Yield a project or group and the groups above it, innermost first."""
    if container is None:
        return
    if isinstance(container, Project):
        yield container
    yield from (namespace for namespace in ancestors_of(world, container) if isinstance(namespace, Group))


def _list_known_ids(world: World, container: Container) -> Iterable[int]:
    """Return the members of a project or group, and those who have a setting for it or above it."""
    ids = dict.fromkeys(member.user_id for member in members.list_inherited(world, container))
    for place in _list_hierarchy(world, container):
        ids |= dict.fromkeys(
            setting.user_id for setting in world.notification_settings.where("source", source_of(place))
        )
    return ids


def list_maintainers(ctx: ReadContext, project: Project) -> list[User]:
    """Return the direct members who administer a project, else those of its group; the last active first."""
    group = ctx.world.namespaces[project.namespace_id]
    direct = list_direct_maintainers(ctx, project)
    return direct or (_list_administrators(ctx, group, project) if isinstance(group, Group) else [])


def list_direct_maintainers(ctx: ReadContext, project: Project) -> list[User]:
    """Return the direct members who administer a project, the last active first."""
    return _list_administrators(ctx, project, project)


def _list_administrators(ctx: ReadContext, source: Container, project: Project) -> list[User]:
    users = (ctx.world.users[member.user_id] for member in members.list_direct(ctx.world, source))
    return sort_by_activity(user for user in users if can(ctx.as_user(user), Ability.ADMIN_PROJECT, project))


def sort_by_activity(users: Iterable[User]) -> list[User]:
    """Return who gets mail among users, the last active first."""
    receiving = (user for user in users if may_receive(user))
    return sorted(receiving, key=lambda user: user.last_activity_on or user.current_sign_in_at or "", reverse=True)
