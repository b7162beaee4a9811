/* Inside of HirEventSource, for event-args*.c. */
#pragma once

#include "trace/event-args.h"
#include "trace/nsight/nsys-db.h"
#include "trace/recording/recording-mark.h"

G_BEGIN_DECLS

/* One arg, as JSON: key and value as they stand in the text, quotes included. */
typedef void (*HirArgFunc) (
    const char *key, gsize key_length, const char *value, gsize value_length, gpointer user_data);

#define HIR_EVENT_MAX_TABLES 16

struct _HirEventSource
{
  gatomicrefcount ref_count;
  HirTextSource *text; /* of JSON, else NULL */
  gboolean is_recording; /* else an Nsight export */
  GMutex mutex; /* of what follows */
  char *path;
  HirNsysDb db; /* open once something was asked for */
  sqlite3_stmt *rows[HIR_EVENT_MAX_TABLES], *strings;
  const char *const *tables;
  goffset file_size;
  guint64 file_device, file_number;
  gint64 changed_s, changed_ns;
  /* Of a recording: the row of its table `args` that was looked at last. */
  gboolean ignore_digests;
  sqlite3 *recording;
  HirRecordingMark mark;
  sqlite3_stmt *args; /* NULL until hir_event_source_open_recording() */
  guint64 first;
  guint n;
  guint64 *lengths;
  char *args_text;
};

/* Gives back what reading rows has opened. */
void hir_event_source_close_nsys (HirEventSource *source);
/* Calls @func for each arg of row @place, in the order of the table's columns. */
gboolean hir_event_source_each_nsys (HirEventSource *source,
                                     guint64 place,
                                     HirArgFunc func,
                                     gpointer user_data,
                                     GError **error);

void hir_event_source_close_recording (HirEventSource *source);
/* The args at @place as a JSON object, newly allocated, not terminated; NULL without an error: there are none. What the
 * text is, is not looked at. */
char *hir_event_source_dup_recording (HirEventSource *source,
                                      guint64 place,
                                      gsize *length,
                                      GError **error);

G_END_DECLS
