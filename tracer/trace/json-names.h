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
  gboolean is_twice = FALSE;
  guint64 bit;

  if (name->length == 0)
    return FALSE;
  bit = G_GUINT64_CONSTANT (1) << ((name->length * 11u + (guint8) name->at[0] * 5u +
                                    (guint8) name->at[name->length - 1] +
                                    (guint8) name->at[name->length / 2] * 3u) %
                                   64);
  for (guint i = 0; (names->hashes & bit) != 0 && i < names->n; i++)
    is_twice = is_twice || (names->names[i].length == name->length &&
                            memcmp (names->names[i].at, name->at, name->length) == 0);
  names->hashes |= bit;
  if (names->n < HIR_JSON_MAX_NAMES)
    names->names[names->n++] = *name;
  return is_twice;
}

G_END_DECLS
