"""Control routes: what a world sent to webhooks, integrations and by e-mail.

Source: docs/contract.md ('Worlds and control routes').
"""

from typing import Any, cast

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.http.control.declaration import ControlError, ControlRequest, Result, control
from fakeplat.http.control.paging import PAGE, take_page, wait_for


@control("GET", "deliveries", query="DeliveryFilter", answer="[Delivery]")
async def list_deliveries(call: ControlRequest) -> Result:
    """List the deliveries to webhooks and integrations, optionally filtered, or as soon as one has ended."""
    from fakeplat.workbench.deliveries import Delivery, DeliveryFilter

    filters: Any = call.query(*DeliveryFilter.__optional_keys__, *PAGE)
    page, deliveries = take_page(filters), call.bench.deliveries

    def find() -> list[Delivery]:
        return page.select(deliveries.find(**filters), lambda delivery: delivery.id)

    has_match = deliveries.watch(page.after or 0, **filters)
    await wait_for(
        lambda: has_match() and any(each.state != "pending" for each in find()), deliveries.listening, page.wait
    )
    return 200, [delivery.as_dict() for delivery in find()]


@control("DELETE", "deliveries", status=204)
async def clear_deliveries(call: ControlRequest) -> Result:
    """Clear the delivery log."""
    call.bench.deliveries.clear()
    return 204, None


@control("POST", "deliveries/:id/redeliver", status=201, answer="Delivery")
async def redeliver(call: ControlRequest) -> Result:
    """Send the request of a delivery again; the response is the new delivery."""
    from fakeplat.workbench.deliveries import NoSuchDelivery

    call.body()
    try:
        return 201, call.bench.deliveries.redeliver(parse_number(call.texts["id"]) or 0).as_dict()
    except NoSuchDelivery:
        raise ControlError(404, f"no delivery {call.texts['id']!r}") from None


@control("GET", "mails", query="MailFilter", answer="[Mail]")
async def list_mails(call: ControlRequest) -> Result:
    """List the e-mails that the platform would have sent, optionally filtered."""
    from fakeplat.workbench.mails import MailFilter

    filters = cast(MailFilter, call.query(*MailFilter.__optional_keys__))
    return 200, [mail.as_dict() for mail in call.bench.mails.find(**filters)]


@control("DELETE", "mails", status=204)
async def clear_mails(call: ControlRequest) -> Result:
    """Clear the outbox of e-mails."""
    call.bench.mails.clear()
    return 204, None
