/* The command palette: a few letters find what can be done, a pass, a tensor, an example, a file. */
#pragma once

#include "window/palette-items.h"

G_BEGIN_DECLS

/* Over @window, for one choice. */
void hir_palette_present (HirWindow *window, HirGetKeysFunc get_keys);

G_END_DECLS
