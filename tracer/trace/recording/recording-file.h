/* Creates, replaces and opens the files of recordings. Internal to trace/recording. */
#pragma once

#include "trace/recording/recording-db.h"

G_BEGIN_DECLS

/* Creates an empty file to write to and returns its path (transfer full). The path is *@final_path
 * if no file exists there and @beside is FALSE, otherwise that of a partial file next to it.
 * *@final_path is @path with links resolved (transfer full).
 *
 * Errors: HIR_ERROR_INPUT if @path exists and is not a recording, is being written, is in no
 * existing folder or is not writable. */
char *
hir_recording_file_create (const char *path, gboolean beside, char **final_path, GError **error);
/* Replaces @final_path by the closed database @partial atomically. */
gboolean
hir_recording_file_put_in_place (const char *partial, const char *final_path, GError **error);

/* Deletes a closed database and its journals. */
void hir_recording_file_remove (const char *path);

/* Prevents execution of SQL from the schema of @db. */
void hir_recording_file_restrict (sqlite3 *db);

/* A read connection. */
typedef struct
{
  sqlite3 *db;
  char *temporary;   /* folder of a copy, deleted on close; nullable */
  gboolean may_fold; /* the file is writable and has a journal */
} HirRecordingFile;

/* Opens the recording at @path for reading. Executes no view, trigger or function of its schema.
 * Errors: HIR_ERROR_INPUT. */
gboolean hir_recording_file_open (HirRecordingFile *file, const char *path, GError **error);
/* Closes the connection. If @is_good (everything was read), the journal that a crash left is merged
 * into the file if possible. */
void hir_recording_file_close (HirRecordingFile *file, gboolean is_good);

/* Opens a second, read-only connection to a file that does not change. Returns NULL on failure. */
sqlite3 *hir_recording_file_open_again (const char *path);

G_END_DECLS
