/* The explanation of the selection's trace, and which parts of it the timeline displays. A worker
 * thread computes it when a view requests it, then simulates the gains; an explanation with the
 * gains then replaces the first one. Main thread. */
#pragma once

#include "explain/explain.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_EXPLAINING (hir_explaining_get_type ())
G_DECLARE_FINAL_TYPE (HirExplaining, hir_explaining, HIR, EXPLAINING, GObject)

/* Signals without arguments: `changed`: the explanation, its progress or the displayed parts
 * changed. `shown`: the selected range is to be made visible. */
HirExplaining *hir_explaining_new (HirSelection *selection);

/* Computes the explanation if there is none of the trace, and it was not cancelled. */
void hir_explaining_request (HirExplaining *self);
/* Computes it even if it was cancelled or failed. */
void hir_explaining_retry (HirExplaining *self);
/* Cancels the computation. Returns FALSE if none is running. */
gboolean hir_explaining_cancel (HirExplaining *self);
/* Returns the explanation of the trace (borrowed until `changed`), or NULL. */
const HirExplain *hir_explaining_get (HirExplaining *self);
/* Returns whether the computation runs; sets @percent. */
gboolean hir_explaining_get_progress (HirExplaining *self, int *percent);
/* Returns why there is no explanation (borrowed), or NULL: "Cancelled", or an error. */
const char *hir_explaining_get_problem (HirExplaining *self);

/* Sets whether the timeline displays the path. */
void hir_explaining_set_shows_path (HirExplaining *self, gboolean shows_path);
/* Returns whether the timeline displays the path. */
gboolean hir_explaining_get_shows_path (HirExplaining *self);
/* Sets which lost time the timeline shades: set of 1 << HirSpanKind. */
void hir_explaining_set_shades (HirExplaining *self, guint shades);
/* Returns the set of hir_explaining_set_shades(). */
guint hir_explaining_get_shades (HirExplaining *self);
/* Returns whether the gains are being simulated; the explanation does not have them yet. */
gboolean hir_explaining_is_simulating (HirExplaining *self);
/* Selects the event and the range that @gain, of the explanation, is about, and makes the range
 * visible in the timeline. */
void hir_explaining_show_gain (HirExplaining *self, const HirGain *gain);
/* Selects the longest piece of @loss, of the explanation, likewise. hir_explaining_go() then goes
 * through its pieces, while one of them is selected. */
void hir_explaining_show_loss (HirExplaining *self, const HirLoss *loss);
/* Returns the number of the piece of @loss that is selected, from 1, or 0. */
guint hir_explaining_get_piece (HirExplaining *self, const HirLoss *loss);
/* Selects the next or previous piece of a loss, if one is selected; otherwise the next or previous
 * span of the shaded kinds, on any rank: the range of its time, and its event. Starts at the
 * selected range or event. Without shades, shades exposed communication. Waits for a computation
 * that runs. */
void hir_explaining_go (HirExplaining *self, gboolean forward);

G_END_DECLS
