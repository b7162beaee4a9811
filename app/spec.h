/* SRC and TRACE of the command line: what a word names, opened. */
#pragma once

#include "lowering-options.h"
#include "program/program.h"

G_BEGIN_DECLS

/* SRC with @options (checked) as a request: FILE.py::function, FILE.py, example:NAME, a printed
 * program or pass log, or a recording, which stands for the script it was made from, with that
 * run's options where @options gives no others. Errors: HIR_ERROR_INPUT (no such file, example or
 * function). */
HirRequest *hir_spec_load (const char *spec,
                           const HirLoweringOptions *options,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Whether there is such a file or example at all: what can be said before anything is read. Errors:
 * as above. */
gboolean hir_spec_exists (const char *spec, GError **error);

/* What kind of file @path is, by its first bytes. FALSE where it can't be read. */
typedef enum
{
  HIR_FILE_SCRIPT,
  HIR_FILE_RECORDING,
  HIR_FILE_DUMP, /* a printed host program or pass log */
} HirFileKind;
gboolean hir_spec_get_file_kind (const char *path, HirFileKind *kind, GError **error);

/* SRC read and lowered. NULL where that can't be: then all that is to be said stands on standard
 * error, and the exit code is HIR_EXIT_BAD. A failing pass is none: see HirProgram.error. Notes are
 * printed. */
HirProgram *hir_spec_open_program (const char *spec,
                                   const HirLoweringOptions *options) G_GNUC_WARN_UNUSED_RESULT;

/* Prints every one of @diagnostics (HirDiagnostic*), or, where there are none, @error, with lines
 * of
 * @source (nullable) and carets, on standard error. Gives HIR_EXIT_BAD. */
int hir_spec_report (const GError *error, const GPtrArray *diagnostics, const HirSource *source);

G_END_DECLS
