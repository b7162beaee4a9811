/* Args of another profiler's events in a recording. A row of the table `args` has those of some hundred events that
 * follow each other in the chunks: `id`, the number of the first one; `n`; `size` of their texts; `lengths`, as
 * column-pack.h has numbers, a length for each event, 0 where it has none; `text`, zlib, the texts one behind the other,
 * each as hir_trace_dup_event_json() gives it. Nothing of it is read when a recording is opened. Internal to trace/. */
#pragma once

#include "trace/event-source.h"
#include "trace/recording/recording-db.h"

G_BEGIN_DECLS

/* Collects what is to be written. */
typedef struct
{
  guint64 first;    /* number of the first event of the row that is being filled */
  GArray *lengths;  /* guint64; one an event of it */
  GString *text;
  GPtrArray *rows;  /* full ones that are not written yet */
  guint n_written;
} HirArgsPacker;

/* Empty. */
void hir_args_packer_init (HirArgsPacker *packer);
void hir_args_packer_clear (HirArgsPacker *packer);
/* @json of event @number; numbers grow, those that are left out have none. */
gboolean
hir_args_packer_add (HirArgsPacker *packer, guint64 number, const char *json, GError **error);
/* Inserts all that was added, by @stmt; it stays here until hir_args_packer_drop(). */
gboolean
hir_args_packer_insert (HirArgsPacker *packer, sqlite3_stmt *stmt, const char *path, GError **error);
void hir_args_packer_drop (HirArgsPacker *packer);

/* Places are numbers of events + 1 in the recording at @path. Nothing can be had of it before
 * hir_event_source_open_recording(). @ignore_digests: as in hir_recording_open_full(). */
HirEventSource *hir_event_source_new_recording (const char *path, gboolean ignore_digests);
/* Once the file is at rest. From then on its name may be taken by another file. */
void hir_event_source_open_recording (HirEventSource *source);

G_END_DECLS
