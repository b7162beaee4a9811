/* Rules that classify device work by its name: communication, copies, fills, and kernels that
 * compute and communicate at once. docs/traces.md#classification lists them. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirTraceRules HirTraceRules;

/* Creates rules: the built-in ones after those of the user, so that these win.
 * @comm_patterns, @copy_patterns: (nullable): regular expressions (PCRE), matched anywhere in a
 *   name
 * @is_narrow: use HolisticTraceAnalysis' rules instead of the built-in ones: work is communication
 *   if and only if its name contains "nccl", and no event is left out
 *
 * Returns: (transfer full): NULL with HIR_ERROR_INPUT if a pattern is invalid */
HirTraceRules *hir_trace_rules_new (const char *const *comm_patterns,
                                    const char *const *copy_patterns,
                                    gboolean is_narrow,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirTraceRules *hir_trace_rules_ref (HirTraceRules *rules);
void hir_trace_rules_unref (HirTraceRules *rules);
gboolean hir_trace_rules_is_narrow (const HirTraceRules *rules);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTraceRules, hir_trace_rules_unref)

/* Sets the rules that finishing @builder applies to the work on streams (NULL: the built-in ones).
 * Without this call, events keep their kinds. Absorbed builders need no rules. */
void hir_trace_builder_set_rules (HirTraceBuilder *builder, HirTraceRules *rules);
/* Returns whether a kernel of this name computes and communicates at once, by the rules with which
 * the trace was finished. */
gboolean hir_trace_is_fused (const HirTrace *trace, guint32 name);

G_END_DECLS
