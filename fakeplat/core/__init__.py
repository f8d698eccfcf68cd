"""The kernel: operations, parameters, tables, caches, pagination, time. It knows no resource of the platform."""
