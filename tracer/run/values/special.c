/* Special functions in double. */
#include "run/values/special.h"

#include <math.h>

/* Halley's method on erf (near the ends on erfc, which keeps the digits that 1 - erf loses),
 * starting from an elementary approximation with an error of 2e-3. Three iterations are enough; the
 * fourth is for the tails. @tail = 1 - |x| is a parameter so that it is exact. */
static double
inverse (double magnitude, double tail)
{
  const double a = 0.147;
  double log_term = log (tail * (1 + magnitude));
  double middle = 2 / (G_PI * a) + log_term / 2;
  double y = sqrt (sqrt (middle * middle - log_term / a) - middle);

  for (int i = 0; i < 4; i++)
    {
      double error = tail < 0.5 ? tail - erfc (y) : erf (y) - magnitude;
      double slope = 2 / sqrt (G_PI) * exp (-y * y);
      double step = slope > 0 ? error / slope : 0;
      /* Halley's correction: f''/f' is -2y. */
      y -= step / (1 + y * step);
    }
  return y;
}

double
hir_erfinv (double x)
{
  double magnitude = fabs (x);

  if (isnan (x) || magnitude > 1)
    return NAN;
  if (magnitude == 1)
    return copysign (INFINITY, x);
  if (magnitude < 1e-9)
    return x * (sqrt (G_PI) / 2);
  return copysign (inverse (magnitude, 1 - magnitude), x);
}

double
hir_erfcinv (double x)
{
  if (isnan (x) || x < 0 || x > 2)
    return NAN;
  if (x == 0 || x == 2)
    return x == 0 ? INFINITY : -INFINITY;
  if (x > 0.5)
    return hir_erfinv (1 - x);
  return inverse (1 - x, x);
}

double
hir_lgamma (double x)
{
  int sign;
  return lgamma_r (x, &sign);
}

double
hir_gelu (double x)
{
  return x * (0.5 * erfc (-x * G_SQRT2 / 2));
}
