/* How ids are made: a 64-bit hash of who made the node, of what kind it is, what it was made from, and
 * an ordinal among those. Equal inputs give equal ids in every process and on every rank; nothing of a
 * memory address, a name or a line number goes in. */
#pragma once

#include "val.h"

G_BEGIN_DECLS

/* The maker that new nodes of a container are stamped with. Part of HirContainer. */
typedef struct
{
  guint64 maker;          /* hash of the pass name, or of "script", function and call path */
  const guint64 *origins; /* borrowed while set */
  guint n_origins;
  HirPos pos;
  GHashTable *ordinals; /* (maker, kind, origins) hash -> next ordinal; owned */
} HirMaker;

/* 64-bit mixing of a running hash with one more word, with a text. Stable for ever: ids are stored in
 * recordings. */
guint64 hir_hash_mix (guint64 hash, guint64 word);
guint64 hir_hash_text (guint64 hash, const char *text);
/* For g_hash_table_new(), beside g_int64_equal(): of a guint64 that is made of two numbers. g_int64_hash() is the lower half
 * alone, so that all ranks with the same correlation, or all devices of one number, would be in one chain. */
guint hir_word_hash (gconstpointer word);

/* Names the maker of the nodes that follow: a pass ("StreamParallelType"), or the script reader with
 * the hash of function and call path in @salt. Clears origins and position. */
void hir_maker_begin (HirContainer *container, const char *name, guint64 salt);
/* What the nodes that follow are made from, until the next call; copied into the arena. The position
 * is that of the first origin unless hir_maker_set_pos() says otherwise. */
void hir_maker_set_origins (HirContainer *container, const HirNode *const *origins, guint n_origins);
void hir_maker_set_origin (HirContainer *container, const HirNode *origin);
void hir_maker_set_pos (HirContainer *container, HirPos pos);
/* Fills @node for a new node. @kind tells nodes of different kinds apart ("tensor", "expr.matmul"). */
void hir_maker_stamp (HirContainer *container, HirNode *node, const char *kind);

/* 16 lower-case hex digits and a NUL. */
void hir_id_to_hex (guint64 id, char hex[17]);
/* FALSE unless @hex is exactly 16 hex digits. */
gboolean hir_id_from_hex (const char *hex, guint64 *id);

G_END_DECLS
