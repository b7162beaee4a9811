/* Where a recording lies while it is written, and how it is opened. Internal to trace/recording-*.
 */
#pragma once

#include "trace/recording/recording-db.h"

G_BEGIN_DECLS

/* Makes an empty file to write to, newly allocated path: *@final_path itself where nothing is there
 * yet and not @beside, else a partial file beside it. *@final_path: @path with links followed, newly allocated.
 * Errors: HIR_ERROR_INPUT
 * (@path is there and no recording, is being written, is in no folder, may not be written). */
char *hir_recording_file_create (const char *path, gboolean beside, char **final_path, GError **error);
/* Moves the closed database @partial to @final_path, in one step. */
gboolean
hir_recording_file_put_in_place (const char *partial, const char *final_path, GError **error);

/* A database that nothing has open, with its journals. */
void hir_recording_file_remove (const char *path);

/* Nothing of the schema of @db is executed. */
void hir_recording_file_restrict (sqlite3 *db);

/* A connection for reading. */
typedef struct
{
  sqlite3 *db;
  char *temporary;   /* nullable: the folder of a copy, removed on close */
  gboolean may_fold; /* it may be written, and a journal lies beside it */
} HirRecordingFile;

/* Errors: HIR_ERROR_INPUT. Nothing in the file is executed: no view, no trigger, no function of the
 * schema. */
gboolean hir_recording_file_open (HirRecordingFile *file, const char *path, GError **error);
/* @is_good: all was read; then a journal that a crash left is folded into the file where possible.
 */
void hir_recording_file_close (HirRecordingFile *file, gboolean is_good);

/* A connection that only reads what a file that does not change has in it, as hir_recording_file_open() opens one; NULL
 * where it can't be had. */
sqlite3 *hir_recording_file_open_again (const char *path);

G_END_DECLS
