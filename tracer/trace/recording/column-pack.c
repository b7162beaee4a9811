#include "trace/recording/column-pack.h"

#include <string.h>

gsize
hir_column_pack (const guint64 *values, guint n, guint min_width, guint8 *blob)
{
  guint64 all = 0;
  guint width;

  for (guint i = 0; i < n; i++)
    all |= values[i];
  width = all == 0             ? min_width
          : all <= G_MAXUINT8  ? 1
          : all <= G_MAXUINT16 ? 2
          : all <= G_MAXUINT32 ? 4
                               : 8;
  for (guint i = 0; i < n && width > 0; i++)
    {
      guint64 value = GUINT64_TO_BE (values[i] << (64 - 8 * width));

      memcpy (blob + (gsize) i * width, &value, width);
    }
  return (gsize) n * width;
}

gboolean
hir_column_unpack (const guint8 *blob, gsize size, guint n, guint64 *values)
{
  gsize width = size / n;

  if (width * n != size || (width > 2 && width != 4 && width != 8))
    return FALSE;
  if (width == 0)
    memset (values, 0, (gsize) n * sizeof *values);
  for (guint i = 0; i < n && width > 0; i++)
    {
      guint64 value = 0;

      memcpy (&value, blob + (gsize) i * width, width);
      values[i] = GUINT64_FROM_BE (value) >> (64 - 8 * width);
    }
  return TRUE;
}
