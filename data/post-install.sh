#!/bin/sh
# Tells the desktop about what was installed. Packagers do this themselves: nothing is done under DESTDIR.
[ -z "${DESTDIR:-}" ] || exit 0
share=$MESON_INSTALL_PREFIX/$1

if command -v update-mime-database >/dev/null; then
  update-mime-database "$share/mime"
fi
if command -v update-desktop-database >/dev/null; then
  update-desktop-database -q "$share/applications"
fi
if command -v gtk4-update-icon-cache >/dev/null; then
  gtk4-update-icon-cache -q -t -f "$share/icons/hicolor"
fi
exit 0
