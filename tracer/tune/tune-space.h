/* The settings that `tune` tries: all combinations of the values of some dimensions. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"
#include "tune/tune-chunks.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_TUNE_PIPELINE,     /* HirPipelineKind */
  HIR_TUNE_INITIAL_SYNC, /* index of a choice of StreamParallelType.initial_sync */
  HIR_TUNE_CHUNKS,       /* size of the stream axis of the inputs */
  HIR_TUNE_STREAMS,      /* numberOfStreams */
  HIR_TUNE_COMM,         /* HirCommTransport */
  HIR_TUNE_PRIORITY,     /* of communication: 0 normal, 1 high */
  HIR_N_TUNE_DIMENSIONS,
} HirTuneDimension;

#define HIR_TUNE_NONE (-1) /* a value: the dimension does not apply */

/* One value per dimension. */
typedef struct
{
  gint64 values[HIR_N_TUNE_DIMENSIONS];
} HirTuneChoice;

typedef struct
{
  HirTuneChoice given;
  GArray *values[HIR_N_TUNE_DIMENSIONS]; /* gint64: values to try, the given one first */
  HirTuneChunks *chunks;                 /* nullable */
  GPtrArray *notes;                      /* char*: why a dimension is not tried */
} HirTuneSpace;

/* Chooses the values to try for @program with @settings, which are the given setting. */
HirTuneSpace *hir_tune_space_new (HirProgram *program, const HirRunSettings *settings);
void hir_tune_space_free (HirTuneSpace *space);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTuneSpace, hir_tune_space_free)
/* Tries only the values of @text for a dimension, besides the given one: "streams=1,2". Returns
 * FALSE and sets HIR_ERROR_INPUT if the dimension or a value is unknown or cannot be tried. */
gboolean hir_tune_space_restrict (HirTuneSpace *space,
                                  const char *text,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the name of a dimension, as in JSON and `--try`. */
const char *hir_tune_dimension_get_name (HirTuneDimension dimension);
/* Returns a value as in JSON and `--try`, or NULL for HIR_TUNE_NONE. Free with g_free(). */
char *hir_tune_value_dup_text (HirTuneDimension dimension, gint64 value);
/* Describes a choice: "2 streams, initial_sync in_loop, 8 chunks, copy". Free with g_free(). */
char *hir_tune_choice_dup_text (const HirTuneChoice *choice);
/* Returns @request with the pipeline, the pass options and the inputs of @choice. */
HirRequest *hir_tune_space_dup_request (const HirTuneSpace *space,
                                        const HirRequest *request,
                                        const HirTuneChoice *choice);
/* Sets streams and communication of @settings to those of @choice. */
void hir_tune_choice_apply (const HirTuneChoice *choice, HirRunSettings *settings);

G_END_DECLS
