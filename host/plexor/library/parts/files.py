# SPDX-License-Identifier: Apache-2.0
"""Results as JSON documents, folders and who writes to them, and what a device is made of."""

from plexor.base.disk.folder import FolderKind as FolderKind
from plexor.base.disk.folder import FolderPlace as FolderPlace
from plexor.base.disk.folder import put as put
from plexor.base.disk.lock import Held as Held
from plexor.base.documents import Document as Document
from plexor.base.jsonable import to_json as to_json
from plexor.base.short_names import short_names as short_names
from plexor.experiments.store import question_of as question_of
from plexor.files.store.run_folder import write as write
