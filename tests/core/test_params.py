from collections.abc import Mapping
from typing import Annotated, Any, Literal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.params.body import Upload, parse_query
from fakeplat.core.params.params import (
    ArrayNoneAny,
    Check,
    CommaList,
    Day,
    IntegerNoneAny,
    Moment,
    Named,
    NotAmong,
    NotBlank,
    Params,
    all_or_none_of,
    at_least_one_of,
    binder_of,
    coerce_path,
    exactly_one_of,
    mutually_exclusive,
    requires,
)


class Paged(Params):
    page: int = 1
    per_page: Annotated[int, NotAmong(0)] = 20


class NotIssues(Params):
    author_id: int | None = None
    author_username: str | None = None

    rules = (mutually_exclusive("author_id", "author_username"),)


def one_username(value: list[str]) -> str | None:
    return f"allows one value, but found {len(value)}: {', '.join(value)}" if len(value) > 1 else None


class ListIssues(Paged):
    confidential: bool | None = None
    iids: CommaList[int] | None = None
    labels: CommaList[str] | None = None
    order_by: Literal["created_at", "updated_at"] = "created_at"
    state: Literal["opened", "closed", "all"] | None = None
    created_after: Moment | None = None
    due_date: Day | None = None
    assignee_id: IntegerNoneAny | None = None
    assignee_username: Annotated[list[str] | None, Check(one_username)] = None
    author_id: int | None = None
    author_username: str | None = None
    approved_by_ids: ArrayNoneAny | None = None
    skip_groups: list[int] | None = None
    custom_attributes: dict[str, str] | None = None
    with_labels_details: bool = False
    min_access_level: Literal[10, 20, 30, 40, 50] | None = None
    multiplier: float | None = None
    target_project_id: int | str | None = None
    payload: object = None
    in_: Annotated[str | None, Named("in")] = None
    not_: Annotated[NotIssues | None, Named("not")] = None

    rules = (mutually_exclusive("author_id", "author_username"),)


class KubernetesAttributes(Params):
    api_url: Annotated[str, NotBlank]
    token: str
    authorization_type: Literal["rbac", "abac", "unknown_authorization"] = "rbac"


class AddCluster(Params):
    name: str
    platform_kubernetes_attributes: KubernetesAttributes


def file_path(value: str) -> str | None:
    return "should be a valid file path" if ".." in value else None


class SnippetFile(Params):
    file_path: Annotated[str, NotBlank, Check(file_path)]
    content: Annotated[str, NotBlank]


class CreateSnippet(Params):
    title: Annotated[str, NotBlank]
    file_name: str | None = None
    content: Annotated[str | None, NotBlank] = None
    files: list[SnippetFile] | None = None
    visibility: Literal["private", "internal", "public"] | None = None

    rules = (exactly_one_of("files", "content"), requires("content", "file_name"))


class Link(Params):
    name: str
    url: str


class Assets(Params):
    links: list[Link] | None = None


class CreateRelease(Params):
    tag_name: str
    assets: Assets | None = None


class Action(Params):
    action: Literal["create", "delete", "move", "update", "chmod"]
    file_path: str
    previous_path: str | None = None

    rules = (requires("action", "previous_path", equals="move"),)


class CreateCommit(Params):
    branch: str
    commit_message: str
    actions: list[Action]


class CreateUser(Params):
    email: str
    name: str
    username: str
    private_profile: bool = False
    extern_uid: str | None = None
    provider: str | None = None
    password: str | None = None
    reset_password: bool | None = None
    avatar: Upload | str | None = None

    rules = (at_least_one_of("password", "reset_password"), all_or_none_of("extern_uid", "provider"))


class UploadFile(Params):
    file: Upload


class Settings(Params):
    akismet_enabled: bool | None = None
    akismet_api_key: str | None = None
    eks_integration_enabled: bool | None = None
    eks_account_id: str | None = None
    eks_access_key_id: str | None = None
    eks_secret_access_key: str | None = None
    searchindex_max_bulk_concurrency: int | None = None
    recaptcha_enabled: bool | None = None
    login_recaptcha_protection_enabled: bool | None = None
    recaptcha_site_key: str | None = None

    rules = (
        requires("akismet_enabled", "akismet_api_key"),
        requires("eks_integration_enabled", "eks_account_id", "eks_access_key_id", "eks_secret_access_key"),
        requires("recaptcha_enabled", "recaptcha_site_key"),
        requires("login_recaptcha_protection_enabled", "recaptcha_site_key"),
    )


