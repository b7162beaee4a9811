/* Breakpoints of a document: kept from run to run, and while its program is lowered again. */
#pragma once

#include "debug/state.h"
#include "program.h"

G_BEGIN_DECLS

/* HirDebugStateBreak*, owned. */
GPtrArray *hir_debug_breaks_new (void);
/* Adds one at @text, as `break` takes it; of the instruction @id, 0: of none that is known. */
void hir_debug_breaks_add (GPtrArray *breaks, const char *text, guint64 id, gboolean is_watch);
/* Replaced by those of a state. */
void hir_debug_breaks_take (GPtrArray *breaks, const HirDebugState *state);
/* The number of one at just instruction @id, without a condition; 0: none. */
guint hir_debug_breaks_find (GPtrArray *breaks, guint64 id);
/* FALSE: there is none of that number. */
gboolean hir_debug_breaks_remove (GPtrArray *breaks, guint number);
/* Their instructions, guint64: newly made. */
GArray *hir_debug_breaks_dup_ids (GPtrArray *breaks);
/* What @id is called in the host program of @program: its number, see hir_instruction_numbers(); 0: it is not there. */
guint hir_debug_breaks_get_number (HirProgram *program, guint64 id);
/* Numbers of instructions as they are in @program; what is no longer in it goes. Gives how many went. */
guint hir_debug_breaks_renumber (GPtrArray *breaks, HirProgram *program);

G_END_DECLS
