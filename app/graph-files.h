/* Writes graphs of snapshots to files: all, one per pass (NN-PassName.dot, NN-PassName.svg), or
 * one. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* Writes DOT files to @folder and creates the folder if necessary. @error: HIR_ERROR_INPUT with the
 * name of the file. */
gboolean hir_graph_files_write_dot (const HirProgram *program,
                                    const char *folder,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_graph_files_write_dot(), but writes SVG files. @error: also HIR_ERROR_UNSUPPORTED if
 * this build has no figures. */
gboolean hir_graph_files_write_svg (const HirProgram *program,
                                    const char *folder,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Writes the graph after pass @index of @program as a PNG to @path. Errors as those of
 * hir_graph_files_write_svg(). */
gboolean hir_graph_files_write_png (const HirProgram *program,
                                    guint index,
                                    const char *path,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
