/* Arguments that another profiler recorded for an event, beyond the fields of HirEvent. They stay
 * in the file and are read on demand. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  char *key;
  char *value;      /* a string unescaped; any other value as in the file: "[8, 1, 1]" */
  gboolean is_text; /* whether the value is a string */
} HirEventArg;

/* Reads all arguments of event @index of @track, in the order of the file. Accesses the file, so do
 * not call it for many events while drawing. Any thread.
 * Returns: (transfer full): array of HirEventArg, empty if there are none; NULL and HIR_ERROR_INPUT
 * if the file changed or cannot be read */
GArray *hir_trace_dup_event_args (const HirTrace *trace, guint track, guint index, GError **error);
/* The arguments of one event as JSON members without braces ("\"key\":value,..."). A value is byte
 * for byte that of a JSON file if it is valid, and repaired otherwise (trace/json-strict.h); of
 * several members with one key, only the last is kept. Reading one event after another into the
 * same struct allocates nothing. */
typedef struct
{
  GString *json;     /* "" if there are no arguments */
  GString *category; /* the category in the file */
  gboolean has_category;
  char instant;      /* scope of an instant as in Chrome's JSON: t, p or g; 0: an interval */
  GArray *members;   /* internal */
  guint64 seen_keys; /* internal: a set of hashes of 6 bits */
} HirEventJson;

/* Starts without arguments. Clear with hir_event_json_clear(). */
void hir_event_json_init (HirEventJson *json);
/* Frees the contents of @json. */
void hir_event_json_clear (HirEventJson *json);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirEventJson, hir_event_json_clear)
/* Replaces the contents of @json by the arguments of event @index of @track. Errors: see
 * hir_trace_dup_event_args(). */
gboolean hir_event_json_read (
    HirEventJson *json, const HirTrace *trace, guint track, guint index, GError **error);
/* Returns the text of hir_event_json_read() for one event (transfer full).
 *
 * @category: (out) (nullable): the category in the file, or NULL if it has none
 * Errors: see hir_trace_dup_event_args(). */
char *hir_trace_dup_event_json (
    const HirTrace *trace, guint track, guint index, char **category, GError **error);

G_END_DECLS
