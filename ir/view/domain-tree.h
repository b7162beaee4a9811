/* Domains of a tensor, arranged for drawing: rows of axes from root to allocation, and the
 * transforms between them. Built from the facts of a snapshot (program-view.h), so that tensors of
 * recordings have a tree too. Immutable. */
#pragma once

#include "view/program-view.h"

G_BEGIN_DECLS

/* One axis in one row. An axis that two domains share has a box in each. */
typedef struct
{
  char *text;     /* as printed: "ideviceIdx.x15{i2}" */
  char *name;     /* "i15"; the letter is the iteration type (docs/host-ir.md#axes) */
  char *parallel; /* "deviceIdx.x", "StreamIdx"; "" if serial */
  char *extent;   /* "i2", "( ceilDiv(i0, 4) )" */
  char *made_by;  /* the transform, as printed (nullable) */
  guint row;
  guint place; /* position in the row */
} HirDomainBox;

typedef struct
{
  const char *title; /* "root", "logical", "loop", "allocation"; "" for a row between two domains */
  guint first, n;    /* range of boxes */
} HirDomainRow;

typedef struct
{
  guint from, to;   /* indices of boxes */
  char *label;      /* "split 4", only on the first edge of a transform (nullable) */
  gboolean is_same; /* both ends are the same axis */
} HirDomainEdge;

typedef struct
{
  GArray *rows;  /* HirDomainRow */
  GArray *boxes; /* HirDomainBox, row by row */
  GArray *edges; /* HirDomainEdge */
} HirDomainTree;

/* Returns NULL if @tensor is not a tensor or has no axes. */
HirDomainTree *hir_domain_tree_new (const HirNodeInfo *tensor);
void hir_domain_tree_free (HirDomainTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDomainTree, hir_domain_tree_free)

/* Returns "mesh_x", "Stream", or "" for serial: short enough for a box. */
const char *hir_domain_box_get_parallel_name (const HirDomainBox *box);

/* Returns box @i. */
static inline const HirDomainBox *
hir_domain_tree_get_box (const HirDomainTree *tree, guint i)
{
  return &g_array_index (tree->boxes, HirDomainBox, i);
}
/* Returns row @i. */
static inline const HirDomainRow *
hir_domain_tree_get_row (const HirDomainTree *tree, guint i)
{
  return &g_array_index (tree->rows, HirDomainRow, i);
}

/* Returns the value of fact @name (borrowed), or NULL. */
const char *hir_node_info_get_fact (const HirNodeInfo *info, const char *name);

G_END_DECLS
