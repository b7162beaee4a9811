/* Numbers of the random ops: a counter-based generator. */
#include "run/values/random.h"

#include <math.h>
#include <string.h>

#include "identity.h"

static double
get_number (const HirValue *scalar)
{
  return hir_dtype_is_floating_point (scalar->dtype) ? scalar->d : (double) scalar->i;
}

void
hir_random_init (HirRandom *random,
                 const HirExpr *expr,
                 const HirValue *const *scalars,
                 guint n_scalars)
{
  const HirTensor *out = HIR_TENSOR (expr->outputs[0]);
  const char *name = expr->u.opaque.name;
  gboolean is_like = g_str_has_suffix (name, "_like");
  guint at = is_like ? 0 : 2 + out->logical.n;

  *random =
      (HirRandom){ .is_normal = strcmp (name, "normal") == 0 || strcmp (name, "randn_like") == 0,
                   .b = 1,
                   .offset = expr->u.opaque.dim,
                   .dtype = out->base.dtype };
  if (!is_like && n_scalars >= 2)
    {
      random->a = get_number (scalars[0]);
      random->b = get_number (scalars[1]);
    }
  if (at < n_scalars)
    {
      random->seed = (guint64) scalars[at]->i;
      random->offset = at + 1 < n_scalars ? (guint64) scalars[at + 1]->i : 0;
    }
}

/* Returns a number in [0, 1) with the bits that the type can represent, so that rounding never
 * yields 1. */
static double
get_unit (const HirRandom *random, guint64 k)
{
  guint64 bits = hir_hash_mix (hir_hash_mix (hir_hash_mix (0, random->seed), random->offset), k);

  switch (random->dtype)
    {
    case HIR_DTYPE_DOUBLE:
      return (double) (bits >> 11) * 0x1p-53;
    case HIR_DTYPE_HALF:
      return (double) (bits >> 53) * 0x1p-11;
    case HIR_DTYPE_BFLOAT16:
      return (double) (bits >> 56) * 0x1p-8;
    default:
      return (double) (bits >> 40) * 0x1p-24;
    }
}

double
hir_random_get (const HirRandom *random, guint64 k)
{
  guint64 element = 0;
  double x;

  if (random->is_normal)
    {
      /* G. Box and M. Muller, "A Note on the Generation of Random Normal Deviates", 1958; with 53
       * bits in either factor. */
      HirRandom wide = *random;

      wide.dtype = HIR_DTYPE_DOUBLE;
      x = sqrt (-2 * log1p (-get_unit (&wide, 2 * k))) *
          cos (2 * G_PI * get_unit (&wide, 2 * k + 1));
      x = random->a + random->b * x;
    }
  else
    x = random->a + get_unit (random, k) * (random->b - random->a);
  hir_element_set_double (random->dtype, &element, x);
  return hir_element_get_double (random->dtype, &element);
}
