/* The example fusions, compiled into the program, so that it works wherever it was copied to. */
#pragma once

#include "diagnostic.h"

G_BEGIN_DECLS

/* One script. */
typedef struct
{
  const char *name; /* "single_device.py" */
  const char *text; /* UTF-8, NUL-terminated, lives for ever */
  gsize length;     /* bytes */
} HirExample;

/* All of them in order of name, ended by a row without a name. Any thread. */
const HirExample *hir_examples_get_table (void);
/* NULL where there is none of that file name. */
const HirExample *hir_examples_lookup (const char *name);
/* The example that has the fusion @function; NULL: none. */
const HirExample *hir_examples_lookup_function (const char *function);

/* Names of the fusions in it, as hir_script_dup_candidates() finds them, in order. Newly allocated.
 */
char **hir_examples_dup_functions (const HirExample *example);

G_END_DECLS
