/* Which unordered accesses a change of a program orders, alone and together with a second change.
 */
#pragma once

#include "program/repair-trial.h"

G_BEGIN_DECLS

/* The unordered pairs of instances of an unchanged program. */
typedef struct
{
  const HirSyncCheck *base; /* borrowed */
  GHashTable *known;        /* guint64*: the steps of a pair -> index + 1 of the last such pair */
  GArray *hazards;          /* guint, per pair: index in base->missing */
  GArray *same;             /* guint, per pair: index + 1 of another pair of the same steps, or 0 */
} HirRepairPairs;

/* The effect of one change. */
typedef struct
{
  HirModelTimes times;
  guint64 *ordered;     /* one bit per pair */
  guint64 starts, ends; /* one bit per hazard, of the first 64: a wait of the change follows the
                           first step of its first pair; the second step follows such a wait */
  gboolean is_useful;   /* any bit is set */
} HirRepairEffect;

/* @base must outlive @pairs. */
void hir_repair_pairs_init (HirRepairPairs *pairs, const HirSyncCheck *base);
void hir_repair_pairs_clear (HirRepairPairs *pairs);

/* Returns TRUE if in @check, of a changed program, the same work as in the unchanged one follows
 * the first and precedes the second step of each unordered pair, so that the change does not matter
 * to what can order it. */
gboolean hir_repair_pairs_keep_order (const HirRepairPairs *pairs, const HirSyncCheck *check);

/* Fills @effect with the effect of @edit. @check is the check of the changed program. Returns FALSE
 * if the change makes other accesses unordered. */
gboolean hir_repair_effect_init (HirRepairEffect *effect,
                                 const HirRepairPairs *pairs,
                                 const HirSyncCheck *check,
                                 const HirRepairEdit *edit);
void hir_repair_effect_clear (HirRepairEffect *effect);

#define HIR_REPAIR_ALL_HAZARDS G_MAXUINT

/* Returns TRUE if @a (and @b, nullable) may order all pairs of @hazard. This is certain except
 * where a stream that waits in one change is waited for in the other one. */
gboolean hir_repair_effects_cover (const HirRepairPairs *pairs,
                                   const HirRepairEffect *a,
                                   const HirRepairEffect *b,
                                   guint hazard);

G_END_DECLS
