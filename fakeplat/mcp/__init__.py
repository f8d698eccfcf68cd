"""The platform's own server of the Model Context Protocol: tools that call the API. Source: docs/platform/mcp.md."""
