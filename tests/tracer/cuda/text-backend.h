/* A back end that runs what the code generator writes, without a GPU: the text is compiled as C,
 * with a loop (or threads) in place of a block, and works on host memory. One device. */
#pragma once

#include "cuda/codegen.h"
#include "run/provider.h"

G_BEGIN_DECLS

/* Compiled kernels are kept as long as it lives. */
typedef struct
{
  HirBackendProvider base;
  HirCodegenOptions codegen;
  GHashTable *compiled; /* char* source -> TextKernel */
  char *folder;
  guint n_parts, n_tasks, n_vectors; /* that were run */
  GPtrArray *sources;                /* nullable: char*, of each compiled kernel */
} TextProvider;

TextProvider *text_provider_new (void);
void text_provider_free (TextProvider *provider);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TextProvider, text_provider_free)
/* FALSE where there is no C compiler. */
gboolean text_provider_can_run (void);

G_END_DECLS
