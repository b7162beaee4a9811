/* The picture of a tensor's domains: rows of axes from root to allocation, splits and merges between them.
 * Fits any width: rows wrap. Hits are numbers of boxes. */
#pragma once

#include "view/domain-tree.h"
#include "draw/display-list.h"
#include "draw/theme.h"

G_BEGIN_DECLS

typedef struct
{
  const HirDomainTree *tree;
  const HirTheme *theme;
  HirMeasure *measure;
  double width;
  int current; /* a box that is pointed at, or -1 */
} HirDomainScene;

/* In pixels, of all of it: rows, and two lines of text. Theme and current may be unset. */
double hir_domain_scene_get_height (const HirDomainScene *scene);
/* From (0, 0) downwards. */
void hir_domain_scene_draw (const HirDomainScene *scene, HirDisplayList *list);
/* The box beside @current (-1: none) in the direction of an arrow key, @dx and @dy of -1, 0, 1; @current where
 * there is none. */
int hir_domain_scene_step (const HirDomainScene *scene, int current, int dx, int dy);
/* "i15: 4, DIDx" and how it was made: two lines at most. Newly allocated. */
char *hir_domain_scene_dup_text (const HirDomainScene *scene, int box);

G_END_DECLS
