/* The verifier's state, shared by its files. */
#pragma once

#include "verify/verify.h"

G_BEGIN_DECLS

typedef struct
{
  HirContainer *container; /* the one that is being checked: a program, or the fusion of a unit */
  GError **error;
  GHashTable *tensors;    /* HirTensor* of the container */
  GHashTable *axes;       /* HirIterDomain* that have been checked */
  GHashTable *scalars;    /* HirScalar* that have been checked */
  GHashTable *axis_names; /* name + 1 -> HirIterDomain* */
  GHashTable *exprs;      /* HirExpr* met so far */
  GHashTable *expr_ids;   /* const gint64* -> HirExpr* */
} HirVerifier;

/* FALSE always, so that a check can end with it. @what names the node. */
gboolean
hir_verifier_fail (HirVerifier *v, const HirNode *node, const char *what, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* `T3`, `matmul 7`: the start of a message. Newly allocated. */
char *hir_verifier_name_val (const HirVal *val);
char *hir_verifier_name_expr (const HirExpr *expr);

/* TRUE where two values of a kind may have one number. */
gboolean hir_verifier_may_share_names (const HirVerifier *v);
/* Identity and origins of any node. */
gboolean hir_verifier_check_node (HirVerifier *v, const HirNode *node, const char *what);
/* A scalar and what it is computed from: owned, complete, not computed from itself. */
gboolean hir_verifier_check_scalar (HirVerifier *v,
                                    HirScalar *scalar,
                                    const HirNode *user,
                                    const char *what);
gboolean hir_verifier_check_tensor (HirVerifier *v, HirTensor *tensor);
/* Operand counts and kinds, attributes, ownership. */
gboolean hir_verifier_check_expr (HirVerifier *v, HirExpr *expr);

/* Order of definitions and uses. */
gboolean hir_verifier_check_fusion_order (HirVerifier *v);
gboolean hir_verifier_check_host_order (HirVerifier *v);

G_END_DECLS
