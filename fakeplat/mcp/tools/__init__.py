"""The tools of the server, one declaration each; `table` lists them by release."""
