/* Tables that map equal values to one index, counted from 0 in the order of insertion. They return
 * FALSE if out of memory and never abort. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *bytes; /* all strings, NUL-terminated */
  gsize n_bytes, bytes_capacity;
  gsize *offsets;
  guint32 n, capacity;
  guint32 *slots; /* open addressing: index + 1; 0: free */
  guint32 n_slots;
} HirStringTable;

/* Looks up @text and adds it if it is new. Returns FALSE and leaves the table unchanged if out of
 * memory. A zeroed table is empty. */
gboolean hir_string_table_intern (HirStringTable *table, const char *text, guint32 *index);
/* Returns the string at @index, or "" if there is none. Valid until the next insertion. */
const char *hir_string_table_get (const HirStringTable *table, guint32 index);
/* Returns the allocated memory. */
gsize hir_string_table_get_size_bytes (const HirStringTable *table);
/* Frees the contents. */
void hir_string_table_clear (HirStringTable *table);

typedef struct
{
  guint64 *ids;
  guint32 n, capacity;
  guint32 *slots;
  guint32 n_slots;
} HirIdTable;

/* Like hir_string_table_intern(), but for an id. */
gboolean hir_id_table_intern (HirIdTable *table, guint64 id, guint32 *index);
/* Looks up @id. Returns FALSE if it is not in the table. */
gboolean hir_id_table_find (const HirIdTable *table, guint64 id, guint32 *index);
/* Frees the contents. */
void hir_id_table_clear (HirIdTable *table);

G_END_DECLS
