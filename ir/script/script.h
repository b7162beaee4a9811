/* Fusion scripts (docs/host-ir.md#scripts): reads ordinary Python 3 files, lists the functions that
 * they define, and runs one function that builds a FusionDefinition. The interpreter implements a
 * safe subset of Python. Opening a script executes nothing. Running one reads the .py files next to
 * it that it imports, with the same interpreter, and accesses no other files, environment variables
 * or processes. */
#pragma once

#include "container.h"
#include "script/parse/parse.h"

G_BEGIN_DECLS

/**
 * hir_script_load:
 *
 * Reads the file @path as Python does: a byte order mark or a coding line gives the encoding, UTF-8
 * is the default, and every line end becomes a newline.
 *
 * Returns: (transfer full): the source, or NULL with HIR_ERROR_INPUT if the file cannot be read or
 *   decoded, or is larger than 64 MiB
 */
HirSource *hir_script_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/**
 * hir_script_source_from_bytes:
 * @path: the name of the script in messages
 *
 * Like hir_script_load(), but decodes @length bytes from memory.
 */
HirSource *hir_script_source_from_bytes (const char *path,
                                         const char *bytes,
                                         gsize length,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct
{
  char *name;
  HirScriptParamKind kind;
  char *annotation;    /* nullable: source text */
  char *default_value; /* nullable: source text */
} HirScriptParam;

/* A def (also a method or a nested def), or a class that is a candidate. */
typedef struct
{
  char *name;
  char *qualified_name; /* "Timer.__init__", "test_x.define" */
  HirPos pos;           /* position of `def`, `async def` or `class`, after the decorators */
  gboolean is_async;
  gboolean is_class;
  GPtrArray *params; /* HirScriptParam*; for a candidate class, those of __init__ without self */
} HirScriptFunction;

/**
 * hir_script_dup_functions:
 *
 * Lists every def of @script, ordered by position.
 *
 * Returns: (transfer full) (element-type HirScriptFunction)
 */
GPtrArray *hir_script_dup_functions (HirScript *script);
/**
 * hir_script_dup_candidates:
 *
 * Lists the functions that hir_script_run() can run: top-level functions and classes that build a
 * FusionDefinition, directly or through a function of the file, or that fill one passed as `fd`.
 * All
 * their parameters can be given by `-d`, `--arg`, a fixture or a default.
 *
 * Returns: (transfer full) (element-type HirScriptFunction)
 */
GPtrArray *hir_script_dup_candidates (HirScript *script);

/**
 * hir_script_dup_choices:
 * @function: (nullable): a function or method; NULL lists all candidates
 *
 * Lists what can be run: "FUNCTION[ID]" for each set of parameters that pytest would run @function
 * with, at most 10,000, or "FUNCTION" if it has none. Evaluates only the decorators.
 *
 * Returns: (transfer full): a NULL-terminated array, or NULL with HIR_ERROR_INPUT
 */
char **hir_script_dup_choices (HirScript *script,
                               const char *function,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the names and attributes of nvFuser that a statement of @script uses and that do not
 * exist, whether or not the statement is executed: array of HirDiagnostic (transfer full). */
GPtrArray *hir_script_dup_undefined (HirScript *script);

typedef struct
{
  gint64 n_devices; /* -d; 0 if unknown: parameters for the number of devices then get 1 */
  const char *const
      *args; /* nullable: --arg, each "name=value" with a Python literal; NULL-terminated */
  const char *const *inputs; /* nullable: --input, each "2x3"; NULL-terminated. Used for a fusion
                                whose shape depends on the sizes of its inputs */
  HirDType dtype;    /* --dtype: type of every floating-point define_tensor; NULL keeps its own */
  guint64 max_steps; /* 0 means 1,000,000 */
  gsize max_memory_bytes; /* 0 means 64 MiB */
} HirScriptOptions;

/* Options of nvFuser's executors that the script sets and that have an effect here. */
typedef struct
{
  gboolean host_ir_lowering;        /* lower with the pipeline of 2026 */
  gboolean insert_resharding_after; /* the option of its pass DecomposeReshardings */
  gint64 n_streams;                 /* number_of_streams; 0 if it is not set */
  const char *transport;            /* nullable: of backend_type, as --comm names it; static */
} HirScriptExecutor;

typedef struct
{
  gint64 n_devices; /* highest device in the script's meshes + 1; at least 1 */
  char *function;   /* name of the function that was run */
  GPtrArray *notes; /* HirDiagnostic*: statements without effect here; never errors */
  guint64 steps;    /* executed steps */
  HirScriptExecutor executor;
} HirScriptResult;

/* Frees the contents of @result. */
void hir_script_result_clear (HirScriptResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirScriptResult, hir_script_result_clear)

/**
 * hir_script_run:
 * @function: (nullable): a top-level function or class; NULL runs the only candidate
 * @options: (nullable)
 * @result: (nullable) (out): filled on success
 *
 * Runs @function and returns the last FusionDefinition that it built. The maker of its tensors is
 * "script" with the function and the call path. May be called from any thread; needs 4 MiB of
 * stack.
 *
 * Errors have a position in the script: HIR_ERROR_INPUT (unknown function or argument, an invalid
 * call, or a script that raises or skips), HIR_ERROR_SYNTAX, HIR_ERROR_REFUSED,
 * HIR_ERROR_UNSUPPORTED, HIR_ERROR_LIMIT.
 *
 * Returns: (transfer full): a new container, or NULL
 */
HirContainer *hir_script_run (HirScript *script,
                              const char *function,
                              const HirScriptOptions *options,
                              HirScriptResult *result,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
