# SPDX-License-Identifier: Apache-2.0
"""Results as JSON documents, and folders that appear as a whole."""

from plexor.base.disk.folder import FolderKind as FolderKind
from plexor.base.disk.folder import FolderPlace as FolderPlace
from plexor.base.disk.folder import put as put
from plexor.base.documents import Document as Document
from plexor.base.jsonable import to_json as to_json
from plexor.files.store.run_folder import write as write