ALL: tuple[type[Params], ...] = (
    ListIssues,
    AddCluster,
    CreateSnippet,
    CreateRelease,
    CreateCommit,
    CreateUser,
    UploadFile,
    Settings,
)
USER = {"email": "e", "name": "n", "username": "u", "password": "p"}


def bind_params(cls: type[Params], sent: str | Mapping[str, object], stored: Mapping[str, object] | None = None) -> Any:
    return binder_of(cls).bind(parse_query(sent) if isinstance(sent, str) else sent, stored)


def get_binding_error(
    cls: type[Params], sent: str | Mapping[str, object], stored: Mapping[str, object] | None = None
) -> object:
    with pytest.raises(InvalidParams) as caught:
        bind_params(cls, sent, stored)
    payload = caught.value.payload
    assert isinstance(payload, dict)
    assert ["error"] == list(payload)
    return payload["error"]


@pytest.mark.parametrize(
    ("query", "attribute", "value"),
    [
        ("page=2", "page", 2),
        ("page=-10", "page", -10),
        ("page=007", "page", 7),
        ("page=%2B5", "page", 5),
        ("page=1_000", "page", 1000),
        ("page=%205%20", "page", 5),
        ("author_id=9223372036854775807", "author_id", 9223372036854775807),
        ("author_id=", "author_id", None),
        ("author_id", "author_id", None),
        ("author_username=", "author_username", ""),
        ("author_username", "author_username", None),
        ("confidential=", "confidential", None),
        ("created_after=", "created_after", None),
        ("due_date=", "due_date", None),
        ("multiplier=1.5", "multiplier", 1.5),
        ("multiplier=2", "multiplier", 2.0),
        ("multiplier=.5e1", "multiplier", 5.0),
        ("multiplier=", "multiplier", None),
        ("iids=1,2", "iids", [1, 2]),
        ("iids=1, 2", "iids", [1, 2]),
        ("iids=3", "iids", [3]),
        ("iids[]=1&iids[]=2", "iids", [1, 2]),
        ("iids[]=1,2&iids[]=3", "iids", [1, 2, 3]),
        ("iids=", "iids", []),
        ("labels=a, b c,d", "labels", ["a", "b c", "d"]),
        ("labels=a,,b,,", "labels", ["a", "", "b"]),
        ("labels=", "labels", []),
        ("labels[]=", "labels", []),
        ("skip_groups[]=1&skip_groups[]=2", "skip_groups", [1, 2]),
        ("skip_groups[]=", "skip_groups", []),
        ("skip_groups=", "skip_groups", []),
        ("assignee_username[]=a", "assignee_username", ["a"]),
        ("state=closed", "state", "closed"),
        ("state", "state", None),
        ("min_access_level=30", "min_access_level", 30),
        ("min_access_level=", "min_access_level", None),
        ("assignee_id=5", "assignee_id", 5),
        ("assignee_id=None", "assignee_id", "None"),
        ("assignee_id=any", "assignee_id", "Any"),
        ("approved_by_ids=NONE", "approved_by_ids", "None"),
        ("approved_by_ids[]=1&approved_by_ids[]=2", "approved_by_ids", [1, 2]),
        ("custom_attributes[key]=value", "custom_attributes", {"key": "value"}),
        ("target_project_id=12", "target_project_id", 12),
        ("target_project_id=acme/site", "target_project_id", "acme/site"),
        ("in=title", "in_", "title"),
        ("payload[a][]=1", "payload", {"a": ["1"]}),
    ],
)
def test_a_query_parameter_is_coerced(query: str, attribute: str, value: object) -> None:
    """A query parameter is converted to its declared type; an empty text is null for all but texts and lists."""
    p = bind_params(ListIssues, query)
    assert {attribute: value} == p.given()
    assert value == getattr(p, attribute)
    assert type(value) is type(getattr(p, attribute))


@pytest.mark.parametrize(
    "word", ["true", "True", "TRUE", "1", "t", "T", "on", "On", "ON", "y", "Y", "yes", "Yes", "YES"]
)
def test_these_words_are_true(word: str) -> None:
    """All accepted spellings of true are read as true."""
    assert bind_params(ListIssues, {"confidential": word}).confidential is True


