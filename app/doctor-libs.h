/* Table of the libraries that are opened at run time. `doctor` lists each with its path and
 * version. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *label;          /* "CUPTI" */
  const char *const *sonames; /* newest first, NULL-terminated */
  /* Returns the version of the open library as text (newly allocated), or NULL if unknown. */
  char *(*version) (gpointer handle);
  const char *purpose; /* what Hirscope uses it for */
  const char *install; /* how to install it */
} HirDoctorLib;

/* Returns the table, terminated by a row without a label. */
const HirDoctorLib *hir_doctor_libs_get_table (void);

/* Opens @lib, which runs its initializers, and returns a line that describes it (newly allocated):
 * "12.4 (/usr/lib/...)", or "not found: ..." with what to install. Sets @found accordingly. */
char *hir_doctor_lib_describe (const HirDoctorLib *lib, gboolean *found);

G_END_DECLS
