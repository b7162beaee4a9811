/* Fusion scripts: reads people's own Python 3 files as they are, lists what they define, and runs
 * one function of a safe subset that builds a FusionDefinition (docs/host-ir.md#scripts). Opening a
 * script runs nothing; running one imports nothing and touches no file, environment or process. */
#pragma once

#include "container.h"
#include "script/parse/parse.h"

G_BEGIN_DECLS

/* Reads a script as Python does: a byte order mark or a coding line tells the encoding, else UTF-8;
 * any line end becomes a newline. At most 64 MB. Errors: HIR_ERROR_INPUT. */
HirSource *hir_script_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same from memory; @path is what messages call it. */
HirSource *hir_script_source_from_bytes (const char *path,
                                         const char *bytes,
                                         gsize length,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct
{
  char *name;
  HirScriptParamKind kind;
  char *annotation;    /* nullable: as written */
  char *default_value; /* nullable: as written */
} HirScriptParam;

/* A def (a method or a nested one too), or, as a candidate, a class. */
typedef struct
{
  char *name;
  char *qualified_name; /* "Timer.__init__", "test_x.define" */
  HirPos pos;           /* of `def`, `async def` or `class`; decorators stand above */
  gboolean is_async;
  gboolean is_class;
  GPtrArray *params; /* HirScriptParam*; a candidate class's are those of __init__ without self */
} HirScriptFunction;

/* Every def, in order of position. Array of HirScriptFunction*, owned by the caller. */
GPtrArray *hir_script_dup_functions (HirScript *script);
/* Those that hir_script_run() takes: functions and classes of the top level that build a
 * FusionDefinition, themselves or by a function of the file that they call, or fill one that they
 * get as `fd`, and whose parameters `-d`, `--arg`, a fixture or a default can give. */
GPtrArray *hir_script_dup_candidates (HirScript *script);

typedef struct
{
  gint64 n_devices; /* -d; 0: unknown, then parameters that ask for it get 1 */
  const char *const
      *args;         /* --arg, each "name=value" with a Python literal; NULL-terminated, nullable */
  HirDType dtype;    /* --dtype: retypes every floating-point define_tensor; NULL: no */
  guint64 max_steps; /* 0: 1,000,000 */
  gsize max_memory_bytes; /* 0: 64 MB */
} HirScriptOptions;

typedef struct
{
  gint64 n_devices; /* the highest device that the script's meshes name + 1; at least 1 */
  char *function;   /* what was run */
  GPtrArray *notes; /* HirDiagnostic*: what was read and has no effect here; never an error */
  guint64 steps;
} HirScriptResult;

void hir_script_result_clear (HirScriptResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirScriptResult, hir_script_result_clear)

/* Runs @function (a function or class of the top level; NULL: the only candidate) and gives the
 * last FusionDefinition that it built, its tensors stamped with maker "script" (function, call
 * path). A new container each time. @options may be NULL. @result (nullable) is filled on success.
 * Errors, with the position in the script: HIR_ERROR_INPUT (no such function or argument, a wrong
 * call, a script that raises or skips), HIR_ERROR_SYNTAX (the script has syntax errors),
 * HIR_ERROR_REFUSED, HIR_ERROR_UNSUPPORTED, HIR_ERROR_LIMIT. Any thread; needs 4 MB of stack. */
HirContainer *hir_script_run (HirScript *script,
                              const char *function,
                              const HirScriptOptions *options,
                              HirScriptResult *result,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
