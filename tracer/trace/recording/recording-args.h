/* Stores the args of events that another profiler recorded. Internal to trace/.
 *
 * Each row of the table `args` covers some hundred consecutive events. Its columns are: `id`, the
 * number of the first event; `n`, the number of events; `size`, the uncompressed size; `lengths`,
 * one length per event packed as in column-pack.h, 0 if the event has no args; `text`, the
 * concatenated texts of hir_event_category_read_json(), compressed with zlib. Opening a recording
 * does not read this table. */
#pragma once

#include "trace/event-source.h"
#include "trace/recording/recording-db.h"

G_BEGIN_DECLS

/* Collects the args to write. */
typedef struct
{
  guint64 first;   /* number of the first event of the current row */
  GArray *lengths; /* guint64; one per event of the current row */
  GString *text;
  GPtrArray *rows; /* complete rows that are not written yet */
  guint n_written;
} HirArgsPacker;

/* Initializes an empty packer. */
void hir_args_packer_init (HirArgsPacker *packer);
/* Frees the contents of @packer. */
void hir_args_packer_clear (HirArgsPacker *packer);
/* Adds @json for event @number. Numbers must increase; events that are left out have no args. */
gboolean
hir_args_packer_add (HirArgsPacker *packer, guint64 number, const char *json, GError **error);
/* Inserts all complete rows with @stmt. They stay in the packer until hir_args_packer_drop(). */
gboolean hir_args_packer_insert (HirArgsPacker *packer,
                                 sqlite3_stmt *stmt,
                                 const char *path,
                                 GError **error);
/* Removes the inserted rows. */
void hir_args_packer_drop (HirArgsPacker *packer);

/* Creates a source of event arguments for the recording at @path. A position is the number of the
 * event + 1. Nothing can be read before hir_event_source_open_recording().
 *
 * @ignore_digests: see hir_recording_open_full() */
HirEventSource *hir_event_source_new_recording (const char *path, gboolean ignore_digests);
/* Opens the file once it no longer changes. After that, another file may replace it. */
void hir_event_source_open_recording (HirEventSource *source);

G_END_DECLS
