"""The control routes under `/_fakeplat/`."""
