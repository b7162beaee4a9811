/* A file that stores the arguments of events. The reader of each file format registers its sources
 * in the trace (hir_trace_builder_add_source()); event-args.c reads through them. Internal to
 * trace/. */
#pragma once

#include <gio/gio.h>

#include "trace/json-scan.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* HirEvent.source: number of the source in its trace, and below it the position in the source. */
#define HIR_EVENT_SOURCE_SHIFT 48
#define HIR_EVENT_SOURCE_MASK ((G_GUINT64_CONSTANT (1) << HIR_EVENT_SOURCE_SHIFT) - 1)

typedef struct _HirEventSource HirEventSource;

/* Receives one argument: key and value as JSON text, including the quotes of strings. Properties of
 * the event that are no arguments have keys without quotes and the length 0:
 * HIR_EVENT_CATEGORY and HIR_EVENT_INSTANT. */
typedef void (*HirArgFunc) (
    const char *key, gsize key_length, const char *value, gsize value_length, gpointer user_data);

/* The functions of one file format. */
typedef struct
{
  /* Calls @func for each argument at @position, in the order of the file. Any thread. */
  gboolean (*each) (HirEventSource *source,
                    guint64 position,
                    HirArgFunc func,
                    gpointer user_data,
                    GError **error);
  void (*free) (HirEventSource *source);
  /* Nullable: memory in addition to the struct. */
  gsize (*get_size_bytes) (const HirEventSource *source);
} HirEventSourceClass;

/* First member of the struct of each format. */
struct _HirEventSource
{
  const HirEventSourceClass *klass;
  gatomicrefcount ref_count;
};

/* Sets up @source with one reference. */
void hir_event_source_init (HirEventSource *source, const HirEventSourceClass *klass);
/* Takes a reference to @source. */
HirEventSource *hir_event_source_ref (HirEventSource *source);
/* Releases a reference to @source (nullable). */
void hir_event_source_unref (HirEventSource *source);
/* Returns the memory that @source uses. */
gsize hir_event_source_get_size_bytes (const HirEventSource *source);
/* Adds @source (transfer full) to the trace. Returns the value to add to a position in @source to
 * get a HirEvent.source. */
guint64 hir_trace_builder_add_source (HirTraceBuilder *builder, HirEventSource *source);

/* Reads the args object that follows in @json and calls @func for each member. Of the one that our
 * own exports add (HIR_EVENT_OWN_ARGS), only the properties are passed on. */
void hir_event_source_read_args (HirJson *json, HirArgFunc func, gpointer user_data);
#define HIR_EVENT_OWN_ARGS "hirscope"
#define HIR_EVENT_CATEGORY "cat" /* in it, if the format has no other place for them */
#define HIR_EVENT_INSTANT                                                                          \
  "instant" /* scope of an instant: "t", "p" or "g", as in Chrome's JSON                           \
             */

/* Identifies a version of a file. */
typedef struct
{
  goffset size;
  guint64 device, inode;
  gint64 changed_s, changed_ns;
} HirFileStamp;

/* Reads the stamp of the file at @path. Returns FALSE if there is no such file. */
gboolean hir_file_stamp_read (HirFileStamp *stamp, const char *path);
/* Returns whether size and modification time are equal. */
gboolean hir_file_stamp_equal (const HirFileStamp *a, const HirFileStamp *b);

G_END_DECLS
