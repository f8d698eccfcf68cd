"""Control routes: scenario, OpenAPI and coverage. Source: docs/contract.md ('Worlds and control routes')."""

from fakeplat.http.calls import Call, Result, control


@control("GET", "scenario")
async def export(call: Call) -> Result:
    """Write the world as a scenario."""
    from fakeplat.scenario import export

    return 200, export(call.bench.platform)


@control("GET", "openapi.json")
async def openapi(call: Call) -> Result:
    """Describe the API."""
    from fakeplat.workbench.openapi import document

    return 200, document(call.bench.platform.view.instance, call.request.origin)


@control("GET", "coverage")
async def coverage(call: Call) -> Result:
    """Say what is built, and how that is proven."""
    from fakeplat.workbench.coverage import table

    del call
    return 200, table()
