/* The two halves of reading, and a way for tests to reach behind the check sums. */
#pragma once

#include "trace/recording/recording-file.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

/* As hir_recording_open(); @ignore_digests: check sums are not looked at, so that a fuzzer gets to
 * the checks of single values. */
HirRecording *hir_recording_open_full (const char *path, gboolean ignore_digests, GError **error);

/* What reading needs everywhere. */
typedef struct
{
  HirLoadProgress *watch;        /* nullable */
  HirRecordingFunc has_views; /* nullable */
  gpointer user_data;
  sqlite3 *db;
  const char *path;
  gboolean ignore_digests;
  HirRecording *recording;
} HirRecordingReader;

/* All snapshots, into recording->views. */
gboolean hir_recording_read_views (HirRecordingReader *reader, GError **error);

G_END_DECLS
