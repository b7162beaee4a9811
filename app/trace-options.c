#include "trace-options.h"

#include <string.h>

#include "diagnostic.h"

void
hir_trace_options_init_entries (HirTraceOptions *options, GOptionEntry *entries)
{
  const GOptionEntry all[HIR_TRACE_OPTIONS_N_ENTRIES] = {
    { "comm-pattern", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->comm_patterns,
      "kernels whose names match are communication, in addition\nto the known ones (may be "
      "repeated)",
      "REGEX" },
    { "copy-pattern", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->copy_patterns,
      "kernels whose names match are copies (may be repeated)", "REGEX" },
    { "classify", 0, 0, G_OPTION_ARG_STRING, &options->classify,
      "hta: as HolisticTraceAnalysis does, only names that\ncontain nccl are communication",
      "HOW" },
    { NULL },
  };

  memcpy (entries, all, sizeof all);
}

HirTraceRules *
hir_trace_options_create_rules (const HirTraceOptions *options, GError **error)
{
  if (options->classify != NULL && strcmp (options->classify, "hta") != 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--classify %s: the only other way to classify is hta", options->classify);
      return NULL;
    }
  return hir_trace_rules_new ((const char *const *) options->comm_patterns,
                              (const char *const *) options->copy_patterns,
                              options->classify != NULL, error);
}

void
hir_trace_options_clear (HirTraceOptions *options)
{
  g_strfreev (options->comm_patterns);
  g_strfreev (options->copy_patterns);
  g_free (options->classify);
}
