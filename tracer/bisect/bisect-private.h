/* Internal declarations of the bisection of passes. */
#pragma once

#include "bisect/bisect.h"

G_BEGIN_DECLS

/* Returns a result without steps. */
HirBisect *hir_bisect_new_empty (void);

G_END_DECLS
