/* A file that is whole or not there: what is written has no name until all is done, or, where the file system or the writer
 * needs one, lies beside it under a hidden one. A program that is killed meanwhile leaves what was there before. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;       /* to write to; owned */
  char *final_path; /* whose place it takes, links followed; owned. NULL: a device or a pipe, which is written to as it is */
  int mode;         /* of the file whose place it takes; -1: there is none */
  int fd;           /* keeps the file that has no name, which @path leads to; -1: it has one */
} HirOutFile;

/* Makes the file to write to; @needs_name: its writer opens others beside it, or follows links. Errors of G_FILE_ERROR, without the path: it may not be written, its folder is not
 * there, it is a folder. */
gboolean hir_out_file_begin (HirOutFile *file, const char *path, gboolean needs_name, GError **error);
/* All is written, and nobody has it open: puts it in its place and clears @file. FALSE, and as discard(), where that
 * can't be done. */
gboolean hir_out_file_commit (HirOutFile *file, GError **error);
/* Removes what was written, and clears @file. */
void hir_out_file_discard (HirOutFile *file);

G_END_DECLS
