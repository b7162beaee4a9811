/* Defines a compiler pass: an entry in the pass table. A pass edits a private clone of the program;
 * observers attach through pipeline hooks. */
#pragma once

#include <gio/gio.h>

#include "container.h"

G_BEGIN_DECLS

/* The two ways in which nvFuser makes a host program of a fusion. */
typedef enum
{
  HIR_PIPELINE_EXECUTOR, /* MultiDeviceExecutor, as of mid-2025 */
  HIR_PIPELINE_HOSTIR,   /* FusionExecutorCache with host_ir_lowering, as of April 2026 */
} HirPipelineKind;

/* Returns "executor" or "hostir". */
const char *hir_pipeline_kind_get_name (HirPipelineKind kind);

/* Option of a pass, as set by `--set Pass.name=value`. */
typedef struct
{
  const char *name;    /* snake_case */
  const char *summary; /* one line */
  const char *default_value;
  const char *const *choices; /* NULL-terminated; NULL if any integer >= 0 is allowed */
  gboolean is_text;           /* any text is allowed */
} HirPassOption;

typedef struct _HirPass HirPass;

/* Parameters of one run of a pass. */
typedef struct
{
  const HirPass *pass;
  GHashTable *options; /* option name -> value, with defaults, checked against the choices */
  gint64 rank;         /* rank whose program is lowered */
  gint64 n_devices;
  GCancellable *cancellable; /* nullable */
} HirPassContext;

/* Returns the value of an option of the pass; never NULL. */
const char *hir_pass_context_get_option (const HirPassContext *context, const char *name);

/* Checks for cancellation in a loop of a pass. Only every 64th iteration (@round) is checked.
 * Returns TRUE and sets HIR_ERROR_CANCELLED if the pass was cancelled. */
gboolean hir_pass_context_is_cancelled (const HirPassContext *context, guint round, GError **error);

/* Returns FALSE and sets HIR_ERROR_REFUSED if @program is a host program. For passes that require a
 * fusion. */
gboolean hir_pass_context_check_fusion (const HirPassContext *context,
                                        const HirContainer *program,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns FALSE and sets HIR_ERROR_REFUSED if @program is a fusion. For passes that require a host
 * program. */
gboolean hir_pass_context_check_host (const HirPassContext *context,
                                      const HirContainer *program,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

struct _HirPass
{
  const char *name;    /* nvFuser's name: "StreamParallelType" */
  const char *summary; /* one line */
  const char *help;    /* paragraphs: what it does, where and why it differs from nvFuser */
  const HirPassOption *options; /* ends with a NULL name; NULL if there are none */
  gboolean default_on;
  /* Returns FALSE if run() would change nothing, so that the pipeline can continue without a clone.
   * Must be at most linear. Nullable. */
  gboolean (*applies) (const HirContainer *program, const HirPassContext *context);
  /* Edits @program or creates a new one. Takes @program; returns the result, or NULL and @error
   * (HIR_ERROR_REFUSED with the script position; the message names tensor and axis).
   * hir_maker_begin() was called with the pass's name. */
  HirContainer *(*run) (HirContainer *program, const HirPassContext *context, GError **error);
};

/* Returns the passes of @pipeline in order, NULL-terminated. Includes test passes if
 * HIRSCOPE_TEST_PASSES is set in the environment. */
const HirPass *const *hir_pass_get_table (HirPipelineKind pipeline);
/* Returns the pass of @pipeline with @name, or NULL. Both pipelines may have a pass of that name,
 * with different rules. */
const HirPass *hir_pass_lookup (HirPipelineKind pipeline, const char *name);

extern const HirPass hir_pass_reorder_sharded_axis;
extern const HirPass hir_pass_propagate_shardings;
extern const HirPass hir_pass_insert_reshardings;
extern const HirPass hir_pass_finalize_multidevice_domains;
extern const HirPass hir_pass_segment_fusion;
extern const HirPass hir_pass_stream_parallel_type;
extern const HirPass hir_pass_convert_op_to_communication;
extern const HirPass hir_pass_insert_deallocations;
/* passes/hostir */
extern const HirPass hir_pass_hostir_exact_mapped_extent_substitution;
extern const HirPass hir_pass_hostir_propagate_shardings;
extern const HirPass hir_pass_hostir_decompose_reshardings;
extern const HirPass hir_pass_hostir_reorder_sharded_axis;
extern const HirPass hir_pass_hostir_mark_aliases_prepare;
extern const HirPass hir_pass_hostir_finalize_multidevice_domains;
extern const HirPass hir_pass_hostir_lower_segmented_fusion;
extern const HirPass hir_pass_hostir_allocate_and_deallocate;
extern const HirPass hir_pass_hostir_assign_streams;
/* Compiled only with -Dtesting=true. */
extern const HirPass hir_pass_swap_operands;

G_END_DECLS
