/* Complex numbers of the script. They are only constants of a fusion, so there is no division with
 * a remainder, and no order. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <math.h>
#include <string.h>

HirPyValue
hir_py_complex (HirPy *py, double re, double im)
{
  HirPyComplex *z = hir_py_new (py, HirPyComplex);

  *z = (HirPyComplex){ re, im };
  return (HirPyValue){ .type = HIR_PY_COMPLEX, .z = z };
}

static HirPyValue
power (HirPy *py, HirPyComplex a, HirPyComplex b)
{
  double size = hypot (a.re, a.im), angle = atan2 (a.im, a.re), scale;

  if (size == 0)
    return b.re == 0 && b.im == 0 ? hir_py_complex (py, 1, 0)
           : (b.im != 0 || b.re < 0)
               ? hir_py_raise (py, "ZeroDivisionError",
                               "0 cannot be raised to a negative or complex power")
               : hir_py_complex (py, 0, 0);
  scale = pow (size, b.re) * exp (-b.im * angle);
  angle = b.re * angle + b.im * log (size);
  return hir_py_complex (py, scale * cos (angle), scale * sin (angle));
}

HirPyValue
hir_py_complex_binary (HirPy *py, guint op, HirPyValue left, HirPyValue right)
{
  HirPyComplex a = { 0 }, b = { 0 };
  double size;

  if (hir_py_get_complex (left, &a) && hir_py_get_complex (right, &b))
    switch (op)
      {
      case HIR_TOKEN_PLUS:
        return hir_py_complex (py, a.re + b.re, a.im + b.im);
      case HIR_TOKEN_MINUS:
        return hir_py_complex (py, a.re - b.re, a.im - b.im);
      case HIR_TOKEN_STAR:
        return hir_py_complex (py, a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
      case HIR_TOKEN_SLASH:
        size = b.re * b.re + b.im * b.im;
        if (size == 0)
          return hir_py_raise (py, "ZeroDivisionError", "division by zero");
        return hir_py_complex (py, (a.re * b.re + a.im * b.im) / size,
                               (a.im * b.re - a.re * b.im) / size);
      case HIR_TOKEN_DOUBLE_STAR:
        return power (py, a, b);
      default:
        break;
      }
  return hir_py_raise (py, "TypeError", "'%s' does not work between %s and %s",
                       hir_token_kind_get_text (op), hir_py_type_name (left),
                       hir_py_type_name (right));
}

/* `real`, `imag` and `conjugate` of any number. Returns FALSE for another name. */
gboolean
hir_py_complex_get (HirPy *py, HirPyValue number, const char *name, HirPyValue *value)
{
  HirPyComplex z;
  gboolean is_complex = number.type == HIR_PY_COMPLEX;

  if (!hir_py_get_complex (number, &z))
    return FALSE;
  if (strcmp (name, "real") == 0)
    *value = is_complex ? hir_py_float (z.re) : number;
  else if (strcmp (name, "imag") == 0)
    *value = is_complex || number.type == HIR_PY_FLOAT ? hir_py_float (z.im) : hir_py_int (0);
  else if (strcmp (name, "conjugate") == 0)
    *value = hir_py_bound (py, HIR_PY_BOUND, hir_py_complex (py, z.re, z.im), name);
  else
    return FALSE;
  return TRUE;
}
