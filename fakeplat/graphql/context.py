"""One GraphQL operation on its way: who asks, what of the world is seen, and how it is changed."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import Forbidden, NotFound, Refusal, Unauthorized
from fakeplat.graphql.errors import MutationFailed, MutationResult, ResourceNotAvailable, collect_errors, texts_of
from fakeplat.graphql.schema_builder import Wakes
from fakeplat.pipeline import RequestHandler, RestartAfterEffect
from fakeplat.policy.context import WriteContext
from fakeplat.policy.credentials import Caller

_WHOLE: Final = "api"


class GraphqlContext:
    """What resolvers are given. Each mutation is a transaction of its own; what follows sees what it did.

    ``changes``: the request has mutations, so that it is answered in one go and reading sets nothing going.
    ``failures`` are the texts in payloads, for the journal.
    """

    def __init__(self, exchange: RequestHandler, *, changes: bool) -> None:
        self._exchange = exchange
        self._changes = changes
        self.ctx = exchange.reading(exchange.world)
        self.failures: list[str] = []

    def bring_on(self, record: Any) -> None:
        """Have a record's next step come first, as for the one record that a request reads."""
        if not self._changes:
            self._exchange.bring_on(record)

    def wake(self, record: Any, wakes: Wakes | None) -> None:
        """Have what showing a record sets going be done first."""
        if wakes is None or self._changes or not self._exchange.wakes_on:
            return
        act = wakes(self.ctx, record)
        if act is not None:
            raise RestartAfterEffect(act)

    def change(self, act: Callable[[WriteContext], Mapping[str, Any]]) -> Mapping[str, Any]:
        """What a mutation gives; one with errors leaves no trace, unless they tell of what was `MutationResult`."""
        _demand_writing(self._exchange.caller)
        doing = self._exchange.writing()
        try:
            with collect_errors():
                payload = act(doing)
        except MutationFailed as failed:
            payload = failed.payload
        except (NotFound, Forbidden, Unauthorized) as refusal:
            raise ResourceNotAvailable(refusal.why) from None
        except Refusal as refusal:
            raise GraphQLError(texts_of(refusal)[0]) from None
        errors = payload.get("errors", ())
        self.failures += errors
        if not errors or isinstance(errors, MutationResult):
            self._exchange.world = self._exchange.commit(doing)
            self.ctx = self._exchange.reading(self._exchange.world)
        return payload


def _demand_writing(caller: Caller) -> None:
    """Let those change something who are signed in with a credential for that."""
    if caller.user is None or caller.token is None:
        raise ResourceNotAvailable("a mutation asks for a login; nobody is signed in")
    bounded = caller.token.kind not in ("session", "job") and caller.user is caller.actor
    if bounded and _WHOLE not in caller.token.scopes:
        raise ResourceNotAvailable(
            f"the token has the scopes {' '.join(caller.token.scopes)}; a mutation asks for {_WHOLE}"
        )
