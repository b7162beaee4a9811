/* The graph of every snapshot as files, one a pass: NN-PassName.dot, NN-PassName.svg. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* Into @folder, which is made where it is missing. Errors: HIR_ERROR_INPUT naming the file. */
gboolean hir_graph_files_write_dot (const HirProgram *program,
                                    const char *folder,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* As above; HIR_ERROR_UNSUPPORTED where this build has no figures. */
gboolean hir_graph_files_write_svg (const HirProgram *program,
                                    const char *folder,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
