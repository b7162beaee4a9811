/* Parses Python 3 files into a HirScript. Parsing runs nothing. */
#pragma once

#include "diagnostic.h"

G_BEGIN_DECLS

/* A parsed script: its source and its syntax tree. Immutable; any thread may read it. */
typedef struct _HirScript HirScript;

/**
 * hir_script_parse:
 * @diagnostics: (nullable) (element-type HirDiagnostic): gets the first 20 syntax errors, in order
 *
 * Parses all of @source. After a syntax error the parser continues at the next line. Time and
 * memory are linear in the length of the source.
 *
 * Returns: (transfer full): the script without the lines in error; never NULL
 */
HirScript *hir_script_parse (HirSource *source, GPtrArray *diagnostics);
/* Frees @script. */
void hir_script_free (HirScript *script);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirScript, hir_script_free)

/* Returns the source of @script (borrowed). */
HirSource *hir_script_get_source (HirScript *script);
/* Returns the number of syntax errors, including those that were not reported. */
guint hir_script_get_n_errors (const HirScript *script);

typedef enum
{
  HIR_SCRIPT_PARAM_POSITIONAL_ONLY,
  HIR_SCRIPT_PARAM_NORMAL,
  HIR_SCRIPT_PARAM_VAR_POSITIONAL, /* *args */
  HIR_SCRIPT_PARAM_KEYWORD_ONLY,
  HIR_SCRIPT_PARAM_VAR_KEYWORD, /* **kwargs */
} HirScriptParamKind;

G_END_DECLS
