/* What the command palette offers: actions, passes, nodes, examples, recent files. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Returns the accelerators of @action separated by "|", or NULL if there is no such action. */
typedef const char *(*HirGetKeysFunc) (const char *action);

typedef struct
{
  const char *kind; /* "Action", "Pass", "Tensor", "Instruction", "Example", "Recent file" */
  char *title;      /* what is matched */
  char *detail;     /* nullable: keys, a folder */
  char *action;     /* nullable: detailed name of an action of the window */
  char *spec;       /* nullable: to be opened */
  int step;         /* of passes and nodes, else -1 */
  guint64 node;     /* 0: none */
} HirPaletteItem;

/* Array of HirPaletteItem*, freed with its contents. Every action of the window that takes no parameter is there, those that this file
 * has no title for by their names. */
GPtrArray *hir_palette_items_new (HirWindow *window, HirGetKeysFunc get_keys);
void hir_palette_item_activate (const HirPaletteItem *item, HirWindow *window);

G_END_DECLS
