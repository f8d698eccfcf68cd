"""The context of a GraphQL operation."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from graphql import GraphQLError

from fakeplat.core.operations.errors import Forbidden, NotFound, Refusal, Unauthorized
from fakeplat.core.store.table import Record
from fakeplat.graphql.errors import MutationFailed, MutationResult, ResourceNotAvailable, collect_errors, error_messages
from fakeplat.graphql.schema_builder import ReadEffect
from fakeplat.pipeline.handler import RequestHandler, RestartAfterEffect
from fakeplat.policy import maintenance
from fakeplat.policy.behaviours import FIELDS_HAVE_LIMITS
from fakeplat.policy.context import Caller, WriteContext
from fakeplat.policy.granular_scopes import is_granular

_WRITE_SCOPE: Final = "api"


class Complexity(NamedTuple):
    """The complexity of a query, and the caller's limit."""

    score: int
    limit: int


class GraphqlContext:
    """The context of resolvers. Each mutation is a transaction of its own, whose changes the later fields see.

    ``changes``: the request has mutations, so it is not restarted and reading has no side effects. ``failures`` are the
    errors in payloads, for the journal.
    """

    def __init__(self, exchange: RequestHandler, *, changes: bool, complexity: Complexity) -> None:
        self.complexity = complexity
        self._exchange = exchange
        self._changes = changes
        self.ctx = exchange.read_context(exchange.world)
        self.failures: list[str] = []
        self._calls: Counter[str] = Counter()

    def count_call(self, type_name: str, field_name: str, limit: int) -> None:
        """Refuse a use of a field beyond a limit, which later releases have."""
        self._calls[f"{type_name}.{field_name}"] += 1
        if self._calls[f"{type_name}.{field_name}"] > limit and self.ctx.profile.has(FIELDS_HAVE_LIMITS):
            raise GraphQLError(f'"{field_name}" field can be requested only for {limit} {type_name}(s) at a time.')

    def advance_unfinished(self, record: Record) -> None:
        """Run a record's next scheduled step first, as REST does for a request of a single record."""
        if not self._changes:
            self._exchange.advance_unfinished(record)

    def run_read_effect(self, record: object, read_effect: ReadEffect | None) -> None:
        """Run the side effect of showing a record first."""
        if read_effect is None or self._changes or not self._exchange.may_have_effects:
            return
        effect = read_effect(self.ctx, record)
        if effect is not None:
            raise RestartAfterEffect(effect)

    def run_mutation(self, mutate: Callable[[WriteContext], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Run a mutation and return its payload; one with errors is rolled back, unless they are a `MutationResult`."""
        if maintenance.is_on(self._exchange.world):
            raise GraphQLError(maintenance.READ_ONLY)
        # Who calls a tool has the scope for tools, which is sufficient for what they change.
        if self._exchange.nested is None:
            _check_can_write(self._exchange.caller)
        write_context = self._exchange.write_context()
        try:
            with collect_errors():
                payload = mutate(write_context)
        except MutationFailed as failed:
            payload = failed.payload
        except (NotFound, Forbidden, Unauthorized) as refusal:
            raise ResourceNotAvailable(refusal.why) from None
        except Refusal as refusal:
            raise GraphQLError(error_messages(refusal)[0]) from None
        errors = payload.get("errors", ())
        self.failures += errors
        # Without a commit the draft of the world is dropped; with one, later fields need a context of the new world.
        if not errors or isinstance(errors, MutationResult):
            self._exchange.world = self._exchange.commit_changes(write_context)
            self.ctx = self._exchange.read_context(self._exchange.world)
        return payload


def _check_can_write(caller: Caller) -> None:
    """Refuse mutations of anonymous callers, and of tokens without the scope."""
    if caller.user is None or caller.token is None:
        raise ResourceNotAvailable("mutations require sign-in; the caller is anonymous")
    is_scoped = caller.token.kind not in ("session", "job") and caller.user is caller.actor
    # What a fine-grained token may change, its permissions say.
    if is_scoped and not is_granular(caller.token) and _WRITE_SCOPE not in caller.token.scopes:
        raise ResourceNotAvailable(
            f"the token has the scopes {' '.join(caller.token.scopes)}; mutations require {_WRITE_SCOPE}"
        )
