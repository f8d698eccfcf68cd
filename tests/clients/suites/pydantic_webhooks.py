"""Print, for each request in a file, the model that the payload is of, or what the models say against it."""

import base64
import json
import sys
from pathlib import Path

from pydantic import ValidationError
from pydantic_gitlab_webhooks import validate_event_body_dict

read = []
for request in json.loads(Path(sys.argv[1]).read_text("utf-8")):
    body = json.loads(base64.b64decode(request["body"]))
    try:
        read.append([body.get("object_kind") or body["event_name"], type(validate_event_body_dict(body)).__name__])
    except ValidationError as error:
        errors = [f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in error.errors()]
        read.append([body.get("object_kind") or body["event_name"], errors])
print(json.dumps(read))
