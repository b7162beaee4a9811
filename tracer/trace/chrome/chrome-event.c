#include "trace/chrome/chrome-event.h"
#include "trace/event-names.h"
#include "trace/json-strict.h"

#include <string.h>

#define MAX_LIST 1048576 /* bytes of an array of ranks */
#define MANY_DIGITS 300

/* Reads a string, or the text of an array. */
static gboolean
read_text (HirJson *json, HirJsonText *text)
{
  HirJsonKind kind = hir_json_peek (json);
  const char *start = json->at;

  if (kind == HIR_JSON_STRING)
    return hir_json_read_string (json, text);
  if (!hir_json_skip (json))
    return FALSE;
  if (kind == HIR_JSON_ARRAY && json->at - start <= MAX_LIST)
    *text = (HirJsonText){ start, (guint32) (json->at - start), FALSE };
  return TRUE;
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
  /* "7" and 7 are the same thread. */
  digits = id->text.at;
  if (id->text.length > 0 && id->text.length < 18 &&
      strspn (digits, "0123456789") >= id->text.length)
    {
      id->is_number = TRUE;
      id->number = g_ascii_strtoll (digits, NULL, 10);
    }
}

/* Known keys of args, grouped by length, so that unknown keys cost little. */
typedef struct
{
  const char *name;
  guint16 offset;
  gboolean is_text;
} Known;

#define NUMBER(name, field)                                                                        \
  {                                                                                                \
    name, G_STRUCT_OFFSET (HirChromeEvent, field), FALSE                                           \
  }
#define TEXT(name, field)                                                                          \
  {                                                                                                \
    name, G_STRUCT_OFFSET (HirChromeEvent, field), TRUE                                            \
  }
#define MAX_COUNTER_ARGS 65536 /* bytes */
#define MAX_KEYS 5             /* number of keys of one length, plus a NULL */
static const Known known_args[][MAX_KEYS] = {
  [3] = { NUMBER ("Seq", sequence) },
  [4] = { TEXT ("name", arg_name), TEXT ("kind", kind), NUMBER ("rank", rank) },
  [5] = { NUMBER ("bytes", bytes), TEXT ("dtype", dtype), TEXT ("phase", phase_name),
          NUMBER ("flops", flops) },
  [6] = { NUMBER ("device", device), NUMBER ("stream", stream) },
  [8] = { NUMBER ("Src Rank", sender), NUMBER ("Dst Rank", receiver) },
  [9] = { NUMBER ("iteration", iteration), NUMBER ("Root Rank", root) },
  [10] = { NUMBER ("Group size", group_size) },
  [11] = { NUMBER ("correlation", correlation), TEXT ("instruction", instruction) },
  [13] = { NUMBER ("In msg nelems", in_elements) },
  [14] = { NUMBER ("Out msg nelems", out_elements), NUMBER ("correlation_id", correlation) },
  [15] = { TEXT ("Collective name", collective) },
  [18] = { TEXT ("Process Group Name", group_name), TEXT (HIR_CHROME_MESSAGES, messages) },
  [19] = { TEXT ("Process Group Ranks", group_ranks) },
};
#undef NUMBER
#undef TEXT

/* Numbers of keys: places in known_args, or one of these. */
enum
{
  ARG_OWN = G_N_ELEMENTS (known_args) * MAX_KEYS, /* HIR_EVENT_OWN_ARGS */
  ARG_OTHER,
};

static guint8
identify_arg (const HirJsonText *key)
{
  guint n = key->length;

  for (guint i = 0; n < G_N_ELEMENTS (known_args) && known_args[n][i].name != NULL; i++)
    if (memcmp (key->at, known_args[n][i].name, n) == 0)
      return (guint8) (n * MAX_KEYS + i);
  return hir_json_text_is (key, HIR_EVENT_OWN_ARGS) ? ARG_OWN : ARG_OTHER;
}

/* Skips a value and notes what exports repair: words that JSON does not have, and members of one
 * name. A list without letters and objects has neither. */
