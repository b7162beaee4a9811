/* Single elements: conversion and poison; text of values. */
#include <math.h>
#include <string.h>

#include "run/values/half.h"
#include "run/values/value.h"

#define LOAD(Type)                                                                                 \
  {                                                                                                \
    Type v;                                                                                        \
    memcpy (&v, element, sizeof v);                                                                \
    return v;                                                                                      \
  }
#define STORE(Type, v)                                                                             \
  {                                                                                                \
    Type stored = (Type) (v);                                                                      \
    memcpy (element, &stored, sizeof stored);                                                      \
    return;                                                                                        \
  }

static double
get_float (HirDType dtype, gconstpointer element)
{
  guint16 bits;

  switch (dtype)
    {
    case HIR_DTYPE_DOUBLE:
      LOAD (double)
    case HIR_DTYPE_FLOAT:
      LOAD (float)
    default:
      memcpy (&bits, element, sizeof bits);
      return dtype == HIR_DTYPE_HALF ? hir_half_to_float (bits) : hir_bfloat16_to_float (bits);
    }
}

gint64
hir_element_get_int (HirDType dtype, gconstpointer element)
{
  switch (dtype)
    {
    case HIR_DTYPE_BOOL:
      return *(const guint8 *) element != 0;
    case HIR_DTYPE_CHAR:
      LOAD (gint8)
    case HIR_DTYPE_BYTE:
      LOAD (guint8)
    case HIR_DTYPE_SHORT:
      LOAD (gint16)
    case HIR_DTYPE_UINT16:
      LOAD (guint16)
    case HIR_DTYPE_INT32:
      LOAD (gint32)
    case HIR_DTYPE_UINT32:
      LOAD (guint32)
    case HIR_DTYPE_INT:
    case HIR_DTYPE_INDEX:
    case HIR_DTYPE_UINT64:
      LOAD (gint64)
    default:
      return hir_dtype_saturate (HIR_DTYPE_INT, get_float (dtype, element));
    }
}

double
hir_element_get_double (HirDType dtype, gconstpointer element)
{
  if (hir_dtype_is_floating_point (dtype))
    return get_float (dtype, element);

  gint64 i = hir_element_get_int (dtype, element);
  return dtype == HIR_DTYPE_UINT64 ? (double) (guint64) i : (double) i;
}

gint64
hir_dtype_wrap (HirDType dtype, gint64 value)
{
  switch (dtype)
    {
    case HIR_DTYPE_BOOL:
      return value != 0;
    case HIR_DTYPE_CHAR:
      return (gint8) value;
    case HIR_DTYPE_BYTE:
      return (guint8) value;
    case HIR_DTYPE_SHORT:
      return (gint16) value;
    case HIR_DTYPE_UINT16:
      return (guint16) value;
    case HIR_DTYPE_INT32:
      return (gint32) value;
    case HIR_DTYPE_UINT32:
      return (guint32) value;
    default:
      return value;
    }
}

gint64
hir_dtype_saturate (HirDType dtype, double value)
{
  double low, high;

  switch (dtype)
    {
    case HIR_DTYPE_BOOL:
      return value != 0;
    case HIR_DTYPE_CHAR:
      low = G_MININT8, high = G_MAXINT8;
      break;
    case HIR_DTYPE_BYTE:
      low = 0, high = G_MAXUINT8;
      break;
    case HIR_DTYPE_SHORT:
      low = G_MININT16, high = G_MAXINT16;
      break;
    case HIR_DTYPE_UINT16:
      low = 0, high = G_MAXUINT16;
      break;
    case HIR_DTYPE_INT32:
      low = G_MININT32, high = G_MAXINT32;
      break;
    case HIR_DTYPE_UINT32:
      low = 0, high = G_MAXUINT32;
      break;
    case HIR_DTYPE_UINT64:
      if (value >= 0x1p64)
        return (gint64) G_MAXUINT64;
      return value > 0 ? (gint64) (guint64) value : 0;
    default:
      if (value >= 0x1p63)
        return G_MAXINT64;
      return value < -0x1p63 ? G_MININT64 : isnan (value) ? 0 : (gint64) value;
    }
  if (isnan (value))
    return 0;
  return (gint64) CLAMP (value, low, high);
}

void
hir_element_set_int (HirDType dtype, gpointer element, gint64 value)
{
  switch (dtype)
    {
    case HIR_DTYPE_BOOL:
      STORE (guint8, value != 0)
    case HIR_DTYPE_CHAR:
    case HIR_DTYPE_BYTE:
      STORE (guint8, value)
    case HIR_DTYPE_SHORT:
    case HIR_DTYPE_UINT16:
      STORE (guint16, value)
    case HIR_DTYPE_INT32:
    case HIR_DTYPE_UINT32:
      STORE (guint32, value)
    case HIR_DTYPE_INT:
    case HIR_DTYPE_INDEX:
    case HIR_DTYPE_UINT64:
      STORE (gint64, value)
    default:
      hir_element_set_double (dtype, element, (double) value);
    }
}

void
hir_element_set_double (HirDType dtype, gpointer element, double value)
{
  switch (dtype)
    {
    case HIR_DTYPE_DOUBLE:
      STORE (double, value)
    case HIR_DTYPE_FLOAT:
      STORE (float, value)
    case HIR_DTYPE_HALF:
      STORE (guint16, hir_half_from_float ((float) value))
    case HIR_DTYPE_BFLOAT16:
      STORE (guint16, hir_bfloat16_from_float ((float) value))
    default:
      hir_element_set_int (dtype, element, hir_dtype_saturate (dtype, value));
    }
}

void
hir_poison (HirDType dtype, gpointer data, gsize size_bytes)
{
  memset (data, hir_dtype_is_floating_point (dtype) ? 0xff : 0xa5, size_bytes);
}

static void
append_element (GString *text, HirDType dtype, gint64 i, double d)
{
  if (hir_dtype_is_floating_point (dtype))
    g_string_append_printf (text, "%.6g", d);
  else if (dtype == HIR_DTYPE_BOOL)
    g_string_append (text, i != 0 ? "true" : "false");
  else if (dtype == HIR_DTYPE_UINT64)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, (guint64) i);
  else
    g_string_append_printf (text, "%" G_GINT64_FORMAT, i);
}

char *
hir_value_describe (const HirValue *value)
{
  GString *text = g_string_new (NULL);

  if (value->is_scalar)
    append_element (text, value->dtype, value->i, value->d);
  else
    {
      g_string_append_printf (text, "%s[", hir_dtype_get_short_name (value->dtype));
      for (guint i = 0; i < value->n_dims; i++)
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", value->sizes[i]);
      g_string_append_c (text, ']');
    }
  return g_string_free (text, FALSE);
}
