/* The command palette: finds actions, passes, tensors, examples and files by a few letters. */
#pragma once

#include "window/palette-items.h"

G_BEGIN_DECLS

/* Shows the palette over @window until an item is chosen. */
void hir_palette_present (HirWindow *window, HirGetKeysFunc get_keys);

G_END_DECLS
