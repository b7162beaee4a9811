#include "selection/gain-place.h"

#include <string.h>

guint64
hir_gain_find_instruction (const HirProgramView *view, guint line)
{
  guint at_line = 1, offset = 0;

  for (guint i = 0; i < view->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (view->spans, HirSpan, i);

      for (; offset < span->start; offset++)
        at_line += view->text[offset] == '\n';
      if (span->is_expr && at_line == line)
        return span->id;
    }
  return 0;
}

/* Returns whether @name is that of an event of the work @of: "T6_matmul (memset)" of "T6_matmul".
 */
static gboolean
is_name_of (const char *name, const char *of)
{
  gsize n = strlen (of);

  return strncmp (name, of, n) == 0 && (name[n] == '\0' || g_str_has_prefix (name + n, " ("));
}

/* Returns whether the gain is about work named @name, or of @instruction. */
static gboolean
is_work_of (const HirGain *gain, guint64 wanted, const char *name, guint64 instruction)
{
  if (wanted != 0)
    return instruction == wanted;
  return gain->name != NULL && name != NULL && is_name_of (name, gain->name);
}

static gboolean
has_rank (const HirLoss *loss, int rank)
{
  for (guint i = 0; i < loss->ranks->len; i++)
    if (g_array_index (loss->ranks, int, i) == rank)
      return TRUE;
  return rank < 0;
}

/* Returns whether a gain without an instruction removes @loss; sets @is_cause if @gain is such. */
static gboolean
removes_cause (const HirGain *gain, const HirLoss *loss, gboolean *is_cause)
{
  static const struct
  {
    const char *kind;
    HirLossCause cause;
  } causes[] = {
    { "interference", HIR_LOSS_BESIDE },
    { "host", HIR_LOSS_HOST },
    { "host", HIR_LOSS_FEED },
    { "start", HIR_LOSS_START },
  };
  gboolean removes = FALSE;

  *is_cause = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (causes); i++)
    if (g_str_equal (causes[i].kind, gain->kind))
      {
        *is_cause = TRUE;
        removes |= loss->cause == causes[i].cause;
      }
  return removes;
}

/* Finds the first, and therefore longest, loss that the gain is about. */
static gboolean
find_loss (const HirExplain *explain,
           const HirRepetition *repetition,
           const HirGain *gain,
           guint64 wanted,
           HirGainPlace *place)
{
  for (guint i = 0; i < repetition->losses->len; i++)
    {
      const HirLoss *loss = &g_array_index (repetition->losses, HirLoss, i);
      const char *name = loss->name != 0 ? hir_trace_get_string (explain->trace, loss->name) : NULL;
      gboolean is_cause, removes = removes_cause (gain, loss, &is_cause);

      if (is_cause ? !removes : !is_work_of (gain, wanted, name, loss->instruction))
        continue;
      if (!has_rank (loss, gain->rank))
        continue;
      *place = (HirGainPlace){ loss->track, loss->index, loss->start_ns, loss->end_ns };
      return TRUE;
    }
  return FALSE;
}

/* Finds the longest event in the repetition that the gain is about. */
static gboolean
find_event (const HirTrace *trace,
            const HirRepetition *repetition,
            const HirGain *gain,
            guint64 wanted,
            HirGainPlace *place)
{
  gint64 longest_ns = -1;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);
      guint i = hir_trace_find_first (trace, t, repetition->start_ns);

      for (; i < hir_trace_get_track_n_events (trace, t); i++)
        {
          HirEvent event;

          hir_trace_get_event (trace, t, i, &event);
          if (event.start_ns >= repetition->end_ns)
            break;
          if (event.start_ns < repetition->start_ns ||
              event.end_ns - event.start_ns <= longest_ns ||
              (gain->rank >= 0 && track->rank != gain->rank) ||
              !is_work_of (gain, wanted, hir_trace_get_string (trace, event.name),
                           event.instruction))
            continue;
          longest_ns = event.end_ns - event.start_ns;
          *place = (HirGainPlace){ t, i, event.start_ns, event.end_ns };
        }
    }
  return longest_ns >= 0;
}

gboolean
hir_gain_find_place (const HirExplain *explain,
                     const HirProgramView *view,
                     const HirGain *gain,
                     HirGainPlace *place)
{
  const HirRepetition *repetition = explain->repetitions->len > 0
                                        ? &g_array_index (explain->repetitions, HirRepetition, 0)
                                        : NULL;
  guint64 wanted = gain->line > 0 && view != NULL ? hir_gain_find_instruction (view, gain->line)
                                                  : gain->instruction;

  return repetition != NULL && (find_loss (explain, repetition, gain, wanted, place) ||
                                find_event (explain->trace, repetition, gain, wanted, place));
}