@pytest.mark.parametrize(
    "word", ["false", "False", "FALSE", "0", "f", "F", "off", "Off", "OFF", "n", "N", "no", "No", "NO"]
)
def test_these_words_are_false(word: str) -> None:
    """All accepted spellings of false are read as false."""
    assert bind_params(ListIssues, {"confidential": word}).confidential is False


@pytest.mark.parametrize(
    ("sent", "attribute", "value"),
    [
        ({"author_username": 5}, "author_username", "5"),
        ({"author_username": 1.5}, "author_username", "1.5"),
        ({"author_username": 1e20}, "author_username", "1.0e+20"),
        ({"author_username": True}, "author_username", "true"),
        ({"confidential": False}, "confidential", False),
        ({"confidential": 1}, "confidential", True),
        ({"iids": 5}, "iids", [5]),
        ({"iids": [1, "2", None]}, "iids", [1, 2]),
        ({"labels": ["a,b", 5]}, "labels", ["a", "b", "5"]),
        ({"skip_groups": []}, "skip_groups", []),
        ({"author_id": 5.0}, "author_id", 5),
        ({"multiplier": 1}, "multiplier", 1.0),
        ({"approved_by_ids": [1, "x"]}, "approved_by_ids", [1, 0]),
        ({"custom_attributes": {"a": 1, "b": None}}, "custom_attributes", {"a": "1", "b": None}),
        ({"author_id": None}, "author_id", None),
        ({"iids": None}, "iids", None),
        ({"not": None}, "not_", None),
    ],
)
def test_a_json_parameter_is_coerced(sent: dict[str, object], attribute: str, value: object) -> None:
    """A JSON value is converted to the declared type, numbers and texts either way, and null stays null."""
    p = bind_params(ListIssues, sent)
    assert {attribute: value} == p.given()
    assert type(value) is type(getattr(p, attribute))


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("page=a", "page is invalid"),
        ("per_page=a", "per_page is invalid"),
        ("per_page=0", "per_page has a value not allowed"),
        ("author_id=1.5", "author_id is invalid"),
        ("author_id=0x10", "author_id is invalid"),
        ("author_id=1__0", "author_id is invalid"),
        ("author_id=%EF%BC%95", "author_id is invalid"),
        ({"author_id": "9" * 1_000_000}, "author_id is invalid"),
        ({"author_id": True}, "author_id is invalid"),
        ({"author_id": 1.5}, "author_id is invalid"),
        ({"author_id": [1]}, "author_id is invalid"),
        ({"author_id": {}}, "author_id is invalid"),
        ("author_username[]=a", "author_username is invalid"),
        ("author_username[a]=a", "author_username is invalid"),
        ("confidential=maybe", "confidential is invalid"),
        ("confidential=tRUE", "confidential is invalid"),
        ({"confidential": 2}, "confidential is invalid"),
        ({"confidential": 1.0}, "confidential is invalid"),
        ("multiplier=x", "multiplier is invalid"),
        ("multiplier=nan", "multiplier is invalid"),
        ("multiplier=1e999", "multiplier is invalid"),
        ({"multiplier": True}, "multiplier is invalid"),
        ({"multiplier": "9" * 1_000_000}, "multiplier is invalid"),
        ("created_after=x", "created_after is invalid"),
        ({"created_after": 5}, "created_after is invalid"),
        ("due_date=2020-02-30", "due_date is invalid"),
        ("iids=1,x", "iids is invalid"),
        ("iids=1,,2", "iids is invalid"),
        ("iids[]=1&iids[]=x", "iids is invalid"),
        ("skip_groups=1", "skip_groups is invalid"),
        ("skip_groups[a]=1", "skip_groups is invalid"),
        ("skip_groups[]=x", "skip_groups is invalid"),
        ("assignee_username=a", "assignee_username is invalid"),
        ("assignee_username[]=a&assignee_username[]=b", "assignee_username allows one value, but found 2: a, b"),
        ("custom_attributes=a", "custom_attributes is invalid"),
        ("custom_attributes[]=a", "custom_attributes is invalid"),
        ("custom_attributes[a][]=a", "custom_attributes is invalid"),
        ("state=x", "state does not have a valid value"),
        ("state=", "state does not have a valid value"),
        ("state=Closed", "state does not have a valid value"),
        ("order_by=", "order_by does not have a valid value"),
        ("min_access_level=15", "min_access_level does not have a valid value"),
        ("min_access_level=x", "min_access_level is invalid"),
        ("assignee_id=x", "assignee_id should be an integer, 'None' or 'Any'"),
        ("assignee_id=1.5", "assignee_id should be an integer, 'None' or 'Any'"),
        ("assignee_id=", "assignee_id should be an integer, 'None' or 'Any'"),
        ("assignee_id", "assignee_id should be an integer, 'None' or 'Any'"),
        ("approved_by_ids=1", "approved_by_ids should be an array, 'None' or 'Any'"),
        ("not=1", "not is invalid"),
        ("not[]=1", "not is invalid"),
        ("not[author_id]=x", "not[author_id] is invalid"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(sent: str | dict[str, object], text: str) -> None:
    """An invalid value is refused with the parameter's name and the text for the cause."""
    assert text == get_binding_error(ListIssues, sent)


def test_all_failures_are_reported_in_the_order_of_the_declarations() -> None:
    """All failures are reported in one text, in the order of declarations, inherited ones first and rules last."""
    sent = "state=x&author_username=a&author_id=b&per_page=0&page=y"
    text = (
        "page is invalid, per_page has a value not allowed, state does not have a valid value, author_id is invalid, "
        "author_id, author_username are mutually exclusive"
    )
    assert text == get_binding_error(ListIssues, sent)
    assert "email is missing, name is missing, username is missing, private_profile is invalid" == get_binding_error(
        CreateUser, "private_profile=x&password=p"
    )


@pytest.mark.parametrize(
    ("cls", "sent", "text"),
    [
        (ListIssues, "author_id=1&author_username=a", "author_id, author_username are mutually exclusive"),
        (ListIssues, "author_id=1&author_username", "author_id, author_username are mutually exclusive"),
        (
            ListIssues,
            "not[author_id]=1&not[author_username]=a",
            "not[author_id], not[author_username] are mutually exclusive",
        ),
        (
            CreateUser,
            {"email": "e", "name": "n", "username": "u"},
            "password, reset_password are missing, at least one parameter must be provided",
        ),
        (CreateUser, {**USER, "extern_uid": "x"}, "extern_uid, provider provide all or none of parameters"),
        (CreateSnippet, "title=t", "files, content are missing, exactly one parameter must be provided"),
        (
            CreateSnippet,
            "title=t&content=c&file_name=f&files[][file_path]=a&files[][content]=b",
            "files, content are mutually exclusive",
        ),
        (CreateSnippet, "title=t&content=c", "file_name is missing"),
        (Settings, {"akismet_enabled": True}, "akismet_api_key is missing"),
        (
            Settings,
            {"eks_integration_enabled": "1"},
            "eks_account_id is missing, eks_access_key_id is missing, eks_secret_access_key is missing",
        ),
        (
            Settings,
            {"recaptcha_enabled": True, "login_recaptcha_protection_enabled": True},
            "recaptcha_site_key is missing",
        ),
        (
            CreateCommit,
            {"branch": "b", "commit_message": "m", "actions": [{"action": "move", "file_path": "a"}]},
            "actions[0][previous_path] is missing",
        ),
    ],
)
def test_a_broken_rule_is_refused(cls: type[Params], sent: Any, text: str) -> None:
    """The error of a broken rule names its parameters, also inside hashes and arrays."""
    assert text == get_binding_error(cls, sent)


@pytest.mark.parametrize(
    ("cls", "sent"),
    [
        (ListIssues, {"not": {"author_id": 1}, "author_username": "a"}),
        (CreateUser, {**USER, "extern_uid": "x", "provider": "p"}),
        (CreateUser, {**USER, "reset_password": True}),
        (Settings, {"akismet_enabled": False}),
        (Settings, {"akismet_enabled": True, "akismet_api_key": None}),
        (Settings, {}),
        (
            CreateCommit,
            {"branch": "b", "commit_message": "m", "actions": [{"action": "create", "file_path": "a"}]},
        ),
    ],
)
def test_a_rule_that_is_kept_refuses_nothing(cls: type[Params], sent: dict[str, object]) -> None:
    """A request that complies with the rules is accepted; null counts as sent."""
    assert sent.keys() == {name.rstrip("_") for name in bind_params(cls, sent).given()}


@pytest.mark.parametrize(
    ("cls", "sent", "text"),
    [
        (AddCluster, {"platform_kubernetes_attributes": {"api_url": "u", "token": "t"}}, "name is missing"),
        (
            AddCluster,
            {"name": "n"},
            "platform_kubernetes_attributes is missing, "
            + ", ".join(
                f"platform_kubernetes_attributes{text}"
                for text in ("[api_url] is missing", "[api_url] is empty", "[token] is missing")
            ),
        ),
        (
            AddCluster,
            {"name": "n", "platform_kubernetes_attributes": {"api_url": " ", "token": "t"}},
            "platform_kubernetes_attributes[api_url] is empty",
        ),
        (
            AddCluster,
            {"name": "n", "platform_kubernetes_attributes": {"api_url": "u", "token": "t", "authorization_type": "x"}},
            "platform_kubernetes_attributes[authorization_type] does not have a valid value",
        ),
        (CreateRelease, {"tag_name": "v", "assets": {"links": [{"url": "u"}]}}, "assets[links][0][name] is missing"),
        (CreateSnippet, "title=t&files[][content]=c", "files[0][file_path] is missing, files[0][file_path] is empty"),
        (CreateSnippet, "title=t&files[][file_path]=a&files[][content]=", "files[0][content] is empty"),
        (
            CreateSnippet,
            {"title": "t", "files": [{"file_path": "a", "content": "c"}, {"file_path": "../a", "content": "c"}]},
            "files[1][file_path] should be a valid file path",
        ),
        (CreateSnippet, {"title": "t", "files": "x"}, "files is invalid"),
        (CreateSnippet, {"title": "t", "files": ["x"]}, "files is invalid"),
        (CreateCommit, "branch=b&commit_message=m", "actions is missing"),
        (
            CreateCommit,
            {"branch": "b", "commit_message": "m", "actions": [{"action": "x"}]},
            "actions[0][action] does not have a valid value, actions[0][file_path] is missing",
        ),
    ],
)
def test_failures_inside_a_hash_or_array_are_reported_with_their_location(
    cls: type[Params], sent: Any, text: str
) -> None:
    """Failures inside hashes and arrays are reported with keys and indexes in brackets."""
    assert text == get_binding_error(cls, sent)


class Row(Params):
    """A hash with a required key that accepts certain values."""

    kind: Literal["old", "new"]


class Table(Params):
    """The same as a parameter, and rows."""

    kind: Literal["old", "new"]
    rows: list[Row] | None = None


def test_a_value_that_was_not_sent_is_none_of_the_accepted_ones() -> None:
    """A missing parameter is also told not to have a valid value; a missing key of a hash is only missing."""
    assert "kind is missing, kind does not have a valid value" == get_binding_error(Table, {})
    assert "rows[0][kind] is missing" == get_binding_error(Table, {"kind": "old", "rows": [{}]})


@pytest.mark.parametrize("title", ["", "  ", "\n", None])
def test_a_blank_value_is_empty_where_blank_is_forbidden(title: str | None) -> None:
    """Null, an empty text and white space are reported as ``is empty`` where blank values are forbidden."""
    assert "title is empty" == get_binding_error(CreateSnippet, {"title": title, "content": "c", "file_name": "f"})


def test_a_required_value_that_may_not_be_blank_is_missing_and_empty() -> None:
    """A missing parameter that must not be blank is reported as missing and as empty."""
    assert "title is missing, title is empty" == get_binding_error(CreateSnippet, "content=c&file_name=f")


def test_a_null_for_a_required_parameter_counts_as_sent() -> None:
    """Null for a required parameter is an empty text, or an invalid value for any other type, but not missing."""
    assert "" == bind_params(CreateUser, {**USER, "name": None}).name
    action = {"branch": "b", "commit_message": "m", "actions": [{"action": None, "file_path": "a"}]}
    assert "actions[0][action] does not have a valid value" == get_binding_error(CreateCommit, action)
    assert "actions is invalid" == get_binding_error(
        CreateCommit, {"branch": "b", "commit_message": "m", "actions": None}
    )


@pytest.mark.parametrize("sent", [{}, {"private_profile": None}, {"private_profile": ""}])
def test_a_null_stands_for_the_default_where_there_is_one(sent: dict[str, object]) -> None:
    """``private_profile: null`` gives the default, false, and does not count as sent."""
    p = bind_params(CreateUser, {**USER, **sent})
    assert p.private_profile is False
    assert USER == p.given()


def test_an_instance_holds_only_what_was_sent() -> None:
    """Parameters that were not sent have their defaults and are not given; undeclared names are ignored."""
    p = bind_params(ListIssues, "page=3&nonsense=1")
    assert {"page": 3} == p.given()
    assert (3, 20, "created_at", None) == (p.page, p.per_page, p.order_by, p.state)


def test_what_was_given_can_be_changed_without_changing_the_parameters() -> None:
    """Parameters are immutable, and changing the mapping of given values does not change them."""
    p = bind_params(ListIssues, "page=3")
    p.given()["page"] = 4
    assert 3 == p.page
    with pytest.raises(AttributeError):
        p.page = 4


def test_no_parameters_at_all_cost_no_instance() -> None:
    """Requests without parameters share one instance."""
    assert bind_params(ListIssues, {}) is bind_params(ListIssues, "")
    assert "file is missing" == get_binding_error(UploadFile, {})


def test_a_hash_inside_is_an_instance_of_its_class() -> None:
    """Nested parameters are instances of their class, read by attribute."""
    p = bind_params(CreateRelease, {"tag_name": "v", "assets": {"links": [{"name": "n", "url": "u"}]}})
    assert {"name": "n", "url": "u"} == p.assets.links[0].given()
    assert bind_params(ListIssues, "not[author_id]=5").not_.author_id == 5


def test_a_file_must_be_uploaded() -> None:
    """A text for a file is refused, unless the parameter takes both."""
    upload = Upload("a.png", "image/png", b"x")
    assert "file is invalid" == get_binding_error(UploadFile, {"file": "x"})
    assert "file is invalid" == get_binding_error(UploadFile, {"file": None})
    assert upload == bind_params(UploadFile, {"file": upload}).file
    assert upload == bind_params(CreateUser, {**USER, "avatar": upload}).avatar
    assert "" == bind_params(CreateUser, {**USER, "avatar": ""}).avatar


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2020-11-20T09:00:00Z", "2020-11-20T09:00:00.000Z"),
        ("2020-11-20T09:00:00.1234567Z", "2020-11-20T09:00:00.123Z"),
        ("2020-11-20T09:00:00+02:00", "2020-11-20T07:00:00.000Z"),
        ("2020-11-20T09:00:00-0230", "2020-11-20T11:30:00.000Z"),
        ("2020-11-20T09:00:00 02:00", "2020-11-20T09:00:00.000Z"),
        ("2020-11-20 09:00", "2020-11-20T09:00:00.000Z"),
        ("2020-11-20 09:00:00 UTC", "2020-11-20T09:00:00.000Z"),
        ("2020-11-20 09:00:00 +0100", "2020-11-20T08:00:00.000Z"),
        ("20201120T090000Z", "2020-11-20T09:00:00.000Z"),
        ("2020-11-20", "2020-11-20T00:00:00.000Z"),
        ("2020/11/20", "2020-11-20T00:00:00.000Z"),
        ("2020-1-2", "2020-01-02T00:00:00.000Z"),
        ("Fri, 20 Nov 2020 09:00:00 GMT", "2020-11-20T09:00:00.000Z"),
        ("Fri Nov 20 2020 09:00:00 GMT+0100", "2020-11-20T08:00:00.000Z"),
        ("2020-11-20T24:00:00Z", "2020-11-21T00:00:00.000Z"),
        ("2020-12-31T23:59:60Z", "2020-12-31T23:59:59.000Z"),
        ("0001-01-01", "0001-01-01T00:00:00.000Z"),
    ],
)
def test_a_time_is_read_into_one_form(text: str, moment: str) -> None:
    """A time in any format is converted to UTC with milliseconds."""
    assert moment == bind_params(ListIssues, {"created_after": text}).created_after


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "2020",
        "2020-13-01",
        "2020-02-30",
        "2020-11-200",
        "2020-11-20T25:00:00Z",
        "2020-11-20T24:00:01Z",
        "2020-11-20T09:60:00Z",
        "2020-11-20T09:00:00+99:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T24:00:00Z",
        "20 Foo 2020",
        "2020-11-20 " + "x" * 200,
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    """A time that does not parse is refused."""
    assert "created_after is invalid" == get_binding_error(ListIssues, {"created_after": text})


