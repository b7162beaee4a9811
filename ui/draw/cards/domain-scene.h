/* Draws the domains of a tensor: rows of axes from root to allocation, with splits and merges
 * between them. Fits any width; rows wrap. Hits are indices of boxes. */
#pragma once

#include "draw/display-list.h"
#include "draw/theme.h"
#include "view/domain-tree.h"

G_BEGIN_DECLS

typedef struct
{
  const HirDomainTree *tree;
  const HirTheme *theme;
  HirMeasure *measure;
  double width;
  int current; /* hovered box, or -1 */
} HirDomainScene;

/* Returns the height in pixels of the rows and two lines of text. The theme and the hovered box may
 * be unset. */
double hir_domain_scene_get_height (const HirDomainScene *scene);
/* Draws the scene at (0, 0). */
void hir_domain_scene_draw (const HirDomainScene *scene, HirDisplayList *list);
/* Returns the box next to @current (-1: none) in the direction of an arrow key, or @current if
 * there is none. @dx and @dy are -1, 0 or 1. */
int hir_domain_scene_step (const HirDomainScene *scene, int current, int dx, int dy);
/* Returns a text such as "i15: 4, mesh_x" and the derivation of the axis, in at most two lines
 * (transfer full). */
char *hir_domain_scene_dup_text (const HirDomainScene *scene, int box);

G_END_DECLS
