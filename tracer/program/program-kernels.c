#include "program/program-kernels.h"

GPtrArray *
hir_program_new_kernels (HirProgram *program, GCancellable *cancellable, GError **error)
{
  HirContainer *host = hir_program_get_host (program);
  HirContainer *fusion = program->fusion != NULL ? program->fusion : program->printed;
  HirRunOptions options;
  guint n_ranks;

  if (host == NULL || fusion == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL, "%s",
                     program->error != NULL || program->printed != NULL || program->lowering != NULL
                         ? "there is no host program to generate CUDA C for"
                         : "a recording does not contain CUDA C; open its script to generate it");
      return NULL;
    }
  hir_run_options_init (&options);
  options.inputs = (const char *const *) program->request->inputs;
  options.rank = (int) program->request->rank;
  n_ranks = (guint) MAX (program->request->n_devices, 1);
  return hir_kernels_new_for_program (fusion, host, hir_program_is_on_mesh (program) ? n_ranks : 1,
                                      &options, cancellable, error);
}

/* Appends the kernels of @id, or of all instructions if it is 0. Returns FALSE if there are none.
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
                                const HirExpr *expr,
                                GString *text)
{
  guint number = 0;

  hir_kernels_append_prelude (text);
  if (!append_found (kernels, expr != NULL ? expr->node.id : 0, (int) program->request->rank,
                     &number, text))
    g_string_append (text, "// no instruction launches a kernel on this rank\n");
}
