/* A pass: a value in a table. It edits a program that is its own (a fresh clone), and knows nothing
 * of who watches. */
#pragma once

#include <gio/gio.h>

#include "container.h"

G_BEGIN_DECLS

/* An option of a pass, as `--set Pass.name=value` gives it. */
typedef struct
{
  const char *name;    /* snake_case */
  const char *summary; /* one line */
  const char *default_value;
  const char *const *choices; /* NULL-terminated; NULL: any integer >= 0 */
  gboolean is_text;           /* any text instead */
} HirPassOption;

typedef struct _HirPass HirPass;

/* What a run of a pass is given. */
typedef struct
{
  const HirPass *pass;
  GHashTable *options; /* option name -> value, defaults filled in, checked against choices */
  gint64 rank;         /* whose program */
  gint64 n_devices;
  GCancellable *cancellable; /* nullable */
} HirPassContext;

/* Value of one of the pass's own options; never NULL. */
const char *hir_pass_context_get_option (const HirPassContext *context, const char *name);

/* For the loops of a pass, with the number of the round: TRUE, and HIR_ERROR_CANCELLED, where nobody wants the result
 * any more. Asks every 64th round only. */
gboolean hir_pass_context_is_cancelled (const HirPassContext *context, guint round, GError **error);

/* Returns FALSE and HIR_ERROR_REFUSED if @program is a host program: for passes that take fusions. */
gboolean hir_pass_context_check_fusion (const HirPassContext *context,
                                        const HirContainer *program,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns FALSE and HIR_ERROR_REFUSED if @program is a fusion: for passes that take host programs. */
gboolean hir_pass_context_check_host (const HirPassContext *context,
                                      const HirContainer *program,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

struct _HirPass
{
  const char *name;    /* nvFuser's: "StreamParallelType" */
  const char *summary; /* one line */
  const char *help;    /* paragraphs: what it does, where it differs from nvFuser and why */
  const HirPassOption *options; /* ends with a NULL name; NULL: none */
  gboolean default_on;
  /* Nullable. FALSE: run() would change nothing, so the manager goes on with the program it has,
   * which costs no copy. Linear at most. */
  gboolean (*applies) (const HirContainer *program, const HirPassContext *context);
  /* Edits @program or makes another one of it. Takes @program and gives the result, or NULL and
   * @error (HIR_ERROR_REFUSED with the position of the script line, naming tensor and axis). The
   * maker has been begun with the pass's name. */
  HirContainer *(*run) (HirContainer *program, const HirPassContext *context, GError **error);
};

/* The passes in pipeline order, ended by NULL. With HIRSCOPE_TEST_PASSES in the environment, those
 * of tests too. */
const HirPass *const *hir_pass_get_table (void);
const HirPass *hir_pass_lookup (const char *name);

extern const HirPass hir_pass_reorder_sharded_axis;
extern const HirPass hir_pass_propagate_shardings;
extern const HirPass hir_pass_insert_reshardings;
extern const HirPass hir_pass_finalize_multidevice_domains;
extern const HirPass hir_pass_segment_fusion;
extern const HirPass hir_pass_stream_parallel_type;
extern const HirPass hir_pass_convert_op_to_communication;
extern const HirPass hir_pass_insert_deallocations;
extern const HirPass hir_pass_swap_operands;

G_END_DECLS
