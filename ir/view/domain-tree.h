/* A tensor's domains as a picture needs them: rows of axes, from root to allocation, and the transforms
 * between them. Made from the facts of a snapshot (program-view.h), so that a tensor of a recording has
 * one too. Immutable once made. */
#pragma once

#include "view/program-view.h"

G_BEGIN_DECLS

/* One axis in one row; an axis that two domains share has a box in each. */
typedef struct
{
  char *text;     /* as printed: "ideviceIdx.x15{i2}" */
  char *name;     /* "i15"; the letter is the iteration type's (docs/host-ir.md#axes) */
  char *parallel; /* "deviceIdx.x", "StreamIdx"; "" where serial */
  char *extent;   /* "i2", "( ceilDiv(i0, 4) )" */
  char *made_by;  /* nullable: the transform, as printed */
  guint row;
  guint place; /* in the row */
} HirDomainBox;

typedef struct
{
  const char *title; /* "root", "logical", "loop", "allocation"; "" between two of them */
  guint first, n;    /* boxes */
} HirDomainRow;

typedef struct
{
  guint from, to;    /* boxes */
  char *label;       /* nullable: "split 4", on the first edge of a transform alone */
  gboolean is_same;  /* the axis itself, again */
} HirDomainEdge;

typedef struct
{
  GArray *rows;  /* HirDomainRow */
  GArray *boxes; /* HirDomainBox, row by row */
  GArray *edges; /* HirDomainEdge */
} HirDomainTree;

/* NULL where @tensor is none, or has no axes at all. */
HirDomainTree *hir_domain_tree_new (const HirNodeInfo *tensor);
void hir_domain_tree_free (HirDomainTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDomainTree, hir_domain_tree_free)

/* "DIDx", "Stream", "" for serial: short enough for a box. Static. */
const char *hir_domain_box_get_parallel_name (const HirDomainBox *box);

static inline const HirDomainBox *
hir_domain_tree_get_box (const HirDomainTree *tree, guint i)
{
  return &g_array_index (tree->boxes, HirDomainBox, i);
}
static inline const HirDomainRow *
hir_domain_tree_get_row (const HirDomainTree *tree, guint i)
{
  return &g_array_index (tree->rows, HirDomainRow, i);
}

/* The value of fact @name; NULL where there is none. Borrowed. */
const char *hir_node_info_get_fact (const HirNodeInfo *info, const char *name);

G_END_DECLS