@pytest.mark.parametrize("text", ["2020-11-20", "2020-11-20T23:00:00-05:00", "2020/11/20", "20 Nov 2020"])
def test_a_date_is_the_day_that_the_text_names(text: str) -> None:
    """A date is the day that the text names, without conversion to another time zone."""
    assert "2020-11-20" == bind_params(ListIssues, {"due_date": text}).due_date


@pytest.mark.parametrize("name", ["akismet_enabled", "antispam_enabled"])
def test_either_of_two_names_is_accepted(name: str) -> None:
    """A parameter is accepted under its vendor name and its neutral name."""
    p = bind_params(Settings, {name: "0"})
    assert {"akismet_enabled": False} == p.given()


@pytest.mark.parametrize("name", ["searchindex_max_bulk_concurrency", "elasticsearch_max_bulk_concurrency"])
def test_either_name_may_be_the_declared_one(name: str) -> None:
    """A parameter declared under its neutral name also takes the vendor's; an error names the one that was sent."""
    assert 5 == bind_params(Settings, {name: "5"}).searchindex_max_bulk_concurrency
    assert f"{name} is invalid" == get_binding_error(Settings, {name: "x"})


def test_a_rule_speaks_in_the_names_that_the_client_used() -> None:
    """A client that sends a neutral name gets the neutral name of the missing parameter in the error."""
    assert "antispam_api_key is missing" == get_binding_error(Settings, {"antispam_enabled": True})


