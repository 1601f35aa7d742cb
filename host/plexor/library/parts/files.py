"""Results as JSON documents, and folders that appear as a whole."""

from plexor.jsonable import to_json as to_json
