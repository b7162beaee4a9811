/* Hashes of values and Exprs; internal to structural-hash.c. A node is identified either by the
 * position of its first appearance in the program or by its id. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean by_id;
  GHashTable *numbers; /* pointer -> order of first appearance, from 1; unused if by_id */
  /* HirScalar* -> guint64*: hashes of computed scalars, which share operands */
  GHashTable *scalars;
} HirHasher;

/* @by_id: identify nodes by their ids; otherwise by their content and the order of first
 * appearance. */
void hir_hasher_init (HirHasher *hasher, gboolean by_id);
void hir_hasher_clear (HirHasher *hasher);

/* Returns the word that represents @thing in a hash. Sets *@is_new (nullable) to TRUE if @thing has
 * not appeared before, so that the caller must also hash its content; always TRUE if by_id. */
guint64 hir_hasher_token (HirHasher *hasher, gconstpointer thing, guint64 id, gboolean *is_new);

/* Hashes a tensor as an operand. If by_id: its id only; otherwise also its content at the first
 * appearance. */
guint64 hir_hasher_operand (HirHasher *hasher, HirVal *val);
/* Hashes type, memory, mesh and domains. */
guint64 hir_hasher_tensor_content (HirHasher *hasher, const HirTensor *tensor);
/* Hashes kind, operands and attributes, but not nested Exprs. */
guint64 hir_hasher_expr_content (HirHasher *hasher, const HirExpr *expr);

G_END_DECLS
