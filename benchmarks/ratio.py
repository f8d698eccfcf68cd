from typing import NamedTuple


class Ratio(NamedTuple):
    """One measured ratio and what it should be. ``most``: it should be at most the goal, else at least."""

    name: str
    value: float
    goal: float
    most: bool = True
    detail: str = ""

    @property
    def fine(self) -> bool:
        return self.value <= self.goal if self.most else self.value >= self.goal

    def __str__(self) -> str:
        bound = "at most" if self.most else "at least"
        verdict = "fine" if self.fine else "MISSED"
        return f"{self.name:<58} {self.value:8.2f}  ({bound} {self.goal:g})  {verdict}  {self.detail}"
