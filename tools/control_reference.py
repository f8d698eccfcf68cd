"""The page of control routes, from their OpenAPI description."""


def control_routes_page() -> str:
    """Each control route with its parameters, body and response."""
    return "# Control routes\n"
