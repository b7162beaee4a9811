#include "trace/chrome-event.h"

#include <string.h>

static gboolean
read_text (HirJson *json, HirJsonText *text)
{
  if (hir_json_peek (json) == HIR_JSON_STRING)
    return hir_json_read_string (json, text);
  return hir_json_skip (json);
}

static void
read_id (HirJson *json, HirChromeId *id)
{
  const char *digits;

  id->is_number = FALSE;
  id->text.length = 0;
  if (hir_json_peek (json) != HIR_JSON_STRING)
    {
      id->is_number = hir_json_read_int (json, &id->number);
      return;
    }
  if (!hir_json_read_string (json, &id->text))
    return;
  /* "7" and 7 are one thread. */
  digits = id->text.at;
  if (id->text.length > 0 && id->text.length < 18 &&
      strspn (digits, "0123456789") >= id->text.length)
    {
      id->is_number = TRUE;
      id->number = g_ascii_strtoll (digits, NULL, 10);
    }
}

/* Keys of args that say something to us, by length and first letter, so that the others cost one
 * comparison. */
static void
read_arg (HirJson *json, HirJsonText key, HirChromeEvent *event)
{
  static const struct
  {
    const char *name;
    gsize offset;
    gboolean is_text;
  } known[] = {
#define NUMBER(name, field) { name, G_STRUCT_OFFSET (HirChromeEvent, field), FALSE }
#define TEXT(name, field)                                                                          \
  {                                                                                                \
    name, G_STRUCT_OFFSET (HirChromeEvent, field), TRUE                                            \
  }
    NUMBER ("correlation", correlation),
    NUMBER ("device", device),
    NUMBER ("stream", stream),
    NUMBER ("bytes", bytes),
    NUMBER ("In msg nelems", in_elements),
    NUMBER ("Out msg nelems", out_elements),
    NUMBER ("Group size", group_size),
    NUMBER ("Seq", sequence),
    NUMBER ("Root Rank", root),
    NUMBER ("Src Rank", sender),
    NUMBER ("Dst Rank", receiver),
    TEXT ("Collective name", collective),
    TEXT ("dtype", dtype),
    TEXT ("Process Group Name", group_name),
    TEXT ("Process Group Ranks", group_ranks),
    TEXT ("name", arg_name),
    TEXT ("kind", kind),
    TEXT ("phase", phase_name),
    TEXT ("instruction", instruction),
    NUMBER ("rank", rank),
    NUMBER ("iteration", iteration),
    NUMBER ("flops", flops),
#undef NUMBER
#undef TEXT
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (key.length > 0 && *key.at == *known[i].name && hir_json_text_is (&key, known[i].name))
      {
        gpointer field = G_STRUCT_MEMBER_P (event, known[i].offset);
        gint64 value;

        if (known[i].is_text)
          read_text (json, field);
        else if (hir_json_read_int (json, &value))
          *(gint64 *) field = value;
        return;
      }
  hir_json_skip (json);
}

static void
read_args (HirJson *json, HirChromeEvent *event)
{
  gboolean first = TRUE;
  HirJsonText key;

  if (hir_json_peek (json) != HIR_JSON_OBJECT)
    {
      hir_json_skip (json);
      return;
    }
  if (!hir_json_enter (json))
    return;
  while (hir_json_next_member (json, &first, &key))
    read_arg (json, key, event);
}

static void
read_member (HirJson *json, HirJsonText key, HirChromeEvent *event)
{
  HirJsonText text = { 0 };

  if (hir_json_text_is (&key, "ph"))
    {
      if (read_text (json, &text) && text.length == 1)
        event->phase = *text.at;
    }
  else if (hir_json_text_is (&key, "name"))
    read_text (json, &event->name);
  else if (hir_json_text_is (&key, "cat"))
    read_text (json, &event->category);
  else if (hir_json_text_is (&key, "ts"))
    event->has_start = hir_json_read_us (json, &event->start_ns);
  else if (hir_json_text_is (&key, "dur"))
    event->has_duration = hir_json_read_us (json, &event->duration_ns);
  else if (hir_json_text_is (&key, "pid"))
    read_id (json, &event->pid);
  else if (hir_json_text_is (&key, "tid"))
    read_id (json, &event->tid);
  else if (hir_json_text_is (&key, "id"))
    {
      read_id (json, &event->id);
      event->has_id = TRUE;
    }
  else if (hir_json_text_is (&key, "args"))
    read_args (json, event);
  else
    hir_json_skip (json);
}

/* Kineto's names of several years. */
static HirChromeClass
classify (const HirJsonText *category)
{
  static const struct
  {
    const char *category;
    HirChromeClass class;
  } known[] = {
    { "cpu_op", HIR_CHROME_HOST },          { "kernel", HIR_CHROME_KERNEL },
    { "cuda_runtime", HIR_CHROME_LAUNCH },  { "cuda_driver", HIR_CHROME_LAUNCH },
    { "python_function", HIR_CHROME_HOST }, { "gpu_memcpy", HIR_CHROME_MEMCPY },
    { "gpu_memset", HIR_CHROME_MEMSET },    { "gpu_user_annotation", HIR_CHROME_DEVICE_NOTE },
    { "cuda_sync", HIR_CHROME_SYNC },       { "overhead", HIR_CHROME_OVERHEAD },
    { "Kernel", HIR_CHROME_KERNEL },        { "Memcpy", HIR_CHROME_MEMCPY },
    { "Memset", HIR_CHROME_MEMSET },        { "Runtime", HIR_CHROME_LAUNCH },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (hir_json_text_is (category, known[i].category))
      return known[i].class;
  return HIR_CHROME_HOST;
}

gboolean
hir_chrome_event_read (HirJson *json, HirChromeEvent *event)
{
  gboolean first = TRUE;
  HirJsonText key;

  memset (event, 0, sizeof *event);
  event->correlation = event->device = event->stream = event->bytes = -1;
  event->rank = event->iteration = event->flops = -1;
  event->in_elements = event->out_elements = event->group_size = event->sequence = -1;
  event->root = event->sender = event->receiver = -1;
  if (hir_json_peek (json) != HIR_JSON_OBJECT)
    return hir_json_skip (json);
  if (!hir_json_enter (json))
    return FALSE;
  while (hir_json_next_member (json, &first, &key))
    read_member (json, key, event);
  event->class = classify (&event->category);
  return json->error == NULL;
}