static void
skip_arg (HirJson *json, HirChromeEvent *event)
{
  HirJsonKind kind = hir_json_peek (json);
  const char *from = json->at;
  gsize n;

  if (!hir_json_skip (json))
    return;
  n = (gsize) (json->at - from);
  /* Only signs and letters start such a word, in numbers of other programs. Numbers that a double
   * cannot hold have an exponent, or hundreds of digits. */
  if (kind == HIR_JSON_OTHER ||
      (kind == HIR_JSON_NUMBER && (*from == '-' || n > MANY_DIGITS || json->has_word)))
    event->is_invalid = event->is_invalid || !hir_json_is_strict_word (from, n);
  else if (kind == HIR_JSON_OBJECT ||
           (kind == HIR_JSON_ARRAY && (json->has_word || memchr (from, '{', n) != NULL)))
    hir_json_check_strict (from, n, &event->is_invalid, &event->has_twice);
}

static void
read_arg (HirJson *json, guint arg, HirChromeEvent *event)
{
  const Known *known;
  gpointer field;
  gint64 value;

  if (arg >= ARG_OWN)
    {
      skip_arg (json, event);
      return;
    }
  known = &known_args[arg / MAX_KEYS][arg % MAX_KEYS];
  field = G_STRUCT_MEMBER_P (event, known->offset);
  if (known->is_text)
    read_text (json, field);
  else if (hir_json_read_int (json, &value))
    *(gint64 *) field = value;
}

static void
read_own_args (HirJson *json, HirJsonLayout *layout, HirChromeEvent *event)
{
  HirJsonMembers members;
  guint arg;

  if (!hir_json_try_enter (json, HIR_JSON_OBJECT))
    return;
  event->is_foreign = TRUE;
  hir_json_members_init (&members, layout);
  while (hir_json_members_next (&members, json, &arg))
    read_arg (json, arg, event);
}

gboolean
hir_chrome_event_next_message (HirJson *json,
                               gboolean *first,
                               const HirChromeEvent *group,
                               HirChromeEvent *message)
{
  gboolean is_first = TRUE;
  HirJsonText key;

  if (!hir_json_next_element (json, first))
    return FALSE;
  *message = *group;
  message->sender = message->receiver = message->sequence = message->root = -1;
  message->in_elements = message->out_elements = message->bytes = -1;
  message->collective.length = message->dtype.length = 0;
  if (!hir_json_try_enter (json, HIR_JSON_OBJECT))
    return json->error == NULL;
  while (hir_json_next_member (json, &is_first, &key))
    read_arg (json, identify_arg (&key), message);
  return json->error == NULL;
}

static void
read_args (HirJson *json, HirJsonLayout *layout, HirChromeEvent *event)
{
  HirJsonMembers members;
  const char *start;
  guint arg;

  hir_json_peek (json); /* skips white space */
  start = json->at;
  if (!hir_json_try_enter (json, HIR_JSON_OBJECT))
    return;
  event->has_args = TRUE;
  hir_json_members_init (&members, layout);
  while (hir_json_members_next (&members, json, &arg))
    if (arg == ARG_OWN)
      read_own_args (json, layout, event);
    else
      read_arg (json, arg, event);
  event->has_twice |= members.has_twice;
  if (json->at - start <= MAX_COUNTER_ARGS)
    event->args = (HirJsonText){ start, (guint32) (json->at - start), FALSE };
}

typedef enum
{
  MEMBER_PHASE,
  MEMBER_START,
  MEMBER_ID,
  MEMBER_ENCLOSED,
  MEMBER_CATEGORY,
  MEMBER_DURATION,
  MEMBER_PID,
  MEMBER_TID,
  MEMBER_NAME,
  MEMBER_ARGS,
  MEMBER_OTHER,
} Member;

static guint8
identify_member (const HirJsonText *key)
{
#define IS(word) (key->length == sizeof word - 1 && memcmp (key->at, word, sizeof word - 1) == 0)
  return IS ("ph")     ? MEMBER_PHASE
         : IS ("ts")   ? MEMBER_START
         : IS ("id")   ? MEMBER_ID
         : IS ("bp")   ? MEMBER_ENCLOSED
         : IS ("cat")  ? MEMBER_CATEGORY
         : IS ("dur")  ? MEMBER_DURATION
         : IS ("pid")  ? MEMBER_PID
         : IS ("tid")  ? MEMBER_TID
         : IS ("name") ? MEMBER_NAME
         : IS ("args") ? MEMBER_ARGS
                       : MEMBER_OTHER;
#undef IS
}

