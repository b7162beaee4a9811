/* Streams that wait for events. CUPTI tells which record a wait waits for, and when the host asked
 * for it, but not how long the device waited: that follows from the work before and behind, in the
 * order in which it was issued. */
#pragma once

#include "cuda/cupti/cupti-decode.h"
#include "cuda/cupti/cupti-launches.h"

G_BEGIN_DECLS

typedef struct _HirCuptiWaits HirCuptiWaits;

HirCuptiWaits *hir_cupti_waits_new (void);
void hir_cupti_waits_free (HirCuptiWaits *waits);
/* All times in @record and @event from the recording's zero; in any order.
 * Device work, and the event that it became. */
void hir_cupti_waits_add_work (HirCuptiWaits *waits,
                               const HirCuptiRecord *record,
                               const HirEvent *event);
/* An event is recorded on a stream. */
void hir_cupti_waits_add_record (HirCuptiWaits *waits, const HirCuptiRecord *record);
/* A stream whose track is @track waits. @launch: nullable, whose doing it is. */
void hir_cupti_waits_add_wait (HirCuptiWaits *waits,
                               const HirCuptiRecord *record,
                               guint16 track,
                               const HirCuptiLaunch *launch);
/* Once all is there: a HIR_EVENT_SYNC on the waiting stream for each time that a launch made it
 * stand still, and an edge for each pair of works that waited. Pieces that there was no room for
 * are counted in *@n_left_out. */
void hir_cupti_waits_finish (HirCuptiWaits *waits, HirRecorder *recorder, guint64 *n_left_out);

G_END_DECLS
