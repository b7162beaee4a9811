/* Atomic file output. Data goes to an unnamed file, or to a hidden file next to the target if the
 * file system or the writer needs a name. The target is replaced only when the data is complete. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;       /* path to write to; owned */
  char *final_path; /* path to replace, with links resolved; owned. NULL: a device or pipe, written
                     * directly */
  int mode;         /* permissions of the replaced file; -1: none */
  int fd;           /* of the unnamed file behind @path; -1: the file has a name */
} HirOutFile;

/* Creates the file to write to. @needs_name: the writer opens further files next to it, or resolves
 * links. Errors: G_FILE_ERROR, without the path. */
gboolean
hir_out_file_begin (HirOutFile *file, const char *path, gboolean needs_name, GError **error);
/* Replaces the target and clears @file. Call when all data is written and the file is closed.
 * Returns FALSE and discards the file on failure. */
gboolean hir_out_file_commit (HirOutFile *file, GError **error);
/* Removes the written data and clears @file. */
void hir_out_file_discard (HirOutFile *file);

G_END_DECLS
