/* Example fusions, compiled into the program so that they are always available. */
#pragma once

#include "diagnostic.h"

G_BEGIN_DECLS

/* One script. */
typedef struct
{
  const char *name; /* "single_device.py" */
  const char *text; /* UTF-8, NUL-terminated, static */
  gsize length;     /* bytes */
} HirExample;

/* Returns all examples in order of name, terminated by a row without a name. Any thread. */
const HirExample *hir_examples_get_table (void);
/* Returns the example with file name @name, or NULL. */
const HirExample *hir_examples_lookup (const char *name);
/* Returns the example that defines the fusion @function, or NULL. */
const HirExample *hir_examples_lookup_function (const char *function);

/* Returns the names of the fusions in @example, in the order of hir_script_dup_candidates() (newly
 * allocated). */
char **hir_examples_dup_functions (const HirExample *example);

G_END_DECLS