def test_two_names_with_one_value_are_one_parameter() -> None:
    """Both names of a parameter with equal values, even if spelled differently, are accepted."""
    assert {"akismet_enabled": False} == bind_params(
        Settings, {"akismet_enabled": "no", "antispam_enabled": False}
    ).given()


def test_two_names_with_two_values_exclude_each_other() -> None:
    """Both names of a parameter with different values are mutually exclusive without a stored value."""
    sent = {"akismet_api_key": "a", "antispam_api_key": "b"}
    assert "antispam_api_key, akismet_api_key are mutually exclusive" == get_binding_error(Settings, sent)


@pytest.mark.parametrize("stored", [{"akismet_api_key": "a"}, {"antispam_api_key": "a"}])
def test_on_an_update_the_name_with_another_value_than_the_stored_one_wins(stored: dict[str, object]) -> None:
    """Of both names with different values, the one that differs from the stored value wins on an update."""
    sent = {"akismet_api_key": "a", "antispam_api_key": "b"}
    assert "b" == bind_params(Settings, sent, stored).akismet_api_key
    assert "b" == bind_params(Settings, {"akismet_api_key": "b", "antispam_api_key": "a"}, stored).akismet_api_key


def test_on_an_update_two_changed_names_exclude_each_other() -> None:
    """Both names with values that differ from each other and from the stored one are mutually exclusive."""
    sent = {"akismet_api_key": "a", "antispam_api_key": "b"}
    text = "antispam_api_key, akismet_api_key are mutually exclusive"
    assert text == get_binding_error(Settings, sent, {"akismet_api_key": "c"})


