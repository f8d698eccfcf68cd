"""The receivers of all signals; each module is imported when the first of its signals is sent."""
