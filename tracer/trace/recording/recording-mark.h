/* What the file of a recording is known by: an id that it got when it was begun, and how often it was written to since.
 * Notes (recording-note.h) are counted in the file, so that a file with more of them is told from one that somebody else
 * changed. */
#pragma once

#include "trace/recording/recording-db.h"

G_BEGIN_DECLS

#define HIR_META_FILE_ID "hirs.id"
#define HIR_META_N_NOTES "hirs.n_notes"

typedef struct
{
  char *id; /* NULL: the file is of before there were ids */
  guint32 n_changes; /* SQLite's own count of transactions, from the file's header */
  guint64 n_notes;
} HirRecordingMark;

/* The last value of @key that @db's meta table has; NULL where it has none, or a damaged one. */
char *hir_recording_dup_meta (sqlite3 *db, const char *path, const char *key);
/* @db is the recording at @path. *@mark is cleared first. */
void hir_recording_mark_read (HirRecordingMark *mark, sqlite3 *db, const char *path);
/* Whether @now is that of the same file, to which nothing but notes was written. */
gboolean
hir_recording_mark_is_same (const HirRecordingMark *mark, const HirRecordingMark *now);
void hir_recording_mark_clear (HirRecordingMark *mark);

G_END_DECLS
