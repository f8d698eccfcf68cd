"""The kernel: operations, parameters, records, pagination, time. It knows no resource of the platform."""
