/* Maps CUPTI's correlation numbers to launch numbers. Correlation numbers count up over the whole
 * process and wrap at 32 bits, so old entries are discarded. Use on one thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HIR_CUPTI_NOBODY G_MAXUINT64 /* call without a launch */

typedef struct _HirCuptiIds HirCuptiIds;

/* Creates an empty map. @now_ns is the time of the first entries; see hir_cupti_ids_tick(). */
HirCuptiIds *hir_cupti_ids_new (gint64 now_ns);
/* Frees @ids. */
void hir_cupti_ids_free (HirCuptiIds *ids);
/* Maps @correlation to @id. Replaces an entry from before the numbers wrapped. */
void hir_cupti_ids_set (HirCuptiIds *ids, guint32 correlation, guint64 id);
/* Returns the launch of @correlation, or 0 if it is unknown. */
guint64 hir_cupti_ids_get (HirCuptiIds *ids, guint32 correlation);
/* Sets the time of later entries to @now_ns. Discards blocks whose entries are all older than
 * @before_ns. */
void hir_cupti_ids_tick (HirCuptiIds *ids, gint64 now_ns, gint64 before_ns);

G_END_DECLS
