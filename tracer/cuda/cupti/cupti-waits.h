/* Computes how long streams waited for events. CUPTI reports which record a wait refers to and when
 * the host issued the wait, but not how long the device waited. The duration is derived from the
 * work before and after the wait, in issue order. */
#pragma once

#include "cuda/cupti/cupti-decode.h"
#include "cuda/cupti/cupti-launches.h"

G_BEGIN_DECLS

typedef struct _HirCuptiWaits HirCuptiWaits;

/* Creates an empty set of waits. */
HirCuptiWaits *hir_cupti_waits_new (void);
/* Frees @waits. */
void hir_cupti_waits_free (HirCuptiWaits *waits);
/* Adds device work and its event. All times are relative to the recording's zero. Records may be
 * added in any order. */
void hir_cupti_waits_add_work (HirCuptiWaits *waits,
                               const HirCuptiRecord *record,
                               const HirEvent *event);
/* Adds the recording of an event on a stream. */
void hir_cupti_waits_add_record (HirCuptiWaits *waits, const HirCuptiRecord *record);
/* Adds a wait of the stream with track @track. @launch (nullable) is the launch that issued it. */
void hir_cupti_waits_add_wait (HirCuptiWaits *waits,
                               const HirCuptiRecord *record,
                               guint16 track,
                               const HirCuptiLaunch *launch);
/* Records a HIR_EVENT_SYNC on the waiting stream for each wait that blocked it, and an edge for
 * each pair of dependent work. Call after everything is added. @n_left_out gets the number of items
 * that were omitted for lack of space. */
void hir_cupti_waits_finish (HirCuptiWaits *waits, HirRecorder *recorder, guint64 *n_left_out);

G_END_DECLS
