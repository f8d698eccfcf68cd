from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve, frozen

from fakeplat.core.operations.errors import InvalidParams, PageNotAllowed
from fakeplat.core.operations.paging import KeysetPaged, Page, Paged, PageUrl, by_keyset, by_offset
from fakeplat.core.params.params import binder_of
from tests.worlds import Site, create_site

URL = "https://platform.example/api/v4/things"
TOO_FAR = (
    "Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type Project. "
    "Remaining records can be retrieved using keyset pagination."
)


@frozen
class Row:
    id: int


def build_offset_page(
    total: int, *, counts: bool = True, limited: str = "", known: dict[str, Any] | None = None, **sent: Any
) -> Page:
    plan = binder_of(Paged)
    address = PageUrl(URL, {**plan.defaults, **(known or {}), **sent})
    return by_offset(range(total), plan.bind(sent), address, counts=counts, limited=limited)


def build_keyset_page(rows: Sequence[Row], **sent: Any) -> Page:
    plan = binder_of(KeysetPaged)
    given = {"pagination": "keyset", **sent}
    return by_keyset(rows, plan.bind(given), PageUrl(URL, {**plan.defaults, **given}), repeats_link=True)


def build_link_header(*rels: str, per_page: object = 2) -> str:
    """A Link header from parts such as ``next=3``."""
    parts = [rel.split("=") for rel in rels]
    return ", ".join(f'<{URL}?page={number}&per_page={per_page}>; rel="{rel}"' for rel, number in parts)


def build_headers(
    *, page: int, after: str = "", before: str = "", total: int, pages: int, rels: str, size: int = 2
) -> list[Any]:
    return [
        ("X-Per-Page", str(size)),
        ("X-Page", str(page)),
        ("X-Next-Page", after),
        ("X-Prev-Page", before),
        ("Link", build_link_header(*rels.split(), per_page=size)),
        ("X-Total", str(total)),
        ("X-Total-Pages", str(pages)),
    ]


@pytest.mark.parametrize(
    ("page", "rows", "expected"),
    [
        (1, [0, 1], build_headers(page=1, after="2", total=5, pages=3, rels="next=2 first=1 last=3")),
        (
            2,
            [2, 3],
            build_headers(page=2, after="3", before="1", total=5, pages=3, rels="prev=1 next=3 first=1 last=3"),
        ),
        (3, [4], build_headers(page=3, before="2", total=5, pages=3, rels="prev=2 first=1 last=3")),
        (4, [], build_headers(page=4, total=5, pages=3, rels="first=1 last=3")),
        (9, [], build_headers(page=9, total=5, pages=3, rels="first=1 last=3")),
    ],
)
def test_a_page_says_where_it_stands(page: int, rows: list[int], expected: list[Any]) -> None:
    """The headers of a page give its size, number, neighbors, links and totals, in this order."""
    page_ = build_offset_page(5, page=page, per_page=2)
    assert rows == list(page_.rows)
    assert expected == list(page_.headers)


def test_an_empty_list_has_one_page() -> None:
    """An empty list has one page."""
    assert build_headers(page=1, total=0, pages=1, rels="first=1 last=1", size=20) == list(build_offset_page(0).headers)


def test_a_full_last_page_has_no_next() -> None:
    """A full last page has no link to a next page."""
    expected = build_headers(page=2, before="1", total=4, pages=2, rels="prev=1 first=1 last=2")
    assert expected == list(build_offset_page(4, page=2, per_page=2).headers)


@pytest.mark.parametrize("page", [0, -1, -10])
def test_a_page_below_one_is_the_first(page: int) -> None:
    """Zero and negative pages are page 1, and X-Page says so."""
    assert build_offset_page(5, page=1, per_page=2) == build_offset_page(5, page=page, per_page=2)


@pytest.mark.parametrize(
    ("sent", "size"), [("1", 1), ("100", 100), ("101", 100), ("100000", 100), ("-1", 20), ("-100", 20), ("", 20)]
)
def test_a_page_has_at_most_100_rows(sent: str, size: int) -> None:
    """A larger per_page is cut to 100, a negative one is 20, and X-Per-Page says what was done."""
    page = build_offset_page(150, per_page=sent)
    assert size == len(page.rows)
    assert ("X-Per-Page", str(size)) == page.headers[0]


