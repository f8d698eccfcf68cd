"""Rows for the bulk verbs: the fields of plausible records, spread over the year before the world's time."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from typing import Any, Final, NamedTuple

from fakeplat.core.timestamps import DAY, HOUR, to_iso, to_iso_date
from fakeplat.domain.people.path_names import slugify
from fakeplat.model.levels import Visibility
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import Words

Row = dict[str, Any]
_PLACES_FROM: Final = 365 * DAY
_PLACES_UNTIL: Final = 210 * DAY
_ISSUES_FROM: Final = 200 * DAY
_HEALTH: Final = ("on_track", "needs_attention", "at_risk")
_HOURS: Final = (1, 2, 4, 8, 16, 40)


class ProjectContents(NamedTuple):
    """What issues of a project can have: ids of people, labels and milestones, and what its tier has."""

    people: Sequence[int]
    labels: Sequence[int] = ()
    milestones: Sequence[int] = ()
    premium: bool = False
    ultimate: bool = False


class Rows:
    """Makes the rows of one `generate` entry. ``now`` is the world's time in ms."""

    def __init__(self, dice: SeededRandom, words: Words, now: int) -> None:
        self._dice = dice
        self._words = words
        self._now = now

    def users(self, wanted: int, taken: Callable[[str], bool]) -> Iterator[Row]:
        """People with different names."""
        for created_at in self._founding(wanted):
            first, last = self._dice.pick(self._words.first_names), self._dice.pick(self._words.last_names)
            username = make_unique(slugify(f"{first}-{last}"), taken)
            yield {
                "username": username,
                "name": f"{first} {last}",
                "email": f"{username}@example.test",
                "password": f"{username}-password",
                "confirmed_at": created_at,
                **_times(created_at),
            }

    def groups(self, wanted: int, taken: Callable[[str], bool], visibilities: Sequence[Visibility]) -> Iterator[Row]:
        """Groups with different paths."""
        for created_at in self._founding(wanted):
            name = self._dice.pick(self._words.companies)
            yield self._place(name, slugify(name), taken, visibilities, created_at)

    def projects(self, wanted: int, taken: Callable[[str], bool], visibilities: Sequence[Visibility]) -> Iterator[Row]:
        """Projects with different paths and names."""
        for created_at in self._founding(wanted):
            name = self._dice.pick(self._words.things)
            row = self._place(name, slugify(name), taken, visibilities, created_at)
            yield {**row, "name": name if row["path"] == slugify(name) else row["path"], "last_activity_at": created_at}

    def _place(
        self, name: str, path: str, taken: Callable[[str], bool], visibilities: Sequence[Visibility], created_at: str
    ) -> Row:
        return {
            "path": make_unique(path, taken),
            "name": name,
            "description": self._dice.pick(self._words.sentences),
            "visibility": self._dice.pick(visibilities),
            **_times(created_at),
        }

    def labels(self, wanted: int, taken: Callable[[str], bool]) -> Iterator[Row]:
        """Labels with different titles."""
        for created_at in self._founding(wanted):
            described = self._dice.hits(40)
            yield {
                "title": make_unique(self._dice.pick(self._words.terms), taken),
                "color": f"#{self._dice.below(1 << 24):06X}",
                "description": self._dice.pick(self._words.sentences) if described else None,
                **_times(created_at),
            }

    def milestones(self, wanted: int, taken: Callable[[str], bool]) -> Iterator[Row]:
        """Milestones one after the other; those that are over are mostly closed."""
        since, until = self._now - _ISSUES_FROM, self._now + 60 * DAY
        length = max((until - since) // wanted, DAY) if wanted else 0
        for number, created_at in enumerate(self._founding(wanted)):
            start = since + number * length
            over = start + length < self._now
            yield {
                "title": make_unique(f"v0.{number + 1}", taken),
                "description": self._dice.pick(self._words.sentences),
                "state": "closed" if over and self._dice.hits(90) else "active",
                "start_date": to_iso_date(start),
                "due_date": to_iso_date(start + length - DAY),
                **_times(created_at),
            }

    def issues(self, wanted: int, scene: ProjectContents) -> Iterator[Row]:
        """Issues of people, with some of the labels and milestones; the first is the oldest."""
        for created_at in self._dice.moments(wanted, self._now - _ISSUES_FROM, self._now):
            row = self._issue(scene.people, created_at)
            yield {**row, **self._sorting(scene), **self._rare(scene, created_at)}

    def _issue(self, people: Sequence[int], created_at: int) -> Row:
        dice, pools = self._dice, self._words
        closed = dice.hits(40)
        updated_at = to_iso(created_at + dice.below(self._now - created_at + 1))
        return {
            "title": f"{dice.pick(pools.verbs)} {dice.pick(pools.things).lower()}",
            "description": self._description(),
            "author_id": dice.pick(people),
            "created_at": to_iso(created_at),
            "updated_at": updated_at,
            "state": "closed" if closed else "opened",
            "closed_at": updated_at if closed else None,
            "closed_by_id": dice.pick(people) if closed else None,
        }

    def _description(self) -> str | None:
        dice, sentences = self._dice, self._words.sentences
        if dice.hits(20):
            return None
        text = f"{dice.pick(sentences)} {dice.pick(sentences)}"
        return f"{text}\n\n- [x] {dice.pick(sentences)}\n- [ ] {dice.pick(sentences)}" if dice.hits(15) else text

    def _sorting(self, scene: ProjectContents) -> Row:
        dice = self._dice
        return {
            "assignee_ids": dice.some(scene.people, 2 if scene.premium else 1),
            "label_ids": dice.some(scene.labels, 3),
            "milestone_id": dice.pick(scene.milestones) if scene.milestones and dice.hits(60) else None,
        }

    def _rare(self, scene: ProjectContents, created_at: int) -> Row:
        """What few issues have."""
        dice, found = self._dice, Row()
        if dice.hits(25):
            found["due_date"] = to_iso_date(created_at + dice.below(90 * DAY))
        if dice.hits(10):
            found["confidential"] = True
        if dice.hits(5):
            found["discussion_locked"] = True
        if dice.hits(5):
            found["kind"] = "incident"
        if dice.hits(15):
            found["time_estimate"] = dice.pick(_HOURS) * HOUR // 1000
        if scene.premium and dice.hits(40):
            found["weight"] = dice.below(10)
        if scene.ultimate and dice.hits(20):
            found["health_status"] = dice.pick(_HEALTH)
        return found

    def _founding(self, wanted: int) -> Iterator[str]:
        """When people and places came: before all issues."""
        return map(to_iso, self._dice.moments(wanted, self._now - _PLACES_FROM, self._now - _PLACES_UNTIL))


def _times(created_at: str) -> Row:
    return {"created_at": created_at, "updated_at": created_at}


def make_unique(name: str, taken: Callable[[str], bool]) -> str:
    """A name, with a number where it is taken."""
    if not taken(name):
        return name
    return next(candidate for number in count(2) if not taken(candidate := f"{name}-{number}"))


def unique_names(taken: Callable[[str], bool] | Collection[str]) -> Callable[[str], bool]:
    """Whether a name is taken; one that was not is taken from then on."""
    known: set[str] = set()

    def check(name: str) -> bool:
        if name in known or (name in taken if isinstance(taken, Collection) else taken(name)):
            return True
        known.add(name)
        return False

    return check
