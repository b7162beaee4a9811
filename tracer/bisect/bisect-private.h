/* Internal declarations of the bisection of passes. */
#pragma once

#include "bisect/bisect.h"

G_BEGIN_DECLS

/* Returns a result without steps. */
HirBisect *hir_bisect_new_empty (void);

/* Returns the number of communications and messages of step @index. */
guint hir_bisect_count_communications (const HirProgram *program, guint index);
/* Returns TRUE if a step after @index has more communications, on several devices. */
gboolean hir_bisect_is_converted_later (const HirProgram *program, guint index);
/* Returns TRUE if step @index has a transfer between devices that ConvertOpToCommunication should
 * make a communication. */
gboolean hir_bisect_is_unconverted (const HirProgram *program, guint index);

G_END_DECLS