@pytest.mark.parametrize("sent", [1000, -1])
def test_links_repeat_per_page_as_it_was_sent(sent: int) -> None:
    """Links repeat `per_page` as it was sent, although the page is capped."""
    last = {1000: "last=2", -1: "last=8"}[sent]
    assert (
        build_link_header("next=2", "first=1", last, per_page=sent)
        == dict(build_offset_page(150, per_page=sent).headers)["Link"]
    )


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"page": "a"}, "page is invalid"),
        ({"per_page": "a"}, "per_page is invalid"),
        ({"per_page": "0"}, "per_page has a value not allowed"),
        ({"page": "x", "per_page": "0"}, "page is invalid, per_page has a value not allowed"),
    ],
)
def test_what_is_no_page_is_refused(sent: dict[str, Any], text: str) -> None:
    """A page that is no number and a page size of zero get 400 with the platform's texts."""
    with pytest.raises(InvalidParams) as caught:
        build_offset_page(5, **sent)
    assert {"error": text} == caught.value.payload


@pytest.mark.parametrize(
    ("known", "query"),
    [
        (
            {"id": "7", "simple": False, "order_by": "created_at"},
            "id=7&order_by=created_at&page=1&per_page=20&simple=false",
        ),
        ({"iids": [2, 1]}, "iids%5B%5D=2&iids%5B%5D=1&page=1&per_page=20"),
        ({"not": {"author_id": 3}}, "not%5Bauthor_id%5D=3&page=1&per_page=20"),
        ({"search": "a b&c/ü"}, "page=1&per_page=20&search=a+b%26c%2F%C3%BC"),
        ({"owned": True, "search": None}, "owned=true&page=1&per_page=20"),
        ({"with_x": "", "private_token": "ada-token"}, "page=1&per_page=20&private_token=ada-token&with_x="),
    ],
)
def test_links_carry_every_parameter_sorted_by_name(known: dict[str, Any], query: str) -> None:
    """Links contain all parameters, with defaults, form-encoded and sorted by name; arrays keep their order."""
    link_ = dict(build_offset_page(1, known=known).headers)["Link"]
    assert f'<{URL}?{query}>; rel="first", <{URL}?{query}>; rel="last"' == link_


@pytest.mark.parametrize(
    ("total", "counts", "totals"), [(10_000, False, True), (10_001, False, False), (10_001, True, True)]
)
def test_totals_above_10000_are_hidden_where_they_are_not_counted(total: int, counts: bool, totals: bool) -> None:
    """Above 10,000 rows, a list that is not counted has no X-Total, no X-Total-Pages and no link to the last page."""
    headers_ = dict(build_offset_page(total, counts=counts, per_page=100).headers)
    names = [
        "X-Per-Page",
        "X-Page",
        "X-Next-Page",
        "X-Prev-Page",
        "Link",
        *(["X-Total", "X-Total-Pages"] if totals else []),
    ]
    assert names == list(headers_)
    assert totals == ('rel="last"' in headers_["Link"])
    assert 'rel="next"' in headers_["Link"]


@pytest.mark.parametrize(
    ("page", "per_page", "refused"),
    [(500, 100, False), (501, 100, True), (2500, 20, False), (2501, 20, True), (50_000, 1, False), (50_001, 1, True)],
)
def test_an_offset_beyond_50000_is_refused_where_it_is_limited(page: int, per_page: int, refused: bool) -> None:
    """Lists of projects give 405 with key ``error`` once page times per_page exceeds 50,000; other lists do not."""
    assert [] == list(build_offset_page(5, page=page, per_page=per_page).rows)
    if not refused:
        assert [] == list(build_offset_page(5, limited="Project", page=page, per_page=per_page).rows)
        return
    with pytest.raises(PageNotAllowed) as caught:
        build_offset_page(5, limited="Project", page=page, per_page=per_page)
    assert (405, {"error": TOO_FAR}) == (caught.value.status, caught.value.payload)


ROWS = [Row(id_) for id_ in (5, 7, 8, 11)]


@pytest.mark.parametrize(
    ("sort", "rows", "expected", "key"),
    [
        ("asc", ROWS, ROWS[:2], "id_after=7"),
        ("desc", ROWS[::-1], ROWS[:1:-1], "id_before=8"),
        ("asc", ROWS[:2], ROWS[:2], "id_after=7"),
    ],
)
def test_a_keyset_page_links_to_what_follows_its_last_row(
    sort: str, rows: list[Row], expected: list[Row], key: str
) -> None:
    """The Link and Links headers of a keyset page continue after its last row; there are no X- headers."""
    page = build_keyset_page(rows, order_by="id", sort=sort, per_page=2)
    query = f"{key}&order_by=id&page=1&pagination=keyset&per_page=2&sort={sort}"
    assert expected == list(page.rows)
    assert (("Link", f'<{URL}?{query}>; rel="next"'), ("Links", f'<{URL}?{query}>; rel="next"')) == page.headers


