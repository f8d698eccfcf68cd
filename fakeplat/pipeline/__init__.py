"""The handling of a request: the route, the checks in the order of the platform, and the rendering of the answer."""
