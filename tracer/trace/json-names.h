/* Names of the members of a JSON object, to find one that occurs twice. Only the first 64 are
 * compared. Inline, because loading does this for each member of each event. */
#pragma once

#include <string.h>

#include "trace/json-scan.h"

G_BEGIN_DECLS

#define HIR_JSON_MAX_NAMES 64

typedef struct
{
  guint64 hashes; /* set of the hashes so far */
  guint n;
  HirJsonText names[HIR_JSON_MAX_NAMES];
} HirJsonNames;

/* Starts without names; clearing the whole struct would take longer. */
static inline void
hir_json_names_init (HirJsonNames *names)
{
  names->hashes = names->n = 0;
}

/* Adds @name. Returns whether it occurred before. Names with different escapes differ. */
static inline gboolean
hir_json_names_add (HirJsonNames *names, const HirJsonText *name)
{
  guint64 bit;

  if (name->length == 0)
    return FALSE;
  /* With these factors, the names of a PyTorch event have different hashes. */
  bit = G_GUINT64_CONSTANT (1) << ((name->length * 13u + (guint8) name->at[0] * 25u +
                                    (guint8) name->at[name->length / 2] +
                                    (guint8) name->at[name->length - 1]) %
                                   64);
  if ((names->hashes & bit) != 0)
    for (guint i = 0; i < names->n; i++)
      if (names->names[i].length == name->length &&
          memcmp (names->names[i].at, name->at, name->length) == 0)
        return TRUE;
  names->hashes |= bit;
  if (names->n < HIR_JSON_MAX_NAMES)
    names->names[names->n++] = *name;
  return FALSE;
}

G_END_DECLS
