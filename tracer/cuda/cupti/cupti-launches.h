/* Table of launches. Launching threads add an entry per launch; its number is passed to CUPTI as
 * the external correlation id. Adding takes no lock, because every launch does it. */
#pragma once

#include "record/recorder.h"

G_BEGIN_DECLS

/* The fields of a HirEvent that its device events inherit. */
typedef struct
{
  guint64 instruction;
  gint64 bytes, flops;
  guint64 source; /* the stamp of record/replay-filter.h; 0: none */
  guint32 name, correlation;
  gint32 iteration;
  guint32 n_events, n_kernels; /* device work seen so far; decoding thread only */
  guint16 track;
  guint8 kind, phase;
} HirCuptiLaunch;

typedef struct _HirCuptiLaunches HirCuptiLaunches;

/* Creates an empty table. */
HirCuptiLaunches *hir_cupti_launches_new (void);
/* Frees @launches. No thread may use it any longer. */
void hir_cupti_launches_free (HirCuptiLaunches *launches);
/* Adds a launch and returns its number, counted from 1. Returns 0 if out of memory. Any thread. */
guint64 hir_cupti_launches_add (HirCuptiLaunches *launches, const HirEvent *event);
/* Allocates memory for the next launches and touches its pages, so that launching threads do not
 * have to. Call on the decoding thread. */
void hir_cupti_launches_prepare (HirCuptiLaunches *launches);
/* Returns launch @id, valid until it is retired, or NULL if it is unknown or retired. Call on the
 * decoding thread. */
HirCuptiLaunch *hir_cupti_launches_lookup (HirCuptiLaunches *launches, guint64 id);
/* Returns the number of launches added. */
guint64 hir_cupti_launches_get_n (HirCuptiLaunches *launches);
/* Frees launches up to number @id, in whole blocks, so some of them may stay. Calls @each for every
 * freed launch. Call on the decoding thread. */
void hir_cupti_launches_retire (HirCuptiLaunches *launches,
                                guint64 id,
                                void (*each) (const HirCuptiLaunch *launch, gpointer user_data),
                                gpointer user_data);

G_END_DECLS
