/* Node ids: a 64-bit hash of the maker of a node, its kind, its origins, and an ordinal among equal
 * ones. Equal inputs give equal ids in every process and on every rank. Addresses, names and line
 * numbers do not contribute. */
#pragma once

#include "val.h"

G_BEGIN_DECLS

/* Maker that new nodes of a container are stamped with. Part of HirContainer. */
typedef struct
{
  guint64 maker;          /* hash of the pass name, or of "script", function and call path */
  const guint64 *origins; /* borrowed while set */
  guint n_origins;
  HirPos pos;
  GHashTable *ordinals; /* hash of (maker, kind, origins) -> next ordinal; owned */
} HirMaker;

/* Mixes @word into a running hash. The result must never change, because recordings contain ids. */
guint64 hir_hash_mix (guint64 hash, guint64 word);
/* Mixes a text into a running hash; stable like hir_hash_mix(). */
guint64 hir_hash_text (guint64 hash, const char *text);
/* Hash function for tables with guint64 keys that combine two numbers; use with g_int64_equal().
 * g_int64_hash() uses only the lower half, so that all ranks with one correlation id, or all
 * devices with one number, would collide. */
guint hir_word_hash (gconstpointer word);

/* Sets the maker of the following nodes: a pass ("StreamParallelType"), or the script reader with
 * the hash of function and call path in @salt. Clears origins and position. */
void hir_maker_begin (HirContainer *container, const char *name, guint64 salt);
/* Sets the origins of the following nodes until the next call; copied into the arena. Sets the
 * position to that of the first origin that has one. */
void
hir_maker_set_origins (HirContainer *container, const HirNode *const *origins, guint n_origins);
/* Like hir_maker_set_origins(), with one origin. */
void hir_maker_set_origin (HirContainer *container, const HirNode *origin);
/* Sets the position of the following nodes. */
void hir_maker_set_pos (HirContainer *container, HirPos pos);
/* Fills @node for a new node. @kind distinguishes nodes of different kinds ("tensor",
 * "expr.matmul"). */
void hir_maker_stamp (HirContainer *container, HirNode *node, const char *kind);

/* Writes 16 lowercase hex digits and a NUL. */
void hir_id_to_hex (guint64 id, char hex[17]);
/* Returns FALSE unless @hex is exactly 16 hex digits. */
gboolean hir_id_from_hex (const char *hex, guint64 *id);

G_END_DECLS
