/* Conversion of half and bfloat16 bits to and from float: round to nearest, ties to even; NaN stays
 * NaN. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

static inline float
hir_float_from_bits (guint32 bits)
{
  float value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static inline guint32
hir_float_to_bits (float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static inline float
hir_bfloat16_to_float (guint16 bits)
{
  return hir_float_from_bits ((guint32) bits << 16);
}

static inline guint16
hir_bfloat16_from_float (float value)
{
  guint32 bits = hir_float_to_bits (value);
  /* A NaN with payload only in the low half would round to infinity: set its quiet bit. */
  guint32 nan = (bits >> 16) | 0x40;
  guint32 rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return (guint16) ((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

static inline float
hir_half_to_float (guint16 half)
{
  guint32 sign = (guint32) (half & 0x8000) << 16;
  guint32 magnitude = half & 0x7fff;
  /* Place exponent and mantissa as in a float, then scale by 2^112: exact, including subnormals. */
  float scaled = hir_float_from_bits (magnitude << 13) * 0x1p112f;
  guint32 bits = magnitude >= 0x7c00 ? (magnitude << 13) | 0x7f800000 : hir_float_to_bits (scaled);
  return hir_float_from_bits (bits | sign);
}

static inline guint16
hir_half_from_float (float value)
{
  guint32 bits = hir_float_to_bits (value);
  guint32 sign = (bits >> 16) & 0x8000;
  guint32 magnitude = bits & 0x7fffffff;
  guint32 result;

  if (magnitude > 0x7f800000)
    result = 0x7e00; /* NaN */
  else if (magnitude >= 0x477ff000)
    result = 0x7c00; /* 65520 and above round to infinity */
  else if (magnitude < 0x38800000)
    /* Below 2^-14, adding 0.5 rounds to a multiple of 2^-24. */
    result = hir_float_to_bits (hir_float_from_bits (magnitude) + 0.5f) - 0x3f000000;
  else
    result = (magnitude + 0xfff + ((magnitude >> 13) & 1) - 0x38000000) >> 13;
  return (guint16) (sign | result);
}

G_END_DECLS
