"""Exports of projects and groups into archives, and imports of such archives."""
