"""Rows for the bulk functions: fields of generated records, spread over the year before the world's time."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from typing import Any, Final, NamedTuple

from fakeplat.core.timestamps import DAY, HOUR, to_iso, to_iso_date
from fakeplat.domain.issues.issues import IssueChanges, NewIssue
from fakeplat.domain.people.path_names import slugify
from fakeplat.domain.planning.labels import NewLabel
from fakeplat.domain.planning.milestones import NewMilestone
from fakeplat.model.people import Visibility
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import Words

Row = dict[str, Any]
_CONTAINERS_FROM: Final = 365 * DAY
_CONTAINERS_UNTIL: Final = 210 * DAY
_ISSUES_FROM: Final = 200 * DAY
_HEALTH: Final = ("on_track", "needs_attention", "at_risk")
_HOURS: Final = (1, 2, 4, 8, 16, 40)


class ProjectContents(NamedTuple):
    """What issues of a project can refer to: ids of users, labels and milestones, and the features of its tier."""

    people: Sequence[int]
    labels: Sequence[int] = ()
    milestones: Sequence[int] = ()
    premium: bool = False
    ultimate: bool = False


class Rows:
    """Generates the rows of one `generate` entry. ``now`` is the world's time in ms."""

    def __init__(self, random: SeededRandom, words: Words, now: int) -> None:
        self._random = random
        self._words = words
        self._now = now

    def users(self, total: int, is_taken: Callable[[str], bool]) -> Iterator[Row]:
        """Yield users with unique names."""
        for created_at in self._creation_times(total):
            first, last = self._random.pick(self._words.first_names), self._random.pick(self._words.last_names)
            username = make_unique(slugify(f"{first}-{last}"), is_taken)
            yield {
                "username": username,
                "name": f"{first} {last}",
                "email": f"{username}@example.test",
                "password": f"{username}-password",
                "confirmed_at": created_at,
                **_times(created_at),
            }

    def groups(self, total: int, is_taken: Callable[[str], bool], visibilities: Sequence[Visibility]) -> Iterator[Row]:
        """Yield groups with unique paths."""
        for created_at in self._creation_times(total):
            name = self._random.pick(self._words.companies)
            yield self._container(name, slugify(name), is_taken, visibilities, created_at)

    def projects(
        self, total: int, is_taken: Callable[[str], bool], visibilities: Sequence[Visibility]
    ) -> Iterator[Row]:
        """Yield projects with unique paths and names."""
        for created_at in self._creation_times(total):
            name = self._random.pick(self._words.things)
            row = self._container(name, slugify(name), is_taken, visibilities, created_at)
            # If the path needed a number to be unique, the name alone would not be unique either.
            yield {**row, "name": name if row["path"] == slugify(name) else row["path"], "last_activity_at": created_at}

    def _container(
        self, name: str, path: str, is_taken: Callable[[str], bool], visibilities: Sequence[Visibility], created_at: str
    ) -> Row:
        return {
            "path": make_unique(path, is_taken),
            "name": name,
            "description": self._random.pick(self._words.sentences),
            "visibility": self._random.pick(visibilities),
            **_times(created_at),
        }

    def labels(self, total: int, is_taken: Callable[[str], bool]) -> Iterator[NewLabel]:
        """Yield labels with unique titles."""
        for created_at in self._creation_times(total):
            has_description = self._random.hits(40)
            yield {
                "title": make_unique(self._random.pick(self._words.terms), is_taken),
                "color": f"#{self._random.below(1 << 24):06X}",
                "description": self._random.pick(self._words.sentences) if has_description else None,
                "created_at": created_at,
                "updated_at": created_at,
            }

    def milestones(self, total: int, is_taken: Callable[[str], bool]) -> Iterator[NewMilestone]:
        """Yield consecutive milestones; most of the past ones are closed."""
        since, until = self._now - _ISSUES_FROM, self._now + 60 * DAY
        # At least a day, so that no milestone is due before it starts.
        length = max((until - since) // total, DAY) if total else 0
        for number, created_at in enumerate(self._creation_times(total)):
            start = since + number * length
            over = start + length < self._now
            yield {
                "title": make_unique(f"v0.{number + 1}", is_taken),
                "description": self._random.pick(self._words.sentences),
                "state": "closed" if over and self._random.hits(90) else "active",
                "start_date": to_iso_date(start),
                "due_date": to_iso_date(start + length - DAY),
                "created_at": created_at,
                "updated_at": created_at,
            }

    def issues(self, total: int, contents: ProjectContents) -> Iterator[NewIssue]:
        """Yield issues with random authors, labels and milestones, the oldest first."""
        for created_at in self._random.moments(total, self._now - _ISSUES_FROM, self._now):
            row = self._issue(contents.people, created_at)
            yield {**row, **self._planning_fields(contents), **self._rare_fields(contents, created_at)}

    def _issue(self, people: Sequence[int], created_at: int) -> NewIssue:
        random, pools = self._random, self._words
        closed = random.hits(40)
        updated_at = to_iso(created_at + random.below(self._now - created_at + 1))
        return {
            "title": f"{random.pick(pools.verbs)} {random.pick(pools.things).lower()}",
            "description": self._description(),
            "author_id": random.pick(people),
            "created_at": to_iso(created_at),
            "updated_at": updated_at,
            "state": "closed" if closed else "opened",
            "closed_at": updated_at if closed else None,
            "closed_by_id": random.pick(people) if closed else None,
        }

    def _description(self) -> str | None:
        random, sentences = self._random, self._words.sentences
        if random.hits(20):
            return None
        text = f"{random.pick(sentences)} {random.pick(sentences)}"
        return f"{text}\n\n- [x] {random.pick(sentences)}\n- [ ] {random.pick(sentences)}" if random.hits(15) else text

    def _planning_fields(self, contents: ProjectContents) -> IssueChanges:
        random = self._random
        return {
            "assignee_ids": random.some(contents.people, 2 if contents.premium else 1),
            "label_ids": random.some(contents.labels, 3),
            "milestone_id": random.pick(contents.milestones) if contents.milestones and random.hits(60) else None,
        }

    def _rare_fields(self, contents: ProjectContents, created_at: int) -> IssueChanges:
        """Return fields that only a few issues have."""
        random, row = self._random, IssueChanges()
        if random.hits(25):
            row["due_date"] = to_iso_date(created_at + random.below(90 * DAY))
        if random.hits(10):
            row["confidential"] = True
        if random.hits(5):
            row["discussion_locked"] = True
        if random.hits(5):
            row["kind"] = "incident"
        if random.hits(15):
            # ``HOUR`` is in milliseconds; the platform stores estimates in seconds.
            row["time_estimate"] = random.pick(_HOURS) * HOUR // 1000
        if contents.premium and random.hits(40):
            row["weight"] = random.below(10)
        if contents.ultimate and random.hits(20):
            row["health_status"] = random.pick(_HEALTH)
        return row

    def _creation_times(self, total: int) -> Iterator[str]:
        """Yield the creation times of users, groups, projects, labels and milestones: before all issues."""
        return map(to_iso, self._random.moments(total, self._now - _CONTAINERS_FROM, self._now - _CONTAINERS_UNTIL))


def _times(created_at: str) -> Row:
    return {"created_at": created_at, "updated_at": created_at}


def make_unique(name: str, is_taken: Callable[[str], bool]) -> str:
    """Return the name, with a number appended if it is taken."""
    if not is_taken(name):
        return name
    return next(candidate for number in count(2) if not is_taken(candidate := f"{name}-{number}"))


def unique_names(taken: Callable[[str], bool] | Collection[str]) -> Callable[[str], bool]:
    """Return a function that tells whether a name is taken, and reserves the names that are not."""
    reserved: set[str] = set()

    def check(name: str) -> bool:
        if name in reserved or (name in taken if isinstance(taken, Collection) else taken(name)):
            return True
        reserved.add(name)
        return False

    return check
