/* Functions of the math module. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <math.h>
#include <string.h>

static gint64
gcd (gint64 a, gint64 b)
{
  while (b != 0)
    {
      gint64 rest = b == -1 ? 0 : a % b;

      a = b;
      b = rest;
    }
  return a;
}

static HirPyValue
to_whole (HirPy *py, const char *name, HirPyValue value)
{
  double d = hir_py_to_double (value);

  if (value.type != HIR_PY_FLOAT)
    return hir_py_int (value.i);
  d = strcmp (name, "ceil") == 0 ? ceil (d) : strcmp (name, "floor") == 0 ? floor (d) : trunc (d);
  if (!(fabs (d) < 9.2e18))
    return hir_py_raise (py, "OverflowError", "math.%s: this float fits no int of 64 bits", name);
  return hir_py_int ((gint64) d);
}

static HirPyValue
call_prod (HirPy *py, HirPyArgs *args)
{
  HirPyList *list = hir_py_to_list (py, hir_py_arg_required (py, args, 0, "iterable"), "math.prod");
  HirPyValue product = hir_py_int (1);

  hir_py_arg (py, args, G_MAXUINT, "start", &product);
  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    product = hir_py_binary (py, HIR_TOKEN_STAR, product, list->items[i]);
  return product;
}

static HirPyValue
call_ints (HirPy *py, const char *name, HirPyArgs *args)
{
  gint64 result = name[0] == 'l' ? 1 : 0;

  for (guint i = 0; i < args->n && py->signal == HIR_PY_GO; i++)
    {
      gint64 value = hir_py_to_int (py, args->items[i], name);

      if (name[0] == 'g')
        result = gcd (result, value);
      else if (value == 0)
        return hir_py_int (0);
      else if (py->signal == HIR_PY_GO &&
               __builtin_mul_overflow (result / gcd (result, value), value, &result))
        return hir_py_fail (py, HIR_ERROR_UNSUPPORTED, "math.lcm: a number is beyond 64 bits");
    }
  if (result == G_MININT64)
    return hir_py_fail (py, HIR_ERROR_UNSUPPORTED, "math.%s: a number is beyond 64 bits", name);
  return hir_py_int (ABS (result));
}

HirPyValue
hir_py_call_math (HirPy *py, const char *name, HirPyArgs *args)
{
  static const struct
  {
    const char *name;
    double (*function) (double);
  } functions[] = {
    { "sqrt", sqrt }, { "exp", exp }, { "log2", log2 }, { "log10", log10 }, { "sin", sin },
    { "cos", cos },   { "tan", tan }, { "fabs", fabs }, { "erf", erf },     { "tanh", tanh },
  };
  HirPyValue value = args->n > 0 ? args->items[0] : hir_py_none ();
  double d;

  for (guint i = 0; i < args->n; i++)
    if (hir_py_is_opaque (args->items[i]))
      return hir_py_opaque (py, NULL, "math.%s(%s)", name, args->items[i].opaque->path);
  if (strcmp (name, "prod") == 0)
    return call_prod (py, args);
  if (strcmp (name, "gcd") == 0 || strcmp (name, "lcm") == 0)
    return call_ints (py, name, args);
  if (!hir_py_is_number (value))
    return hir_py_raise (py, "TypeError", "math.%s takes a number", name);
  if (strcmp (name, "ceil") == 0 || strcmp (name, "floor") == 0 || strcmp (name, "trunc") == 0)
    return to_whole (py, name, value);
  d = hir_py_to_double (value);
  if (strcmp (name, "isnan") == 0 || strcmp (name, "isinf") == 0 || strcmp (name, "isfinite") == 0)
    return hir_py_bool (name[2] == 'n' ? isnan (d) : name[3] == 'n' ? isinf (d) : isfinite (d));
  if (strcmp (name, "isqrt") == 0 && value.type != HIR_PY_FLOAT && value.i >= 0 &&
      value.i < ((gint64) 1 << 52))
    return hir_py_int ((gint64) sqrt (d));
  if ((strcmp (name, "sqrt") == 0 && d < 0) || (g_str_has_prefix (name, "log") && d <= 0))
    return hir_py_raise (py, "ValueError", "math.%s of %g has no value", name, d);
  if (strcmp (name, "log") == 0)
    return hir_py_float (args->n > 1 && hir_py_is_number (args->items[1])
                             ? log (d) / log (hir_py_to_double (args->items[1]))
                             : log (d));
  if (strcmp (name, "pow") == 0 && args->n == 2 && hir_py_is_number (args->items[1]))
    return hir_py_float (pow (d, hir_py_to_double (args->items[1])));
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strcmp (functions[i].name, name) == 0)
      return hir_py_float (functions[i].function (d));
  return hir_py_fail (py, HIR_ERROR_UNSUPPORTED, "math.%s is not supported here", name);
}
