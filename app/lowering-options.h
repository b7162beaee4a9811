/* The options that say how a source is read and lowered: the same for every verb that lowers, and
 * for the window. */
#pragma once

#include <glib.h>

#include "command.h"
#include "dtype.h"
#include "print/print.h"

G_BEGIN_DECLS

/* As typed, then checked by hir_lowering_options_check(). Zero-initialise; clear with
 * hir_lowering_options_clear(). */
typedef struct
{
  gint64 n_devices; /* -1: not given */
  gint64 rank;      /* -1: not given */
  HirDType dtype;   /* HIR_DTYPE_NULL: as the script says */
  HirFormat format;
  gboolean format_given;
  char **args;    /* nullable: "name=value" */
  char **inputs;  /* nullable: "4x8", in input order */
  char **enable;  /* nullable: pass names */
  char **disable; /* nullable: pass names */
  char **set;     /* nullable: "Pass.option=value" */

  /* What GOption writes to. */
  char *devices_text, *rank_text, *dtype_text, *format_text;
  GOptionEntry *entries;
} HirLoweringOptions;

/* The entries that fill @options, ended by a NULL long_name; owned by @options. */
const GOptionEntry *hir_lowering_options_get_entries (HirLoweringOptions *options);

/* Once parsed: reads the numbers and names. Errors: HIR_ERROR_INPUT, naming option and value. */
gboolean
hir_lowering_options_check (HirLoweringOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_lowering_options_clear (HirLoweringOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirLoweringOptions, hir_lowering_options_clear)

/* A whole number of @text within @min..@max. Errors: HIR_ERROR_INPUT, naming @option. For other
 * verbs' numbers too. */
gboolean hir_option_parse_int (const char *option,
                               const char *text,
                               gint64 min,
                               gint64 max,
                               gint64 *value,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Position of @text in @choices (NULL-terminated), or -1 and an error that lists them and offers
 * the nearest. */
int hir_option_parse_choice (const char *option,
                             const char *text,
                             const char *const *choices,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
