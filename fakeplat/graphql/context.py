"""The context of a GraphQL operation."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import Forbidden, NotFound, Refusal, Unauthorized
from fakeplat.graphql.errors import MutationFailed, MutationResult, ResourceNotAvailable, collect_errors, texts_of
from fakeplat.graphql.schema_builder import Wakes
from fakeplat.pipeline import RequestHandler, RestartAfterEffect
from fakeplat.policy.context import WriteContext
from fakeplat.policy.credentials import Caller

_WRITE_SCOPE: Final = "api"


class GraphqlContext:
    """The context of resolvers. Each mutation is a transaction of its own, whose changes the later fields see.

    ``changes``: the request has mutations, so it is not restarted and reading has no side effects. ``failures`` are the
    errors in payloads, for the journal.
    """

    def __init__(self, exchange: RequestHandler, *, changes: bool) -> None:
        self._exchange = exchange
        self._changes = changes
        self.ctx = exchange.reading(exchange.world)
        self.failures: list[str] = []

    def bring_on(self, record: Any) -> None:
        """Run a record's next scheduled step first, as REST does for a request of a single record."""
        if not self._changes:
            self._exchange.bring_on(record)

    def wake(self, record: Any, wakes: Wakes | None) -> None:
        """Run the side effect of showing a record first."""
        if wakes is None or self._changes or not self._exchange.wakes_on:
            return
        effect = wakes(self.ctx, record)
        if effect is not None:
            raise RestartAfterEffect(effect)

    def change(self, mutate: Callable[[WriteContext], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Run a mutation and return its payload; one with errors is rolled back, unless they are a `MutationResult`."""
        _check_can_write(self._exchange.caller)
        write_context = self._exchange.writing()
        try:
            with collect_errors():
                payload = mutate(write_context)
        except MutationFailed as failed:
            payload = failed.payload
        except (NotFound, Forbidden, Unauthorized) as refusal:
            raise ResourceNotAvailable(refusal.why) from None
        except Refusal as refusal:
            raise GraphQLError(texts_of(refusal)[0]) from None
        errors = payload.get("errors", ())
        self.failures += errors
        # Without a commit the draft of the world is dropped; with one, later fields need a context of the new world.
        if not errors or isinstance(errors, MutationResult):
            self._exchange.world = self._exchange.commit(write_context)
            self.ctx = self._exchange.reading(self._exchange.world)
        return payload


def _check_can_write(caller: Caller) -> None:
    """Refuse mutations of anonymous callers, and of tokens without the scope."""
    if caller.user is None or caller.token is None:
        raise ResourceNotAvailable("mutations require sign-in; the caller is anonymous")
    is_scoped = caller.token.kind not in ("session", "job") and caller.user is caller.actor
    if is_scoped and _WRITE_SCOPE not in caller.token.scopes:
        raise ResourceNotAvailable(
            f"the token has the scopes {' '.join(caller.token.scopes)}; mutations require {_WRITE_SCOPE}"
        )
