/* Back end that runs generated kernels without a GPU. The text is compiled as C and works on host
 * memory; a block is a loop or a group of threads. One device. */
#pragma once

#include "cuda/codegen/codegen.h"
#include "run/session/provider.h"

G_BEGIN_DECLS

/* Caches compiled kernels. Compiling dozens of kernels takes as long as compiling one, so tests run
 * twice: first with @collecting set, when tasks only collect kernels and have no results, and again
 * after text_provider_compile(). Other kernels are compiled one by one. */
typedef struct
{
  HirBackendProvider base;
  HirCodegenOptions codegen;
  GHashTable *compiled; /* char* source -> TextKernel */
  GPtrArray *handles;   /* dlopen() handles of their libraries */
  GPtrArray *wanted;    /* TextWanted* */
  guint n_compiled;     /* number of wanted kernels that are compiled */
  gboolean collecting;
  char *folder;
  guint n_parts, n_tasks,
      n_vectors; /* numbers of executed launches, tasks and vectorized kernels */
} TextProvider;

TextProvider *text_provider_new (void);
void text_provider_free (TextProvider *provider);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TextProvider, text_provider_free)
/* Compiles all collected kernels, with several compilers in parallel. */
void text_provider_compile (TextProvider *provider);
/* Return the generated source of each kernel that was run or collected. */
guint text_provider_get_n_sources (const TextProvider *provider);
const char *text_provider_get_source (const TextProvider *provider, guint i);
/* Returns FALSE if there is no C compiler. */
gboolean text_provider_can_run (void);

G_END_DECLS
