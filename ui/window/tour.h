/* Three steps through the window, for who sees it the first time. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Shows the first step over the window, unless one is on show. It ends with the last step, with Skip or Escape; then it is remembered as
 * seen. Nothing while the window has no program. */
void hir_tour_begin (HirWindow *window);
/* The same, where it was never seen. */
void hir_tour_offer (HirWindow *window);

G_END_DECLS
