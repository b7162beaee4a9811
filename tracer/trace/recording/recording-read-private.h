/* Internal declarations of the recording reader. */
#pragma once

#include "trace/recording/recording-file.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

/* Like hir_recording_open(). @ignore_digests skips the checksums, so that a fuzzer reaches the
 * checks of single values. */
HirRecording *hir_recording_open_full (const char *path, gboolean ignore_digests, GError **error);

/* Common state of all reading functions. */
typedef struct
{
  HirLoadProgress *progress;  /* nullable */
  HirRecordingFunc has_views; /* nullable */
  gpointer user_data;
  sqlite3 *db;
  const char *path;
  gboolean ignore_digests;
  HirRecording *recording;
} HirRecordingReader;

/* Reads all snapshots into recording->views. */
gboolean hir_recording_read_views (HirRecordingReader *reader, GError **error);

G_END_DECLS
