/* Defines a compiler pass: an entry in the pass table. A pass edits a private clone of the program;
 * observers attach through pipeline hooks. */
#pragma once

#include <gio/gio.h>

#include "container.h"

G_BEGIN_DECLS

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

/* Returns the passes in pipeline order, NULL-terminated. Includes test passes if
 * HIRSCOPE_TEST_PASSES is set in the environment. */
const HirPass *const *hir_pass_get_table (void);
/* Returns the pass with @name, or NULL. */
const HirPass *hir_pass_lookup (const char *name);

extern const HirPass hir_pass_reorder_sharded_axis;
extern const HirPass hir_pass_propagate_shardings;
extern const HirPass hir_pass_insert_reshardings;
extern const HirPass hir_pass_finalize_multidevice_domains;
extern const HirPass hir_pass_segment_fusion;
extern const HirPass hir_pass_stream_parallel_type;
extern const HirPass hir_pass_convert_op_to_communication;
extern const HirPass hir_pass_insert_deallocations;
/* Compiled only with -Dtesting=true. */
extern const HirPass hir_pass_swap_operands;

G_END_DECLS
