/* Facts about an event, or about all events of an instruction: names and formatted values. */
#pragma once

#include "selection/selection.h"
#include "trace/duration.h"
#include "trace/trace.h"
#include "view/program-view.h"

G_BEGIN_DECLS

/* Returns the facts of an event: array of HirFact, freed with its content. *@title is set to,
 * for example, "matmul, iteration 5". */
GArray *hir_event_dup_facts (HirTrace *trace, guint track, guint index, char **title);
/**
 * hir_event_lookup_counterpart:
 * @trace: the trace
 * @track: track of the event
 * @index: index of the event
 * @other_track: (out): track of the counterpart
 * @other_index: (out): index of the counterpart
 *
 * Finds the host call that launched a device event: the event with the same correlation on the same
 * rank; if a number is reused, the last one that started earlier. For a host call, finds the first
 * work that it launched. Takes O(events), and 4 bytes per event.
 *
 * Returns: FALSE if the trace has no counterpart
 */
gboolean hir_event_lookup_counterpart (
    const HirTrace *trace, guint track, guint index, guint *other_track, guint *other_index);
/* Returns the arguments that another profiler stored for the event, or NULL if there are none.
 * Reads the trace's file, so call it for the selected event only. A read error is reported as a
 * fact. */
GArray *hir_event_dup_arg_facts (HirTrace *trace, guint track, guint index);
/* The events of a rank that were recorded before the debugged program went back to a position in
 * front of them. */
typedef struct
{
  int rank;
  gint64 start_ns;     /* of the first one on the host; G_MAXINT64: there are none */
  guint32 correlation; /* of the first one, numbered in the order of the launches */
} HirUndone;

/* Finds the undone events of @rank: none unless a debugged program has gone back. */
HirUndone hir_undone_find (HirTrace *trace, HirSelection *selection, int rank);
/* Returns TRUE if the event, of the same rank, is undone. */
gboolean hir_undone_has (const HirUndone *undone, HirTrace *trace, guint track, guint index);
/* Returns count, total, mean, shortest and longest time of the device events of the selected
 * node, without undone ones; empty if there are none. If the node has several kinds of work, such
 * as a collective and its copies, the facts of each follow its name; that of the selected event is
 * the first. */
GArray *hir_instances_dup_facts (HirTrace *trace, HirSelection *selection);

G_END_DECLS
