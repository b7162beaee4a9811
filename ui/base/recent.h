/* Files that were opened here before, as the desktop remembers them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *name, *path;
} HirRecent;

/* Array of HirRecent*, the last opened first, at most @max, of those that are still there. Freed with its contents. */
GPtrArray *hir_recent_dup (guint max);
/* @path was opened. Nothing where it is no file. */
void hir_recent_add (const char *path);

G_END_DECLS
