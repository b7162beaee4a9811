#include "trace/export/perfetto-args.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "trace/json-scan.h"

#define MAX_DEPTH 16 /* deeper values are JSON text */

void
hir_perfetto_texts_init (HirPerfettoTexts *texts)
{
  texts->ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  texts->fresh = g_ptr_array_new ();
}

void
hir_perfetto_texts_clear (HirPerfettoTexts *texts)
{
  g_hash_table_unref (texts->ids);
  g_ptr_array_unref (texts->fresh);
}

guint64
hir_perfetto_texts_intern (HirPerfettoTexts *texts, const char *text)
{
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (texts->ids, text));
  char *copy;

  if (id > 0)
    return id;
  copy = g_strdup (text);
  id = g_hash_table_size (texts->ids) + 1;
  g_hash_table_insert (texts->ids, copy, GUINT_TO_POINTER (id));
  g_ptr_array_add (texts->fresh, copy);
  return id;
}

void
hir_perfetto_args_init (HirPerfettoArgs *args)
{
  args->list = g_ptr_array_new ();
  args->owned = g_ptr_array_new_with_free_func (g_free);
}

void
hir_perfetto_args_reset (HirPerfettoArgs *args)
{
  g_ptr_array_set_size (args->list, 0);
  g_ptr_array_set_size (args->owned, 0);
}

void
hir_perfetto_args_clear (HirPerfettoArgs *args)
{
  g_ptr_array_unref (args->list);
  g_ptr_array_unref (args->owned);
}

static gpointer
own (HirPerfettoArgs *args, gpointer memory)
{
  g_ptr_array_add (args->owned, memory);
  return memory;
}

static HirPf__DebugAnnotation *
add_note (HirPerfettoArgs *args, GPtrArray *list)
{
  HirPf__DebugAnnotation *note = own (args, g_new (HirPf__DebugAnnotation, 1));

  hir_pf__debug_annotation__init (note);
  g_ptr_array_add (list, note);
  return note;
}

/* Sets @note to a number or word. Only an integer of 64 bits or a finite double is exact. */
static void
set_word (HirPerfettoArgs *args, HirPf__DebugAnnotation *note, char *text)
{
  char *end;
  double value;

  errno = 0;
  note->int_value = g_ascii_strtoll (text, &end, 10);
  note->has_int_value = end != text && *end == '\0' && errno == 0;
  if (note->has_int_value)
    return;
  errno = 0;
  note->uint_value = g_ascii_strtoull (text, &end, 10);
  note->has_uint_value = *text != '-' && end != text && *end == '\0' && errno == 0;
  if (note->has_uint_value)
    return;
  note->has_bool_value = strcmp (text, "true") == 0 || strcmp (text, "false") == 0;
  note->bool_value = *text == 't';
  if (note->has_bool_value)
    return;
  value = g_ascii_strtod (text, &end);
  note->has_double_value = strpbrk (text, ".eE") != NULL && *end == '\0' && isfinite (value);
  note->double_value = value;
  if (!note->has_double_value)
    note->legacy_json_value = text;
}

static void set_value (HirPerfettoArgs *args,
                       HirPerfettoTexts *names,
                       HirPf__DebugAnnotation *note,
                       HirJson *json,
                       guint depth);

/* Moves the notes of @list into @args. Sets @n to their number. */
static HirPf__DebugAnnotation **
take_list (HirPerfettoArgs *args, GPtrArray *list, size_t *n)
{
  *n = list->len;
  return own (args, g_ptr_array_free (list, FALSE));
}

static void
add_members (
    HirPerfettoArgs *args, HirPerfettoTexts *names, GPtrArray *list, HirJson *json, guint depth)
{
  gboolean first = TRUE;
  HirJsonText key;

  while (hir_json_next_member (json, &first, &key))
    {
      HirPf__DebugAnnotation *note = add_note (args, list);
      g_autofree char *name = hir_json_text_dup (&key);

      note->has_name_iid = TRUE;
      note->name_iid = hir_perfetto_texts_intern (names, name);
      set_value (args, names, note, json, depth);
    }
}

static void
set_list (HirPerfettoArgs *args,
          HirPerfettoTexts *names,
          HirPf__DebugAnnotation *note,
          HirJson *json,
          guint depth)
{
  GPtrArray *list = g_ptr_array_new ();
  gboolean first = TRUE;

  if (hir_json_peek (json) == HIR_JSON_OBJECT)
    {
      hir_json_enter (json);
      add_members (args, names, list, json, depth + 1);
      note->dict_entries = take_list (args, list, &note->n_dict_entries);
      return;
    }
  hir_json_enter (json);
  while (hir_json_next_element (json, &first))
    set_value (args, names, add_note (args, list), json, depth + 1);
  note->array_values = take_list (args, list, &note->n_array_values);
}

static gboolean
is_empty (const HirJson *json)
{
  HirJson ahead = *json;
  gboolean first = TRUE;
  HirJsonText key;

  if (hir_json_peek (&ahead) == HIR_JSON_OBJECT)
    return hir_json_enter (&ahead) && !hir_json_next_member (&ahead, &first, &key);
  return hir_json_enter (&ahead) && !hir_json_next_element (&ahead, &first);
}

static void
set_value (HirPerfettoArgs *args,
           HirPerfettoTexts *names,
           HirPf__DebugAnnotation *note,
           HirJson *json,
           guint depth)
{
  HirJsonKind kind = hir_json_peek (json);
  const char *from = json->at;

  if (kind == HIR_JSON_STRING)
    {
      note->string_value = own (args, hir_json_dup_value (json));
      return;
    }
  /* A list without elements would have no value. */
  if ((kind == HIR_JSON_OBJECT || kind == HIR_JSON_ARRAY) && depth < MAX_DEPTH && !is_empty (json))
    {
      set_list (args, names, note, json, depth);
      return;
    }
  if (!hir_json_skip (json))
    return;
  {
    char *text = own (args, g_strndup (from, (gsize) (json->at - from)));

    if (kind == HIR_JSON_NUMBER || kind == HIR_JSON_OTHER)
      set_word (args, note, text);
    else
      note->legacy_json_value = text;
  }
}

void
hir_perfetto_args_add (HirPerfettoArgs *args, HirPerfettoTexts *names, const char *json)
{
  HirJson scan;

  hir_json_init (&scan, json, strlen (json));
  if (hir_json_try_enter (&scan, HIR_JSON_OBJECT))
    add_members (args, names, args->list, &scan, 0);
}