def test_the_keyset_ends_with_an_empty_page_without_a_link() -> None:
    """An empty keyset page has no headers."""
    assert Page([], ()) == build_keyset_page([], order_by="id")


def test_a_key_that_was_sent_is_replaced() -> None:
    """The next link of a keyset page replaces the key that was sent by its own."""
    assert "id_after=7&" in build_keyset_page(ROWS[:2], order_by="id", sort="asc", id_after=4).headers[0][1]
    assert "id_after=4" not in build_keyset_page(ROWS[:2], order_by="id", sort="asc", id_after=4).headers[0][1]


@pytest.mark.parametrize("sent", [{}, {"order_by": "created_at"}, {"order_by": "name"}])
def test_only_the_id_is_a_key(sent: dict[str, str]) -> None:
    """Keyset pages in any order but that of the id get 405 with key ``error``."""
    with pytest.raises(PageNotAllowed) as caught:
        build_keyset_page(ROWS, **sent)
    assert {"error": "Keyset pagination is not yet available for this type of request"} == caught.value.payload


# through the platform


@pytest.fixture
def site() -> Site:
    site = create_site()
    for number in range(3):
        site.project(f"acme/p{number}", creator="ada", visibility="public")
    return site


def test_links_name_the_lists_own_path(site: Site) -> None:
    """The links name the list's own path and the parameters in it."""
    answer = site.get("projects/acme%2Fsite/members/all?per_page=1", "ada")
    base = "<http://localhost/api/v4/projects/acme%2Fsite/members/all?id=acme%2Fsite"
    expected = (
        f'{base}&page=2&per_page=1>; rel="next", {base}&page=1&per_page=1>; rel="first", {base}&page=2&per_page=1>'
    )
    assert f'{expected}; rel="last"' == answer.headers["Link"]


def test_links_begin_with_the_origin_that_the_client_used(site: Site) -> None:
    """Links start with the origin that the client used."""
    link_ = site.get("projects", origin="https://fake.test:8443").headers["Link"]
    assert link_.startswith("<https://fake.test:8443/api/v4/projects?")


def test_a_keyset_walk_sees_every_project_once(site: Site) -> None:
    """Following ``Link`` gives every project once and ends with an empty list."""
    target, seen = "projects?pagination=keyset&order_by=id&sort=asc&per_page=2", []
    while target:
        answer = site.get(target)
        seen.append([project["id"] for project in answer.json])
        target = answer.headers.get("Link", "").removeprefix("<http://localhost").partition(">")[0]
    ids = [site.place(f"acme/p{number}").id for number in range(3)]
    assert [ids[:2], ids[2:], []] == seen


def test_a_list_without_keys_ignores_the_wish_for_them(site: Site) -> None:
    """A list that does not support ``pagination=keyset`` gives an ordinary page."""
    answer = site.get("users?pagination=keyset", "root")
    assert (200, "4") == (answer.status, answer.headers["X-Total"])


@pytest.mark.parametrize(
    ("target", "outcome"),
    [
        ("projects?page=501&per_page=100", (405, {"error": TOO_FAR})),
        ("users/ada/projects?page=501&per_page=100", (405, {"error": TOO_FAR})),
        ("users/ada/starred_projects?page=501&per_page=100", (405, {"error": TOO_FAR})),
        ("users?username=ada&page=501&per_page=100", (200, [])),
    ],
)
def test_only_lists_of_projects_have_a_largest_offset(site: Site, target: str, outcome: object) -> None:
    """Only lists of projects refuse an offset beyond the limit."""
    assert outcome == site.get(target).outcome


def test_head_of_a_list_has_its_headers_and_no_body(site: Site) -> None:
    """HEAD of a list has the headers of GET and no body."""
    head, get = site.ask("HEAD", "projects"), site.get("projects")
    assert (200, b"", get.lasting) == (head.status, head.body, head.lasting)


@pytest.mark.parametrize(("hosted", "total"), [(False, "10001"), (True, None)])
def test_a_hosted_world_hides_the_totals_of_long_lists(hosted: bool, total: str | None) -> None:
    """A hosted world hides the totals of lists above 10,000 rows, and other worlds show them."""
    site = Site(hosted=hosted)
    like = site.project("root/one", visibility="public")
    ids = range(like.id + 1, like.id + 10_001)
    with site.platform.acting() as ctx:
        ctx.world.projects.add_many([evolve(like, id=id_, name=f"p{id_}", path=f"p{id_}") for id_ in ids])
    headers_ = site.get("projects?simple=true&per_page=1").headers
    assert total == headers_.get("X-Total")
    assert (total is not None) == ('rel="last"' in headers_["Link"])
