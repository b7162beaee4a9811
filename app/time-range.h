/* Parses `--range A:B`, a time range of a trace. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Parses "10us:2.5ms", ":1s" or "250us:". Times count from the start of the trace, in ns (the
 * default), us, ms or s. An omitted time is the start (0) or end (@length_ns) of the trace. @error:
 * HIR_ERROR_INPUT with the text. */
gboolean hir_time_range_parse (const char *text,
                               gint64 length_ns,
                               gint64 *start_ns,
                               gint64 *end_ns,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
