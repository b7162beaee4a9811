/* What the launching threads say of each launch, by a number that CUPTI hands through as the
 * external correlation id. Adding takes no lock: it is on the path of every launch. */
#pragma once

#include "record/recorder.h"

G_BEGIN_DECLS

/* Of a HirEvent what its device events share. */
typedef struct
{
  guint64 instruction;
  gint64 bytes, flops;
  guint64 source; /* the stamp of record/replay-filter.h; 0: none */
  guint32 name, correlation;
  gint32 iteration;
  guint32 n_events, n_kernels; /* device work that came back so far; the decoding thread's */
  guint16 track;
  guint8 kind, phase;
} HirCuptiLaunch;

typedef struct _HirCuptiLaunches HirCuptiLaunches;

HirCuptiLaunches *hir_cupti_launches_new (void);
void hir_cupti_launches_free (HirCuptiLaunches *launches);
/* The number of a new launch, counted from 1; 0 where there is no memory. Any thread. */
guint64 hir_cupti_launches_add (HirCuptiLaunches *launches, const HirEvent *event);
/* Makes room for some of the next ones, its pages touched, so that the launching threads need not.
 * Decoding thread. */
void hir_cupti_launches_prepare (HirCuptiLaunches *launches);
/* Borrowed until it is retired; NULL: unknown or retired. Decoding thread. */
HirCuptiLaunch *hir_cupti_launches_lookup (HirCuptiLaunches *launches, guint64 id);
/* How many were added. */
guint64 hir_cupti_launches_get_n (HirCuptiLaunches *launches);
/* Frees those numbered up to @id (in blocks: some stay), telling @each of them before. Decoding
 * thread. */
void hir_cupti_launches_retire (HirCuptiLaunches *launches,
                                guint64 id,
                                void (*each) (const HirCuptiLaunch *launch, gpointer user_data),
                                gpointer user_data);

G_END_DECLS