def test_a_plan_knows_the_defaults() -> None:
    """The defaults of a binder are the declared ones that are not None, by their names in requests."""
    expected = {"page": 1, "per_page": 20, "order_by": "created_at", "with_labels_details": False}
    assert expected == binder_of(ListIssues).defaults


def test_a_plan_tells_declared_names_from_others() -> None:
    """A binder recognizes declared parameters under either of their names, and lists the others as unknown."""
    sent = {"antispam_enabled": "x", "private_token": "t", "akismet_api_key": None}
    assert ["private_token"] == binder_of(Settings).unknown(sent)
    assert {"antispam_enabled": "x", "akismet_api_key": None} == binder_of(Settings).sent(sent)


def test_a_plan_describes_its_parameters() -> None:
    """The JSON Schema of a binder has types, values, defaults, required names and nested parameters."""
    action = {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["create", "delete", "move", "update", "chmod"]},
            "file_path": {"type": "string"},
            "previous_path": {"type": "string"},
        },
        "required": ["action", "file_path"],
    }
    commit = binder_of(CreateCommit).schema()
    assert {"type": "array", "items": action} == commit["properties"]["actions"]
    issues = binder_of(ListIssues).schema()["properties"]
    assert {"type": "integer", "not": {"enum": [0]}, "default": 20} == issues["per_page"]
    assert {"type": "array", "items": {"type": "integer"}} == issues["iids"]
    assert {"type": "string", "format": "date-time"} == issues["created_after"]
    assert {"anyOf": [{"type": "integer"}, {"enum": ["None", "Any"]}]} == issues["assignee_id"]
    assert "required" not in binder_of(ListIssues).schema()
    assert {"type": "boolean", "x-also-named": "antispam_enabled"} == (
        binder_of(Settings).schema()["properties"]["akismet_enabled"]
    )


