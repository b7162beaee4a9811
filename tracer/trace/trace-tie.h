/* A copy of a trace with other instructions. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Metadata of such a copy: present if its events have the names of another profiler. */
#define HIR_META_TIED "tied"

/* What the copy says about an event in addition: its arguments "repetition" and "confidence". */
typedef struct
{
  gint64 repetition; /* -1: neither */
  double confidence;
} HirTraceTie;

/* Changes instruction and iteration of @event, which is event @index of @track. */
typedef HirTraceTie (*HirTraceTieFunc) (guint track,
                                        guint index,
                                        HirEvent *event,
                                        gpointer user_data);

/* Copies @trace with everything that belongs to it, and calls @func for each event. Returns NULL
 * and sets HIR_ERROR_LIMIT if out of memory.
 *
 * @notes: (nullable): lines to add to the account, NULL-terminated
 * @run: (nullable): the metadata "run", unless @trace has it */
HirTrace *hir_trace_dup_tied (const HirTrace *trace,
                              const char *const *notes,
                              const char *run,
                              HirTraceTieFunc func,
                              gpointer user_data,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
