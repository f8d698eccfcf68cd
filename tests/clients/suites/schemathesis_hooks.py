"""What schemathesis does around each call: the world is as it was at first, so that no call closes what others need."""

import os
from urllib.request import Request, urlopen

import schemathesis

RESET = Request(f"{os.environ['FAKEPLAT_URL']}/_fakeplat/reset", data=b"", method="POST")


@schemathesis.hook
def before_call(context, case, kwargs):
    urlopen(RESET, timeout=10).close()
