/* The items of the command palette: actions, passes, nodes, examples, recent files. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Returns the accelerators of @action separated by "|", or NULL if there is no such action. */
typedef const char *(*HirGetKeysFunc) (const char *action);

typedef struct
{
  const char *kind;  /* such as "Action", "Function" or "Recent file" */
  char *title;       /* text to match */
  const char *words; /* nullable: other words for an action, separated by spaces */
  char *detail;      /* nullable: keys or folder */
  char *action;      /* nullable: detailed name of an action of the window */
  char *spec;        /* nullable: what to open, see hir_window_open() */
  int step;          /* of a pass or node, or -1 */
  guint64 node;      /* of a node, or 0 */
} HirPaletteItem;

/* Returns all items: array of HirPaletteItem* (transfer full). Includes the actions of the window
 * without parameter that can do something now; actions without a title are listed by name. */
GPtrArray *hir_palette_items_new (HirWindow *window, HirGetKeysFunc get_keys);

/* Executes the action of @item, opens it or selects it. */
void hir_palette_item_activate (const HirPaletteItem *item, HirWindow *window);

G_END_DECLS
