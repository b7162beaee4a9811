/* Numbers of the random ops. Each element depends on seed, offset and position only, so that a
 * program computes the same numbers on every machine and in any order of its ops. */
#pragma once

#include "expr.h"
#include "run/values/value.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_normal;
  double a, b; /* minimum and maximum, or mean and standard deviation */
  guint64 seed, offset;
  HirDType dtype;
} HirRandom;

/* Sets @random from the Expr of a random op and its scalar operands: uniform and normal have two
 * numbers, the sizes, and optionally seed and offset; rand_like and randn_like have a tensor in
 * place of numbers and sizes. Without a seed, seed is 0 and offset is the number of the op in its
 * fusion.
 * @scalars: the scalar operands in order. */
void hir_random_init (HirRandom *random,
                      const HirExpr *expr,
                      const HirValue *const *scalars,
                      guint n_scalars);
/* Returns element @k of the result in row-major order, rounded to the type. */
double hir_random_get (const HirRandom *random, guint64 k);

G_END_DECLS
