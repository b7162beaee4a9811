/* Internal declarations of the files that read the units of a trace. */
#pragma once

#include "join/join-private.h"

G_BEGIN_DECLS

/* A launch, or an instruction of a recording of ours, has less works. */
#define HIR_JOIN_MANY_WORKS 4

/* A call of the CUDA runtime. */
typedef struct
{
  guint32 correlation;
  guint thread;
  gint64 start_ns;
} HirJoinLaunch;

typedef struct
{
  const HirTrace *trace;
  HirJoinObserved *observed;
  GHashTable *by_correlation; /* correlation -> index of the first work + 1 */
  GArray *calls;              /* HirJoinLaunch, by correlation after the threads are read */
  GHashTable *ops;            /* External id -> start on its thread; NULL until it is needed */
  gboolean is_by_number;      /* correlations are the only order of the host */
  gboolean is_own;            /* a recording of ours */
  guint n_replays;
} HirJoinReader;

/* Returns TRUE if @name is that of a wait in a recording of ours. */
gboolean hir_join_is_own_wait (const char *name);
/* Adds a thread without units; @track is its track, or HIR_JOIN_NONE. */
HirJoinThread *
hir_join_observed_add_thread (HirJoinObserved *observed, const HirTrace *trace, guint track);
/* Returns the index of the new unit. @op is borrowed. */
guint hir_join_thread_add_unit (HirJoinThread *thread,
                                HirJoinKind kind,
                                HirJoinClass class,
                                const char *op);
/* As hir_join_thread_add_unit(), for a unit that starts with host event @index of its track. */
guint hir_join_thread_add_host_unit (HirJoinThread *thread,
                                     HirJoinKind kind,
                                     HirJoinClass class,
                                     const char *op,
                                     const HirEvent *event,
                                     guint index);
/* Extends the range of correlations of @unit to @number, unless it is 0. */
void hir_join_unit_note_number (HirJoinUnit *unit, guint32 number);
/* Adds @work to @unit, which is @index of @thread. The class of a unit without ATen op is that of
 * its most telling work. */
void hir_join_reader_attach (
    HirJoinReader *reader, HirJoinUnit *unit, HirJoinWork *work, guint thread, guint index);
/* Adds a unit for each of @works, which one launch of a CUDA graph ran, or one for all if the trace
 * only has the graph as a whole. @event (nullable): the launch, otherwise it was at @start_ns. */
void hir_join_reader_add_replay (HirJoinReader *reader,
                                 guint number,
                                 GPtrArray *works,
                                 gint64 start_ns,
                                 const HirEvent *event,
                                 guint index);
/* Places device events whose launch call is not in the trace, and calls that are not in it. Without
 * any call, correlations give their order; without these, their starts. */
void hir_join_reader_place_alone (HirJoinReader *reader);

G_END_DECLS
