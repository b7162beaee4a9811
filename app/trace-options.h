/* Options of all commands that read traces: how device work is classified. */
#pragma once

#include "command.h"
#include "trace/load/import.h"

G_BEGIN_DECLS

typedef struct
{
  char **comm_patterns, **copy_patterns; /* nullable */
  char *classify;                        /* nullable */
} HirTraceOptions;

#define HIR_TRACE_OPTIONS_N_ENTRIES 4

/* Fills @entries, which must have room for HIR_TRACE_OPTIONS_N_ENTRIES. They write to @options. */
void hir_trace_options_init_entries (HirTraceOptions *options, GOptionEntry *entries);
/* Creates the rules. NULL with HIR_ERROR_INPUT if an option is invalid; to be reported with exit
 * code 2. */
HirTraceRules *hir_trace_options_create_rules (const HirTraceOptions *options,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_trace_options_clear (HirTraceOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirTraceOptions, hir_trace_options_clear)

G_END_DECLS