@pytest.mark.parametrize("cls", ALL)
def test_every_description_is_json(cls: type[Params]) -> None:
    """The schema of every class of parameters can be encoded as JSON."""
    assert orjson.dumps(binder_of(cls).schema())


@pytest.mark.parametrize(
    ("kind", "text", "value"), [(int, "12", 12), (str, "a%2Fb", "a%2Fb"), (Literal["a"], "a", "a")]
)
def test_a_path_parameter_is_coerced(kind: object, text: str, value: object) -> None:
    """Path parameters are converted to their declared types."""
    assert value == coerce_path(kind, "name", text)


@pytest.mark.parametrize(
    ("kind", "name", "text", "refusal"),
    [
        (int, "issue_iid", "abc", "issue_iid is invalid"),
        (int, "id", "abc", "id is invalid"),
        (int, "id", "", "id is invalid"),
        (Literal["slack"], "service_slug", "x", "service_slug does not have a valid value"),
    ],
)
def test_a_path_parameter_is_refused_like_any_other(kind: object, name: str, text: str, refusal: str) -> None:
    """An invalid path parameter is refused, as in ``issue_iid is invalid``."""
    with pytest.raises(InvalidParams) as caught:
        coerce_path(kind, name, text)
    assert {"error": refusal} == caught.value.payload


