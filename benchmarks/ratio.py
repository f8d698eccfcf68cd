from typing import NamedTuple


class Ratio(NamedTuple):
    """A measured ratio with its goal: a maximum, or a minimum if ``most`` is false."""

    name: str
    value: float
    goal: float
    most: bool = True
    detail: str = ""

    @property
    def fine(self) -> bool:
        return self.value <= self.goal if self.most else self.value >= self.goal

    def cells(self) -> tuple[str, str, str, str]:
        """Return the cells of a table row."""
        verdict = "" if self.fine else "MISSED"
        return self.name, f"{self.value:.2f}", f"{'at most' if self.most else 'at least'} {self.goal:g}", verdict

    def __str__(self) -> str:
        bound = "at most" if self.most else "at least"
        verdict = "fine" if self.fine else "MISSED"
        return f"{self.name:<58} {self.value:8.2f}  ({bound} {self.goal:g})  {verdict}  {self.detail}"
