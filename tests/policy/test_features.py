from typing import Any

import pytest

PLANS = {
    "instance": {"hosted": True, "tier": "premium"},
    "users": [{"username": "ada"}],
    "groups": [
        {"path": "paid", "members": {"ada": "owner"}, "projects": [{"path": "kit"}]},
        {"path": "unpaid", "plan": "free", "members": {"ada": "owner"}, "projects": [{"path": "kit"}]},
        {
            "path": "top",
            "plan": "gold",
            "members": {"ada": "owner"},
            "groups": [{"path": "in", "projects": [{"path": "kit"}]}],
        },
    ],
}


@pytest.mark.fakeplat(scenario=PLANS)
@pytest.mark.parametrize(
    ("project", "weight", "health", "restored"),
    [("paid/kit", True, False, 400), ("unpaid/kit", False, False, 404), ("top/in/kit", True, True, 400)],
)
def test_paid_features_follow_the_plan_of_the_root_namespace(
    fakeplat: Any, project: str, weight: bool, health: bool, restored: int
) -> None:
    """On a hosted instance paid features follow the plan of the root namespace, or else the instance's tier."""
    owner, path = fakeplat.as_user("ada"), f"projects/{project.replace('/', '%2F')}"
    issue = owner.post(f"{path}/issues", json={"title": "x", "weight": 3}).json()
    assert (weight, health) == (issue.get("weight") == 3, "health_status" in issue)
    assert restored == owner.post(f"{path}/restore").status
    assert weight == ("approvals_before_merge" in owner.get(path).json())
