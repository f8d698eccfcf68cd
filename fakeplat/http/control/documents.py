"""Control routes: scenario, OpenAPI and coverage. Source: docs/contract.md ('Worlds and control routes')."""

from fakeplat.http.control.declaration import ControlRequest, Result, control


@control("GET", "scenario", answer="Scenario")
async def export(call: ControlRequest) -> Result:
    """Export the world as a scenario."""
    from fakeplat.scenario import export_world

    return 200, export_world(call.bench.platform)


@control("GET", "openapi.json", answer="OpenApi")
async def openapi(call: ControlRequest) -> Result:
    """Return the OpenAPI description of the API and of the control routes."""
    from fakeplat.http.control.description import full_document

    return 200, full_document(call.bench.platform.view.instance, call.request.origin)


@control("GET", "coverage", answer="[Coverage]")
async def coverage(_call: ControlRequest) -> Result:
    """Return which operations are implemented, and how each is verified."""
    from fakeplat.workbench.coverage import coverage_rows

    return 200, coverage_rows()
