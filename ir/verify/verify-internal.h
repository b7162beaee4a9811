/* Internal declarations of the verifier. */
#pragma once

#include "verify/verify.h"

G_BEGIN_DECLS

typedef struct
{
  HirContainer *container; /* the container that is checked: a program, or the fusion of a unit */
  GError **error;
  GHashTable *tensors;    /* HirTensor* of the container */
  GHashTable *axes;       /* HirIterDomain* checked so far */
  GHashTable *scalars;    /* HirScalar* checked so far */
  GHashTable *axis_names; /* name + 1 -> HirIterDomain* */
  GHashTable *exprs;      /* HirExpr* found so far */
  GHashTable *expr_ids;   /* const gint64* -> HirExpr* */
} HirVerifier;

/* Sets the error "@what: message" with the position of @node (nullable). Always returns FALSE, so
 * that a check can return the result. */
gboolean
hir_verifier_fail (HirVerifier *v, const HirNode *node, const char *what, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* Returns the start of a message: `T3`. Newly allocated. */
char *hir_verifier_name_val (const HirVal *val);
/* Returns the start of a message: `matmul 7`. Newly allocated. */
char *hir_verifier_name_expr (const HirExpr *expr);

/* Returns TRUE if two values of a kind may have the same number. */
gboolean hir_verifier_may_share_names (const HirVerifier *v);
/* Checks identity and origins of a node. */
gboolean hir_verifier_check_node (HirVerifier *v, const HirNode *node, const char *what);
/* Checks a scalar and its operands: owned by the container, complete, not computed from itself. */
gboolean hir_verifier_check_scalar (HirVerifier *v,
                                    HirScalar *scalar,
                                    const HirNode *user,
                                    const char *what);
/* Checks the domains of a tensor. */
gboolean hir_verifier_check_tensor (HirVerifier *v, HirTensor *tensor);
/* Checks operand counts and kinds, attributes and ownership. */
gboolean hir_verifier_check_expr (HirVerifier *v, HirExpr *expr);

/* Checks that every value of a fusion is defined once and without cycles. */
gboolean hir_verifier_check_fusion_order (HirVerifier *v);
/* Checks that a host program uses nothing before it exists. */
gboolean hir_verifier_check_host_order (HirVerifier *v);

G_END_DECLS
