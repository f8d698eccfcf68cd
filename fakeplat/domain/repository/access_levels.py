"""The access levels of protected branches and tags: their ids, and how lists of them are changed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypedDict, TypeVar

from attrs import evolve

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.model.deployments import GroupProtectedEnvironment, ProtectedEnvironment
from fakeplat.model.repository import Access, GroupProtectedBranch, ProtectedBranch, ProtectedTag

Rule = ProtectedBranch | GroupProtectedBranch | ProtectedTag | ProtectedEnvironment | GroupProtectedEnvironment
A = TypeVar("A", bound=Access)
_IDS_OF_A_RULE: Final = 50


class Grant(TypedDict, total=False):
    """To whom an access level grants access."""

    level: int | None
    user_id: int | None
    group_id: int | None
    deploy_key_id: int | None
    required_approvals: int
    group_inheritance_type: int


class AccessChange(NamedTuple):
    """A new access level, or with an ``id`` the change or the deletion of one."""

    grant: Grant
    id: int | None = None
    destroy: bool = False


def with_ids(rule: Rule, accesses: Iterable[A]) -> dict[int, A]:
    """Return the access levels in a list of a rule by id."""
    numbered = (
        access if access.number else evolve(access, number=place) for place, access in enumerate(accesses, start=1)
    )
    return {rule.id * _IDS_OF_A_RULE + access.number: access for access in numbered}


def change(rule: Rule, accesses: Iterable[A], changes: Sequence[AccessChange], kind: type[A]) -> tuple[A, ...]:
    """Return a list of a rule after some changes; 404 for an id that it does not have. New entries are of a kind."""
    rows = with_ids(rule, accesses)
    last = max((row.number for row in rows.values()), default=0)
    for change_ in changes:
        if change_.id is None:
            last += 1
            rows[rule.id * _IDS_OF_A_RULE + last] = kind(number=last, **_values(change_))
        elif change_.id not in rows:
            raise RecordNotFound(reason=f"the access levels of {rule.name!r} have these ids: {list(rows) or 'none'}")
        elif change_.destroy:
            del rows[change_.id]
        else:
            rows[change_.id] = evolve(rows[change_.id], **_values(change_))
    return tuple(rows.values())


def _values(change_: AccessChange) -> dict[str, Any]:
    # The number of approvals is that of rules of protected environments only.
    return dict(change_.grant)


def grantee_of(access: Access) -> tuple[str, int | None]:
    """Return to whom an entry grants access: the word for it, and the level or the id."""
    if access.user_id is not None:
        return "user", access.user_id
    if access.group_id is not None:
        return "group", access.group_id
    if access.deploy_key_id is not None:
        return "deploy key", access.deploy_key_id
    return "access level", access.level


_GRANTEES: Final = ("access level", "user", "group", "deploy key")


def find_duplicates(accesses: Mapping[str, Sequence[Access]]) -> list[str]:
    """Return a message for each list, given by the word for it, that grants the same twice."""
    counts = {label: Counter(map(grantee_of, rows)) for label, rows in accesses.items()}
    return [
        f"{label} access levels {word} has already been taken"
        for label, granted in counts.items()
        for word in _GRANTEES
        if any(number > 1 for (kind, _), number in granted.items() if kind == word)
    ]
