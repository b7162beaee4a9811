/* A back end that runs what the code generator writes, without a GPU: the text is compiled as C,
 * with a loop (or threads) in place of a block, and works on host memory. One device. */
#pragma once

#include "cuda/codegen/codegen.h"
#include "run/session/provider.h"

G_BEGIN_DECLS

/* Compiled kernels are kept as long as it lives. A compiler takes as long for one as for dozens:
 * tests run once with @collecting, when tasks only say what is to be compiled, and their results
 * are nothing, then text_provider_compile(), then for real. What was not collected is compiled
 * alone. */
typedef struct
{
  HirBackendProvider base;
  HirCodegenOptions codegen;
  GHashTable *compiled; /* char* source -> TextKernel */
  GPtrArray *handles;   /* of the libraries that they are in */
  GPtrArray *wanted;    /* TextWanted* */
  guint n_compiled;     /* of those */
  gboolean collecting;
  char *folder;
  guint n_parts, n_tasks, n_vectors; /* that were run */
} TextProvider;

TextProvider *text_provider_new (void);
void text_provider_free (TextProvider *provider);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TextProvider, text_provider_free)
/* Whatever was collected, several compilers side by side. */
void text_provider_compile (TextProvider *provider);
/* Of all kernels that were run or collected: what the generator wrote. */
guint text_provider_get_n_sources (const TextProvider *provider);
const char *text_provider_get_source (const TextProvider *provider, guint i);
/* FALSE where there is no C compiler. */
gboolean text_provider_can_run (void);

G_END_DECLS
