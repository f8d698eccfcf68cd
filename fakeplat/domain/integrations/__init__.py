"""The platform's integrations: their declarations, and what each sends about events of its project.

Source: docs/platform/integrations.md.
"""
