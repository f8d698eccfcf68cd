"""The invariants of docs/invariants.md hold after any sequence of actions."""

import os
import subprocess
import sys
from hashlib import sha256

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from typing_extensions import override

from tests.architecture.sources import ROOT
from tests.examples import examples
from tests.fuzz.lives import PEOPLE, Action, Life, play

BY = st.sampled_from(["root", *PEOPLE])
WRITES = (
    *("create_project", "open_issue", "change_issue", "comment", "push", "open_merge_request", "merge"),
    *("run_pipeline", "retry_job", "publish_package", "push_image", "delete_project", "create_user"),
)
BENCH = ("settle", "snapshot", "restore", "reset", "fork")
STORY = [
    Action(*step)
    for step in (
        *(("create_project", "ada"), ("create_user",), ("open_issue", "dev", 0), ("push", "dev", 0, 1)),
        *(("open_merge_request", "dev", 0, 1), ("run_pipeline", "ada"), ("fork",), ("settle",), ("merge", "mia", 0, 3)),
        *(("publish_package", "dev", 2), ("push_image", "dev", 0), ("snapshot",), ("comment", "rep", 0, 0)),
        *(("delete_project", "ada", 2), ("restore",), ("open_issue", "gus", 0), ("push", "ada", 2, 0)),
        *(("retry_job", "dev", 0, 1), ("settle",)),
    )
]
"""A little of everything."""


class Lives(RuleBasedStateMachine):
    """What people and test authors do in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.life = Life()
        self.actions: list[Action] = []

    def do(self, action: Action) -> None:
        self.actions.append(action)
        self.life.do(action)

    @rule(name=st.sampled_from(WRITES), by=BY, first=st.integers(0, 2), second=st.integers(0, 3))
    def write(self, name: str, by: str, first: int, second: int) -> None:
        self.do(Action(name, by, first, second))

    @rule(name=st.sampled_from(BENCH), first=st.integers(0, 1))
    def use_bench(self, name: str, first: int) -> None:
        self.do(Action(name, first=first))

    @invariant()
    def invariants_hold(self) -> None:
        if self.actions:
            self.life.check()

    @override
    def teardown(self) -> None:
        assert self.life.transcript == play(self.actions), "the same actions had other answers"


def test_invariants_hold_in_any_order_of_actions() -> None:
    """Forks keep parents, restores and resets give the same bytes, refusals change nothing, nobody sees secrets."""
    run_state_machine_as_test(Lives, settings=settings(max_examples=examples(4), stateful_step_count=10, deadline=None))


def test_a_story_touches_everything() -> None:
    """The actions succeed where they are to: there are new issues, merges, pipelines, packages and images."""
    life = Life()
    for action in STORY:
        life.do(action)
        life.check()
    world = life.platform.view
    assert {"merged"} <= {merge_request.state for merge_request in world.merge_requests.all()}
    assert [] != [*world.packages.all()]
    assert [] != [*world.image_blobs.all()]
    assert 1 == len(life.parents)


def test_two_processes_give_equal_bytes() -> None:
    """The same actions have the same answers in processes with other seeds of hashes."""
    script = "from tests.fuzz.test_lives import *; print(sha256(b' '.join(play(STORY))).hexdigest())"
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert {f"{sha256(b' '.join(play(STORY))).hexdigest()}\n"} == digests
