"""The modules of sections are imported when they are needed. Nothing is missed for that."""

from collections import Counter

from fakeplat.scenario import lazy_sections


def test_the_table_of_sections_says_what_is_declared() -> None:
    """lazy_sections.csv lists each module with its sections; if it does not, run `make generate`."""
    assert [tuple(row) for row in lazy_sections.read_rows()] == lazy_sections.build_rows()


def test_a_key_means_one_section() -> None:
    """Within one kind of record each key belongs to one section."""
    sections = lazy_sections.all_sections()
    pairs = Counter((kind, section.key) for section in sections for kind in section.within)

    assert [] == [pair for pair, count in pairs.items() if count > 1]


def test_a_kind_is_that_of_one_section() -> None:
    """Each kind of record belongs to one section, so that an entry can be found by name."""
    kinds = Counter(section.kind for section in lazy_sections.all_sections() if section.kind)

    assert [] == [kind for kind, count in kinds.items() if count > 1]
