/* Resolves and opens the SRC argument of the command line. */
#pragma once

#include "lowering-options.h"
#include "program/program.h"

G_BEGIN_DECLS

/* Returns a request for SRC with @options (already checked). SRC is FILE.py::function, FILE.py,
 * example:NAME, a printed program, a pass log or a recording. A recording represents the script
 * that it was made from; the options of that run apply unless @options overrides them. @error:
 * HIR_ERROR_INPUT if there is no such file, example or function. */
HirRequest *hir_spec_load (const char *spec,
                           const HirLoweringOptions *options,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Like hir_spec_load(), but prints the error on standard error. */
HirRequest *hir_spec_load_or_report (const char *spec,
                                     const HirLoweringOptions *options) G_GNUC_WARN_UNUSED_RESULT;

/* Returns whether the file or example exists, without reading it. @error: as hir_spec_load(). */
gboolean hir_spec_exists (const char *spec, GError **error);

/* Kind of a source file. */
typedef enum
{
  HIR_FILE_SCRIPT,
  HIR_FILE_RECORDING,
  HIR_FILE_DUMP, /* a printed host program or pass log */
} HirFileKind;
/* Gets the kind of @path from its first bytes. Returns FALSE and sets @error if it cannot be
 * read. */
gboolean hir_spec_get_file_kind (const char *path, HirFileKind *kind, GError **error);

/* Reads and lowers SRC. Prints notes and errors on standard error. Returns NULL after an error; the
 * exit code is then HIR_EXIT_BAD. A failing pass is not such an error: see HirProgram.error. */
HirProgram *hir_spec_open_program (const char *spec,
                                   const HirLoweringOptions *options) G_GNUC_WARN_UNUSED_RESULT;

/* Like hir_spec_open_program(), for a request that was made from @options. */
HirProgram *hir_spec_open_request (const HirRequest *request,
                                   const HirLoweringOptions *options) G_GNUC_WARN_UNUSED_RESULT;

/* Opens the SCRIPT of --against with @options, for the devices of @program, and stores its fusion,
 * borrowed from @against. Sets both to NULL if @spec is NULL. Returns FALSE after printing an
 * error. */
gboolean hir_spec_open_against (const char *spec,
                                HirLoweringOptions *options,
                                const HirProgram *program,
                                HirProgram **against,
                                HirContainer **fusion) G_GNUC_WARN_UNUSED_RESULT;

/* Prints @diagnostics (HirDiagnostic*), or @error if there are none, on standard error, with lines
 * of @source (nullable) and carets. Returns HIR_EXIT_BAD. */
int hir_spec_report (const GError *error, const GPtrArray *diagnostics, const HirSource *source);

G_END_DECLS