static void
read_member (HirJson *json, Member member, HirJsonLayout *args, HirChromeEvent *event)
{
  HirJsonText text = { 0 };

  switch (member)
    {
    case MEMBER_PHASE:
      if (read_text (json, &text) && text.length == 1)
        event->phase = *text.at;
      break;

    case MEMBER_START:
      event->has_start = hir_json_read_us (json, &event->start_ns);
      break;

    case MEMBER_ID:
      read_id (json, &event->id);
      event->has_id = TRUE;
      break;

    case MEMBER_ENCLOSED:
      event->is_enclosed = read_text (json, &text) && hir_json_text_is (&text, "e");
      break;

    case MEMBER_CATEGORY:
      read_text (json, &event->category);
      break;

    case MEMBER_DURATION:
      event->has_duration = hir_json_read_us (json, &event->duration_ns);
      break;

    case MEMBER_PID:
      read_id (json, &event->pid);
      break;

    case MEMBER_TID:
      read_id (json, &event->tid);
      break;

    case MEMBER_NAME:
      read_text (json, &event->name);
      break;

    case MEMBER_ARGS:
      read_args (json, args, event);
      break;

    case MEMBER_OTHER:
    default:
      hir_json_skip (json);
    }
}

void
hir_chrome_layouts_init (HirChromeLayouts *layouts)
{
  hir_json_layout_init (&layouts->event, identify_member);
  hir_json_layout_init (&layouts->args, identify_arg);
}

/* Accepts the category names of all Kineto versions. */
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
    { "gpu_op", HIR_CHROME_KERNEL },        { "mtia_ccp_events", HIR_CHROME_KERNEL },
    { "hpu_op", HIR_CHROME_LAUNCH },
  };
  /* Kineto's categories for other accelerators: "xpu_runtime", "mlu_memcpy". */
  static const struct
  {
    const char *end;
    HirChromeClass class;
  } ends[] = {
    { "_runtime", HIR_CHROME_LAUNCH },
    { "_driver", HIR_CHROME_LAUNCH },
    { "_memcpy", HIR_CHROME_MEMCPY },
    { "_memset", HIR_CHROME_MEMSET },
    { "_user_annotation", HIR_CHROME_DEVICE_NOTE },
  };

  for (guint i = 0; category->length > 0 && i < G_N_ELEMENTS (known); i++)
    if (known[i].category[0] == *category->at && hir_json_text_is (category, known[i].category))
      return known[i].class;
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      gsize n = strlen (ends[i].end);

      if (category->length > n && memcmp (category->at + category->length - n, ends[i].end, n) == 0)
        return ends[i].class;
    }
  return HIR_CHROME_HOST;
}

/* Other profilers may use the same argument name, for example HIP's "HtoD". */
static gboolean
is_own_kind (const HirJsonText *kind)
{
  static const char *const track_kinds[] = { "stream", "host", "link" };

  for (int i = 0; i < HIR_N_EVENT_KINDS; i++)
    if (hir_json_text_is (kind, hir_event_kind_get_name (i)))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (track_kinds); i++)
    if (hir_json_text_is (kind, track_kinds[i]))
      return TRUE;
  return FALSE;
}

gboolean
hir_chrome_event_read (HirJson *json, HirChromeLayouts *layouts, HirChromeEvent *event)
{
  HirJsonMembers members;
  guint member;

  *event = (HirChromeEvent){ 0 };
  event->correlation = event->device = event->stream = event->bytes = -1;
  event->rank = event->iteration = event->flops = -1;
  event->in_elements = event->out_elements = event->group_size = event->sequence = -1;
  event->root = event->sender = event->receiver = -1;
  if (hir_json_peek (json) != HIR_JSON_OBJECT)
    return hir_json_skip (json);
  if (!hir_json_enter (json))
    return FALSE;
  hir_json_members_init (&members, &layouts->event);
  while (hir_json_members_next (&members, json, &member))
    read_member (json, member, &layouts->args, event);
  event->has_twice |= members.has_twice;
  event->class = classify (&event->category);
  if (event->kind.length > 0 && !is_own_kind (&event->kind))
    event->kind.length = 0;
  return json->error == NULL;
}
