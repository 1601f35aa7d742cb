# SPDX-License-Identifier: Apache-2.0
"""`plexor archive serve`: an archive in the browser, on this machine."""

from __future__ import annotations

from plexor.library.archive import Archive
from plexor.library.specs.archive_spec import Archiving
from plexor.library.specs.scope_spec import Serving
from plexor.scope.archive_app import archive_app
from plexor.scope.command import say
from plexor.scope.serve import ServedAt, Server, serve


def serve_archive(place: Archiving, serving: Serving) -> None:
    """Serve the archive until Ctrl-C."""
    archive = Archive(place.folder)
    archive.log(last=1)  # what is wrong with the folder is told before anything listens
    where = ServedAt(serving.host, serving.port, serving.certificate, serving.key)
    serve(
        lambda door: Server(archive_app(door.guard, archive), door),
        where,
        say,
        show=not serving.no_open,
    )
