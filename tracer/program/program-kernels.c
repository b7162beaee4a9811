#include "program/program-kernels.h"

HirProgram *
hir_program_ref_executable (HirProgram *program, GCancellable *cancellable, GError **error)
{
  g_autoptr (HirProgram) lowered = hir_program_ref_lowered (program, cancellable, error);

  if (lowered == NULL)
    return NULL;
  if (hir_program_get_host (lowered) != NULL)
    return g_steal_pointer (&lowered);
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "there is no host program to generate CUDA C for%s",
                 lowered->error != NULL ? ", because a pass failed" : "");
  return NULL;
}

GPtrArray *
hir_program_new_kernels (HirProgram *program, GCancellable *cancellable, GError **error)
{
  HirContainer *fusion = program->fusion != NULL ? program->fusion : program->printed;
  HirRunOptions options;
  guint n_ranks =
      hir_program_is_on_mesh (program) ? (guint) MAX (program->request->n_devices, 1) : 1;

  hir_run_options_init (&options);
  options.inputs = (const char *const *) program->request->inputs;
  options.rank = (int) program->request->rank;
  return hir_kernels_new_for_program (fusion, hir_program_get_host (program), n_ranks, &options,
                                      cancellable, error);
}

/* Looks for the instruction that executes a node. */
typedef struct
{
  guint64 id;
  const HirHostUnit *unit; /* nullable: the node is in this unit */
  const HirExpr *found;
} Search;

/* Returns whether @expr computes tensor @id, or binds it to a view. */
static gboolean
is_writer (const HirExpr *expr, guint64 id)
{
  if (expr->kind == HIR_EXPR_ALIAS_SELECT || expr->kind == HIR_EXPR_SHARD_BY_STREAM)
    return hir_expr_get_result (expr)->base.node.id == id;
  for (guint i = 0; i < expr->n_outputs && expr->kind != HIR_EXPR_ALLOCATE; i++)
    if (expr->outputs[i]->node.id == id)
      return TRUE;
  return FALSE;
}

static gboolean
visit (HirExpr *expr, guint depth, gpointer user_data)
{
  Search *search = user_data;

  if (expr->node.id == search->id || is_writer (expr, search->id) ||
      (search->unit != NULL && expr->kind == HIR_EXPR_POST_ON_STREAM &&
       expr->u.post.unit == search->unit))
    search->found = expr;
  return search->found == NULL;
}

static const HirHostUnit *
find_unit (const HirContainer *host, guint64 id)
{
  for (guint i = 0; i < host->units.len; i++)
    {
      const HirHostUnit *unit = host->units.items[i];

      if (unit->node.id == id || hir_container_lookup_expr (unit->fusion, id) != NULL ||
          hir_container_lookup_tensor (unit->fusion, id) != NULL)
        return unit;
    }
  return NULL;
}

const HirExpr *
hir_program_lookup_instruction (HirProgram *program, guint64 id)
{
  HirContainer *host = hir_program_get_host (program);
  Search search = { .id = id };

  if (host == NULL)
    return NULL;
  hir_container_foreach_expr (host, visit, &search);
  if (search.found != NULL)
    return search.found;
  search.unit = find_unit (host, id);
  if (search.unit != NULL)
    hir_container_foreach_expr (host, visit, &search);
  return search.found;
}

/* Returns what an instruction without generated code does. */
static const char *
get_reason (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_COMMUNICATION:
      return "a collective of the communicator, by default NCCL (--comm)";
    case HIR_EXPR_P2P:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
    case HIR_EXPR_END_COALESCING:
      return "messages of the communicator, by default ncclSend and ncclRecv (--comm)";
    case HIR_EXPR_SYNCHRONIZE:
    case HIR_EXPR_WAIT:
      return "a stream waits for another (cuStreamWaitEvent)";
    case HIR_EXPR_ALIAS_SELECT:
    case HIR_EXPR_SHARD_BY_STREAM:
      return "the result is a view of the input";
    default:
      return HIR_EXPR_SET <= expr->kind && expr->kind < HIR_EXPR_ALLOCATE
                 ? "the result is a view, or this rank does not execute it"
                 : "the host executes it";
    }
}

/* Appends the kernels of @id, or of all instructions if it is 0. Returns FALSE
 * if there are none.
 */
static gboolean
append_found (const GPtrArray *kernels, guint64 id, int rank, guint *number, GString *text)
{
  gsize before = text->len;

  for (guint i = 0; i < kernels->len; i++)
    {
      const HirKernels *entry = g_ptr_array_index (kernels, i);

      if (id != 0 && entry->instruction != id)
        continue;
      if (text->len > before)
        g_string_append_c (text, '\n');
      hir_kernels_append_text (entry, rank, number, text);
    }
  return text->len > before;
}

void
hir_program_append_kernel_file (HirProgram *program,
                                const GPtrArray *kernels,
                                const GPtrArray *exprs,
                                GString *text)
{
  int rank = (int) program->request->rank;
  guint number = 0;
  gboolean any;

  hir_kernels_append_prelude (text);
  any = exprs->len == 0 && append_found (kernels, 0, rank, &number, text);
  for (guint i = 0; i < exprs->len; i++)
    any |=
        append_found (kernels, ((const HirExpr *) exprs->pdata[i])->node.id, rank, &number, text);
  if (!any)
    g_string_append (text, "// no instruction launches a kernel on this rank\n");
}

void
hir_program_append_kernels (HirProgram *program,
                            const GPtrArray *kernels,
                            const HirExpr *expr,
                            GString *text)
{
  int rank = (int) program->request->rank;
  g_autofree char *label = NULL;

  if (append_found (kernels, expr != NULL ? expr->node.id : 0, rank, NULL, text))
    return;
  label = expr != NULL ? hir_evaluator_dup_expr_label (expr) : g_strdup ("program");
  g_string_append_printf (text, "// %s on rank %d\n//\n// no generated code: %s\n", label, rank,
                          expr != NULL ? get_reason (expr)
                                       : "no instruction launches a kernel on this rank");
}
