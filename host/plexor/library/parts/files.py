# SPDX-License-Identifier: Apache-2.0
"""Results as JSON documents, folders that appear as a whole, and short names of folders."""

from plexor.base.disk.folder import FolderKind as FolderKind
from plexor.base.disk.folder import FolderPlace as FolderPlace
from plexor.base.disk.folder import put as put
from plexor.base.documents import Document as Document
from plexor.base.jsonable import to_json as to_json
from plexor.base.short_names import short_names as short_names
from plexor.files.store.run_folder import write as write
