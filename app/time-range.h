/* `--range A:B`: a part of a trace's time, as a person types it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* "10us:2.5ms", ":1s", "250us:": from the start of the trace; units ns (the default), us, ms, s.
 * What is left out is the trace's own start (0) or end (@length_ns). Errors: HIR_ERROR_INPUT,
 * naming the text. */
gboolean hir_time_range_parse (const char *text,
                               gint64 length_ns,
                               gint64 *start_ns,
                               gint64 *end_ns,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
