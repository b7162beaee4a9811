/* Whose launch a call was: CUPTI's correlation number -> number of the launch. Correlations count
 * up over the whole process and wrap at 32 bits, so those of long ago are forgotten. One thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HIR_CUPTI_NOBODY G_MAXUINT64 /* a call that no launch made */

typedef struct _HirCuptiIds HirCuptiIds;

/* @now_ns: the time from which set() counts, see tick(). */
HirCuptiIds *hir_cupti_ids_new (gint64 now_ns);
void hir_cupti_ids_free (HirCuptiIds *ids);
/* What was known of @correlation before, some 4 G calls ago, is forgotten. */
void hir_cupti_ids_set (HirCuptiIds *ids, guint32 correlation, guint64 id);
/* 0: not known (yet). */
guint64 hir_cupti_ids_get (HirCuptiIds *ids, guint32 correlation);
/* Time goes on to @now_ns: what set() does from here on is of then. Forgets, in blocks, what was
 * set before @before_ns. */
void hir_cupti_ids_tick (HirCuptiIds *ids, gint64 now_ns, gint64 before_ns);

G_END_DECLS
