#include "cuda/cupti/cupti-labels.h"

#include <string.h>

#include "cuda/cupti/cupti-names.h"

typedef struct
{
  char *symbol;
  guint32 name;
} Kernel;

struct _HirCuptiLabels
{
  HirRecorder *recorder;
  GHashTable *by_address; /* const char* from CUPTI -> Kernel (borrowed) */
  GHashTable *by_symbol;  /* symbol -> Kernel */
  GHashTable *symbols;    /* short name -> symbol */
  GHashTable *joined;     /* label << 32 | kernel -> string */
  const Kernel *last;     /* last kernel looked up; nullable */
  guint64 last_joined;    /* key of the last join; 0 for none */
  guint32 last_text;
};

static void
kernel_free (gpointer data)
{
  Kernel *kernel = data;

  g_free (kernel->symbol);
  g_free (kernel);
}

HirCuptiLabels *
hir_cupti_labels_new (HirRecorder *recorder)
{
  HirCuptiLabels *self = g_new0 (HirCuptiLabels, 1);

  self->recorder = recorder;
  self->by_address = g_hash_table_new (NULL, NULL);
  self->by_symbol = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, kernel_free);
  self->symbols = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->joined = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return self;
}

void
hir_cupti_labels_free (HirCuptiLabels *self)
{
  g_hash_table_unref (self->by_address);
  g_hash_table_unref (self->by_symbol);
  g_hash_table_unref (self->symbols);
  g_hash_table_unref (self->joined);
  g_free (self);
}

/* Two symbols can have the same short name. Later ones get a number. */
static char *
dup_unique_name (HirCuptiLabels *self, const char *symbol)
{
  g_autofree char *name = hir_kernel_dup_short_name (symbol);
  char *unique = g_strdup (name);
  guint n = 1;

  while (g_hash_table_contains (self->symbols, unique))
    {
      g_free (unique);
      unique = g_strdup_printf ("%s #%u", name, ++n);
    }
  return unique;
}

static Kernel *
make_kernel (HirCuptiLabels *self, const char *symbol)
{
  g_autofree char *name = dup_unique_name (self, symbol);
  Kernel *kernel = g_new0 (Kernel, 1);

  kernel->symbol = g_strdup (symbol);
  kernel->name = hir_recorder_intern (self->recorder, name);
  g_hash_table_insert (self->by_symbol, kernel->symbol, kernel);
  if (strcmp (name, symbol) != 0)
    g_hash_table_insert (self->symbols, g_steal_pointer (&name), g_utf8_make_valid (symbol, -1));
  return kernel;
}

guint32
hir_cupti_labels_get_kernel (HirCuptiLabels *self, const char *symbol)
{
  Kernel *kernel;

  if (symbol == NULL)
    return hir_recorder_intern (self->recorder, "kernel");
  if (self->last != NULL && strcmp (self->last->symbol, symbol) == 0)
    return self->last->name;
  kernel = g_hash_table_lookup (self->by_address, symbol);
  /* Another module may have reused the address. */
  if (kernel != NULL && strcmp (kernel->symbol, symbol) == 0)
    {
      self->last = kernel;
      return kernel->name;
    }
  kernel = g_hash_table_lookup (self->by_symbol, symbol);
  if (kernel == NULL)
    kernel = make_kernel (self, symbol);
  g_hash_table_insert (self->by_address, (gpointer) symbol, kernel);
  return kernel->name;
}

guint32
hir_cupti_labels_join (HirCuptiLabels *self, guint32 label, guint32 kernel)
{
  guint64 key = (guint64) label << 32 | kernel;
  gpointer found;
  g_autofree char *text = NULL;
  guint32 joined;

  if (label == 0 || kernel == 0 || label == kernel)
    return label != 0 ? label : kernel;
  if (key == self->last_joined)
    return self->last_text;
  if (g_hash_table_lookup_extended (self->joined, &key, NULL, &found))
    {
      self->last_joined = key;
      self->last_text = GPOINTER_TO_UINT (found);
      return self->last_text;
    }
  text = g_strdup_printf ("%s (%s)", hir_recorder_get_string (self->recorder, label),
                          hir_recorder_get_string (self->recorder, kernel));
  joined = hir_recorder_intern (self->recorder, text);
  g_hash_table_insert (self->joined, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (joined));
  return joined;
}

GHashTable *
hir_cupti_labels_get_symbols (HirCuptiLabels *self)
{
  return self->symbols;
}