def test_an_annotation_that_no_parameter_can_have_is_a_mistake() -> None:
    """An annotation of an unsupported type raises TypeError when the binder is built."""

    class Mistaken(Params):
        when: complex = 0j

    with pytest.raises(TypeError, match="complex"):
        binder_of(Mistaken)


def test_a_rule_about_an_undeclared_parameter_is_a_mistake() -> None:
    """A rule that names an undeclared parameter raises TypeError when the binder is built."""

    class Mistaken(Params):
        name: str | None = None
        rules = (at_least_one_of("name", "pth"),)

    with pytest.raises(TypeError, match="pth"):
        binder_of(Mistaken)


texts = st.one_of(
    st.text(), st.sampled_from(["1", "x", "", "None", "a,b", "true", "create", "move", "2020-11-20", "1e5"])
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), texts, st.builds(Upload, texts, texts, st.binary())
)
names = st.one_of(
    st.sampled_from(sorted({name for cls in ALL for field in binder_of(cls).fields for name in field.names})), st.text()
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=8,
)


@given(st.sampled_from(ALL), st.dictionaries(names, values, max_size=6), st.none() | st.dictionaries(names, values))
def test_anything_is_bound_or_refused(
    cls: type[Params], sent: dict[str, object], stored: dict[str, object] | None
) -> None:
    """Any JSON gives parameters with declared names only, or a 400."""
    try:
        p = bind_params(cls, sent, stored)
    except InvalidParams as refused:
        refused.response()
    else:
        assert p.given().keys() <= {field.attribute for field in binder_of(cls).fields}


@given(st.sampled_from(ALL), st.dictionaries(names, values, max_size=6))
def test_the_order_in_which_parameters_were_sent_does_not_matter(cls: type[Params], sent: dict[str, object]) -> None:
    """The order in which parameters were sent changes neither their values nor the errors."""
    assert describe_outcome(cls, sent) == describe_outcome(cls, dict(reversed(sent.items())))


def describe_outcome(cls: type[Params], sent: dict[str, object]) -> str:
    try:
        return repr(sorted(bind_params(cls, sent).given().items(), key=str))
    except InvalidParams as refused:
        return str(refused.payload)


@given(st.text())
def test_any_time_is_read_or_refused(text: str) -> None:
    """Any text for a time gives null, a time in UTC with milliseconds, or a refusal."""
    try:
        moment = bind_params(ListIssues, {"created_after": text}).created_after
    except InvalidParams:
        return
    assert moment is None or (len(moment) == len("2020-11-20T09:00:00.000Z") and moment.endswith("Z"))
