/* Options that control how a source is read and lowered. Shared by the window and by all commands
 * that lower. */
#pragma once

#include <glib.h>

#include "command.h"
#include "dtype.h"
#include "pass.h"
#include "print/print.h"

G_BEGIN_DECLS

/* Values of the options. GOption stores the texts; hir_lowering_options_check() parses them.
 * Initialize with zeros; clear with hir_lowering_options_clear(). */
typedef struct
{
  gint64 n_devices; /* -1 if not given */
  gint64 rank;      /* -1 if not given */
  HirDType dtype;   /* HIR_DTYPE_NULL if the types of the script apply */
  HirFormat format;
  gboolean format_given;
  HirPipelineKind pipeline;
  gboolean pipeline_given;
  char **args;    /* nullable: "name=value" */
  char **inputs;  /* nullable: "4x8", in input order */
  char **enable;  /* nullable: pass names */
  char **disable; /* nullable: pass names */
  char **set;     /* nullable: "Pass.option=value" */

  /* Texts that GOption stores, and the option entries. */
  char *devices_text, *rank_text, *dtype_text, *format_text, *pipeline_text;
  GOptionEntry *entries;
} HirLoweringOptions;

/* Returns option entries that store into @options (owned by @options). The last entry has no
 * long_name. */
const GOptionEntry *hir_lowering_options_get_entries (HirLoweringOptions *options);

/* Checks the parsed options and converts their texts to numbers and enum values. @error:
 * HIR_ERROR_INPUT with the option and its value. */
gboolean
hir_lowering_options_check (HirLoweringOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Frees the contents of @options and resets them to zeros. */
void hir_lowering_options_clear (HirLoweringOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirLoweringOptions, hir_lowering_options_clear)

/* Parses @text, the value of @option, as an integer from @min to @max. @error: HIR_ERROR_INPUT with
 * @option and the range. */
gboolean hir_option_parse_int (const char *option,
                               const char *text,
                               gint64 min,
                               gint64 max,
                               gint64 *value,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the index of @text, the value of @option, in @choices (NULL-terminated). Otherwise
 * returns -1 and sets @error to HIR_ERROR_INPUT with all choices and the nearest one. */
int hir_option_parse_choice (const char *option,
                             const char *text,
                             const char *const *choices,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
