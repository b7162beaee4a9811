/* Recently opened files, from the recent files of the desktop. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *name, *path;
} HirRecent;

/* Returns up to @max existing files that Hirscope opened, most recent first: array of HirRecent*
 * (transfer full). Files that it only writes, such as reports, are left out. */
GPtrArray *hir_recent_dup (guint max);

/* Adds @path to the recent files. Ignores a path without a file. */
void hir_recent_add (const char *path);

G_END_DECLS
