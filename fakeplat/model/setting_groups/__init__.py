"""The declarations of the application settings that later releases brought, by theme."""
