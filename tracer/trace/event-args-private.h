/* Inside of HirEventSource, for event-args.c and event-args-nsys.c. */
#pragma once

#include "trace/event-args.h"

G_BEGIN_DECLS

/* One arg, as JSON: key and value as they stand in the text, quotes included. */
typedef void (*HirArgFunc) (
    const char *key, gsize key_length, const char *value, gsize value_length, gpointer user_data);

struct _HirEventSource
{
  HirTextSource *text; /* NULL: an Nsight export */
  char *path;
  const char *const *tables;
  goffset file_size;
  gint64 changed_s, changed_ns;
};

/* Calls @func for each arg of row @place, in the order of the table's columns. */
gboolean hir_event_source_each_nsys (HirEventSource *source,
                                     guint64 place,
                                     HirArgFunc func,
                                     gpointer user_data,
                                     GError **error);

G_END_DECLS
