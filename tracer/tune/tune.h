/* Finds faster settings of a run (docs/tune.md): records the given setting, predicts the others
 * from its times, and measures the best of them in interleaved rounds. */
#pragma once

#include "tune/tune-space.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_TUNE_MEASURED,
  HIR_TUNE_PREDICTED, /* predicted only */
  HIR_TUNE_WRONG,     /* its results are incorrect */
  HIR_TUNE_REFUSED,   /* cannot be lowered or run */
  HIR_TUNE_SKIPPED,   /* the budget ended before it was predicted */
} HirTuneState;

typedef struct
{
  HirTuneChoice choice;
  HirTuneState state;
  HirProgram *program; /* nullable; owned */
  HirRequest *request; /* owned */
  char *reason;        /* nullable: why it is wrong, refused or undecided */
  gint64 predicted_ns; /* of one run; -1: not predicted */
  guint n_unknown;     /* works that the prediction does not know */
  GArray *rounds;      /* gint64: time of one run, in each round */
} HirTuneSetting;

typedef enum
{
  HIR_TUNE_COMPLETE,
  HIR_TUNE_BUDGET,    /* budget_s was used up */
  HIR_TUNE_CANCELLED, /* by the user */
} HirTuneEnd;

typedef struct
{
  const HirRunSettings *settings; /* the given setting; repeat and warmup are those of each round */
  HirContainer *against;          /* nullable: see HirRunJobOptions */
  const char *const *limits;      /* nullable: see hir_tune_space_restrict() */
  guint n_rounds, n_top;          /* n_top: settings to measure besides the given one */
  double budget_s;
  /* Nullable: called with a line of text about the progress, on the calling thread. */
  void (*status) (const char *text, gpointer user_data);
  gpointer user_data;
} HirTuneOptions;

typedef struct
{
  HirRunSettings settings; /* of the given setting */
  GPtrArray *list;         /* HirTuneSetting*; the given one first, then by prediction */
  GPtrArray *notes;        /* char* */
  HirTuneEnd end;
  int best; /* index of the setting to recommend; -1: none was measured */
} HirTune;

/**
 * hir_tune_new:
 * @program: the program with the given options; all ranks run in this process
 * @cancellable: (nullable): cancelling ends the search; what was found is returned
 *
 * Blocks for about @options->budget_s at most; any thread.
 *
 * Returns: (transfer full): NULL and sets @error if the given setting cannot run, or an option is
 *   invalid
 */
HirTune *hir_tune_new (HirProgram *program,
                       const HirTuneOptions *options,
                       GCancellable *cancellable,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_tune_free (HirTune *tune);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTune, hir_tune_free)

/* Returns the median over the rounds (the lower one of two), or -1 without a round. */
gint64 hir_tune_setting_get_median (const HirTuneSetting *setting);
/* Sets the shortest and the longest round. There must be one. */
void hir_tune_setting_get_range (const HirTuneSetting *setting, gint64 *least_ns, gint64 *most_ns);
/* Returns whether the rounds of the recommended setting and of the given one overlap. */
gboolean hir_tune_is_within_spread (const HirTune *tune);

G_END_DECLS
