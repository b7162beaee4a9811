/* The hash of values and Exprs; internal to structural-hash.c. Two ways to say "the same thing":
 * the place where it first appears in the program, or its id. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean by_id;
  GHashTable *numbers; /* pointer -> order of first appearance, from 1; unused by id */
  GHashTable *scalars; /* HirScalar* -> guint64*: computed ones, which share operands */
} HirHasher;

/* @by_id: nodes stand for themselves by id; else by what they are and when they first appeared. */
void hir_hasher_init (HirHasher *hasher, gboolean by_id);
void hir_hasher_clear (HirHasher *hasher);

/* What stands for @thing in a hash. *@is_new (nullable): it has not appeared before, so that what
 * it is must be hashed with it. Always TRUE by id. */
guint64 hir_hasher_token (HirHasher *hasher, gconstpointer thing, guint64 id, gboolean *is_new);

/* Of the tensor as an operand: by id the id alone, else with its content where it is new. */
guint64 hir_hasher_operand (HirHasher *hasher, HirVal *val);
/* Type, memory, mesh and domains. */
guint64 hir_hasher_tensor_content (HirHasher *hasher, const HirTensor *tensor);
/* Kind, operands and attributes; not what is nested. */
guint64 hir_hasher_expr_content (HirHasher *hasher, const HirExpr *expr);

G_END_DECLS
