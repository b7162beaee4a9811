/* Identifies the file of a recording by its id and a count of writes. The file counts its notes
 * (recording-note.h), so that added notes can be distinguished from other changes. */
#pragma once

#include "trace/recording/recording-db.h"

G_BEGIN_DECLS

#define HIR_META_FILE_ID "hirs.id"
#define HIR_META_N_NOTES "hirs.n_notes"

typedef struct
{
  char *id;          /* NULL for files from before ids were introduced */
  guint32 n_changes; /* SQLite's count of transactions, from the header of the file */
  guint64 n_notes;
} HirRecordingMark;

/* Returns the last value of @key in the meta table of @db (transfer full), or NULL if it is missing
 * or damaged. */
char *hir_recording_dup_meta (sqlite3 *db, const char *path, const char *key);
/* Reads the mark of @db, the recording at @path, into *@mark, which is cleared first. */
void hir_recording_mark_read (HirRecordingMark *mark, sqlite3 *db, const char *path);
/* Returns whether @now is the mark of the same file, to which only notes were added. */
gboolean hir_recording_mark_is_same (const HirRecordingMark *mark, const HirRecordingMark *now);
void hir_recording_mark_clear (HirRecordingMark *mark);

G_END_DECLS
