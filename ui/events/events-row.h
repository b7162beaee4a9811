/* The thing that a row of the user's SQL is about, if it has no column id. Main thread. */
#pragma once

#include "events/events-model.h"

G_BEGIN_DECLS

/**
 * hir_events_row_dup_link:
 * @trace: the trace of the rows
 * @hint: (out): static; if nothing is found, the columns that the SELECT lacks
 *
 * Finds the only event with the name and the start of a row, otherwise its instruction or track.
 *
 * Returns: (transfer full) (nullable): the target of the action win.link
 */
char *hir_events_row_dup_link (HirEventsModel *model,
                               const HirTrace *trace,
                               guint row,
                               const char **hint);

G_END_DECLS
