/* Finds what a gain of an explanation is about: an event and its time. */
#pragma once

#include "explain/explain.h"
#include "view/program-view.h"

G_BEGIN_DECLS

typedef struct
{
  guint track, index;
  gint64 start_ns, end_ns;
} HirGainPlace;

/* Returns the instruction that starts in @line of the printed program, from 1, or 0. */
guint64 hir_gain_find_instruction (const HirProgramView *view, guint line);
/* Finds the longest lost time of the first repetition that @gain would shorten, else the longest
 * event of its instruction. @view (nullable) is the executed program. Returns FALSE if the gain is
 * about nothing that was recorded. */
gboolean hir_gain_find_place (const HirExplain *explain,
                              const HirProgramView *view,
                              const HirGain *gain,
                              HirGainPlace *place);

G_END_DECLS
