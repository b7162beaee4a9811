/* Libraries that are opened at run time, as `doctor` looks for them: is it there, where, which
 * version. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *label;          /* "CUPTI" */
  const char *const *sonames; /* newest first, NULL-terminated */
  /* Version of the open library in words, newly allocated; NULL where it does not say. */
  char *(*version) (gpointer handle);
  const char *purpose; /* what Hirscope does with it */
  const char *install; /* what to do where it is missing */
} HirDoctorLib;

/* All that doctor asks for, ended by a row without a label. */
const HirDoctorLib *hir_doctor_libs_get_table (void);

/* Opens @lib. Newly allocated line: "12.4 (/usr/lib/...)" or, where there is none, "not found: ..."
 * with what to install; *@found tells which. Runs the library's initialisers; never fails. */
char *hir_doctor_lib_describe (const HirDoctorLib *lib, gboolean *found);

G_END_DECLS
