/* Tables that give equal values one small number. They allocate so that too much data is a FALSE,
 * never an abort. Numbers count from 0 in order of first sight. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *bytes; /* all texts, each with its NUL */
  gsize n_bytes, bytes_capacity;
  gsize *offsets;
  guint32 n, capacity;
  guint32 *slots; /* open addressing: number + 1, 0 is free */
  guint32 n_slots;
} HirStringTable;

/* FALSE where memory can't be had; the table is then as before. A zeroed table is empty. */
gboolean hir_string_table_intern (HirStringTable *table, const char *text, guint32 *index);
/* "" where @index is unknown. Valid until the next intern. */
const char *hir_string_table_get (const HirStringTable *table, guint32 index);
gsize hir_string_table_get_size_bytes (const HirStringTable *table);
void hir_string_table_clear (HirStringTable *table);

typedef struct
{
  guint64 *ids;
  guint32 n, capacity;
  guint32 *slots;
  guint32 n_slots;
} HirIdTable;

/* As hir_string_table_intern(). */
gboolean hir_id_table_intern (HirIdTable *table, guint64 id, guint32 *index);
/* FALSE where @id is not in the table. */
gboolean hir_id_table_find (const HirIdTable *table, guint64 id, guint32 *index);
void hir_id_table_clear (HirIdTable *table);

G_END_DECLS
