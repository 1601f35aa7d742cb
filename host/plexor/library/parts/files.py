# SPDX-License-Identifier: Apache-2.0
"""Results as JSON documents, and folders that appear as a whole."""

from plexor.disk.folder import FolderKind as FolderKind
from plexor.disk.folder import FolderPlace as FolderPlace
from plexor.disk.folder import put as put
from plexor.documents import Document as Document
from plexor.jsonable import to_json as to_json
from plexor.store.run_folder import write as write
