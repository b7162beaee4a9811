/* A tour of the window in three steps, for new users. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Shows the first step over the window, unless the tour is already shown or there is no program. At
 * its end, or after Skip or Escape, the settings mark the tour as seen. */
void hir_tour_begin (HirWindow *window);

/* Like hir_tour_begin(), but does nothing if the tour was seen. */
void hir_tour_offer (HirWindow *window);

G_END_DECLS
