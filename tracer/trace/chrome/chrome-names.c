#include "trace/chrome/chrome-names.h"

#include <string.h>

typedef struct
{
  const char *at; /* NULL if the slot is free */
  guint32 length;
  guint32 hash;
  guint32 index;
} Slot;

/* Longer names are truncated. */
#define MAX_NAME_BYTES 65536
#define PAGE_BYTES (256 * 1024)

/* Copies of the names, because the text that contained them is freed. */
typedef struct _Page Page;
struct _Page
{
  Page *next;
  gsize used, size;
  char bytes[];
};

struct _HirChromeNames
{
  Page *pages; /* the page with free space is first */
  guint64 n_cut;
  HirTraceBuilder *builder;
  Slot *slots;
  guint n_slots; /* a power of two */
  guint n;
};

HirChromeNames *
hir_chrome_names_new (HirTraceBuilder *builder)
{
  HirChromeNames *names = g_new0 (HirChromeNames, 1);

  names->builder = builder;
  names->n_slots = 1024;
  names->slots = g_try_new0 (Slot, names->n_slots);
  if (names->slots != NULL)
    return names;
  g_free (names);
  return NULL;
}

void
hir_chrome_names_free (HirChromeNames *names)
{
  if (names == NULL)
    return;
  while (names->pages != NULL)
    {
      Page *page = names->pages;

      names->pages = page->next;
      g_free (page);
    }
  g_free (names->slots);
  g_free (names);
}

guint64
hir_chrome_names_get_n_cut (const HirChromeNames *names)
{
  return names->n_cut;
}

/* Returns a copy of the text, or NULL if memory is short. */
static const char *
keep_bytes (HirChromeNames *names, const HirJsonText *text)
{
  Page *page = names->pages;

  if (page == NULL || page->size - page->used < text->length)
    {
      gsize size = MAX (PAGE_BYTES, text->length);

      page = g_try_malloc (sizeof *page + size);
      if (page == NULL)
        return NULL;
      *page = (Page){ names->pages, 0, size };
      names->pages = page;
    }
  page->used += text->length;
  return memcpy (page->bytes + page->used - text->length, text->at, text->length);
}

/* Hashes eight bytes per step, because kernel names are long. */
static guint32
hash_bytes (const char *at, gsize length)
{
  guint64 hash = length * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  for (; length >= 8; at += 8, length -= 8)
    {
      guint64 word;

      memcpy (&word, at, 8);
      hash = (hash ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
      hash ^= hash >> 32;
    }
  for (; length > 0; at++, length--)
    hash = (hash ^ (guint8) *at) * G_GUINT64_CONSTANT (0x100000001b3);
  return (guint32) (hash ^ hash >> 32);
}

static Slot *
find (Slot *slots, guint n_slots, const char *at, gsize length, guint32 hash)
{
  for (guint i = hash & (n_slots - 1);; i = (i + 1) & (n_slots - 1))
    {
      Slot *slot = &slots[i];

      if (slot->at == NULL ||
          (slot->hash == hash && slot->length == length && memcmp (slot->at, at, length) == 0))
        return slot;
    }
}

/* If memory is short, the table stays as it is. */
static void
grow (HirChromeNames *names)
{
  guint n_slots = names->n_slots * 2;
  Slot *slots = g_try_new0 (Slot, n_slots);

  if (slots == NULL)
    return;
  for (guint i = 0; i < names->n_slots; i++)
    {
      Slot *old = &names->slots[i];

      if (old->at != NULL)
        *find (slots, n_slots, old->at, old->length, old->hash) = *old;
    }
  g_free (names->slots);
  names->slots = slots;
  names->n_slots = n_slots;
}

static Slot
intern_new (HirChromeNames *names, const HirJsonText *text, guint32 hash)
{
  g_autofree char *plain = hir_json_text_dup (text);

  return (Slot){
    .at = text->at,
    .length = (guint32) text->length,
    .hash = hash,
    .index = hir_trace_builder_intern (names->builder, plain),
  };
}

static Slot
lookup (HirChromeNames *names, const HirJsonText *whole)
{
  HirJsonText cut = *whole, *text = &cut;
  guint32 hash;
  Slot *slot;

  if (cut.length > MAX_NAME_BYTES)
    {
      cut.length = MAX_NAME_BYTES;
      names->n_cut++;
    }
  hash = hash_bytes (text->at, text->length);

  if (names->n >= names->n_slots / 2)
    grow (names);
  slot = find (names->slots, names->n_slots, text->at, text->length, hash);
  if (slot->at != NULL)
    return *slot;
  /* A search ends only at a free slot. */
  if (names->n + 1 >= names->n_slots)
    return intern_new (names, text, hash);
  cut.at = keep_bytes (names, text);
  if (cut.at == NULL)
    return intern_new (names, &(HirJsonText){ whole->at, cut.length, cut.escaped }, hash);
  *slot = intern_new (names, text, hash);
  names->n++;
  return *slot;
}

guint32
hir_chrome_names_intern (HirChromeNames *names, const HirJsonText *text)
{
  return text->length == 0 ? 0 : lookup (names, text).index;
}
