/* Axes, tensors and streams (docs/host-ir.md#axes, docs/host-ir.md#tensors,
 * docs/host-ir.md#streams). A tensor is identified by its number and the text of its domain,
 * because numbers alone may collide if HostUnits hide tensors (docs/host-ir.md#name-collisions). */
#include "dump/read-dump-internal.h"

#include <string.h>

/* Longer words first: `S` is a prefix of `StreamIdx`. */
static const struct
{
  const char *text;
  HirParallelType type;
} parallel_words[] = {
  { "StreamIdx", HIR_PARALLEL_STREAM }, { "streamIdx", HIR_PARALLEL_STREAM },
  { "Stream", HIR_PARALLEL_STREAM },    { "deviceIdx.x", HIR_PARALLEL_DIDX },
  { "deviceIdx.y", HIR_PARALLEL_DIDY }, { "deviceIdx.z", HIR_PARALLEL_DIDZ },
  { "blockIdx.x", HIR_PARALLEL_BIDX },  { "blockIdx.y", HIR_PARALLEL_BIDY },
  { "blockIdx.z", HIR_PARALLEL_BIDZ },  { "threadIdx.x", HIR_PARALLEL_TIDX },
  { "threadIdx.y", HIR_PARALLEL_TIDY }, { "threadIdx.z", HIR_PARALLEL_TIDZ },
  { "MMA", HIR_PARALLEL_MMA },          { "UR", HIR_PARALLEL_UNROLL },
  { "US", HIR_PARALLEL_UNSWITCH },      { "V", HIR_PARALLEL_VECTORIZE },
  { "G", HIR_PARALLEL_GROUP },          { "B", HIR_PARALLEL_BULK },
  { "S", HIR_PARALLEL_SERIAL },
};

typedef struct
{
  HirIterType iter_type;
  HirParallelType parallel_type;
  int number;
  HirScalar *start, *extent, *expanded;
  gboolean is_rfactor;
} Axis;

static gboolean
read_axis_head (HirDumpReader *reader, Axis *axis)
{
  static const char letters[] = "irbsnv?";
  const HirDumpToken *token = hir_dump_peek (reader);
  const char *text = token->text, *letter;
  guint length = token->length;

  if (hir_dump_token_is (token, "?"))
    {
      axis->iter_type = HIR_ITER_SYMBOLIC;
      hir_dump_next (reader);
      token = hir_dump_peek (reader);
      text = token->text;
      length = token->length;
    }
  else
    {
      letter = length > 0 ? strchr (letters, text[0]) : NULL;
      if (token->kind != HIR_DUMP_WORD || letter == NULL)
        return hir_dump_fail_expected (reader, "an axis (iS0{i0})");
      axis->iter_type = (HirIterType) (letter - letters);
      text++;
      length--;
    }
  for (guint i = 0; i < G_N_ELEMENTS (parallel_words); i++)
    {
      guint n = (guint) strlen (parallel_words[i].text);

      if (length <= n || memcmp (text, parallel_words[i].text, n) != 0 ||
          !hir_dump_split_number (text, length, n, &axis->number))
        continue;
      axis->parallel_type = parallel_words[i].type;
      hir_dump_next (reader);
      return TRUE;
    }
  return hir_dump_fail_expected (reader, "an axis (iS0{i0}: letter, parallel type, number)");
}

static gboolean
read_axis_suffixes (HirDumpReader *reader, Axis *axis)
{
  const HirDumpToken *token = hir_dump_peek (reader);

  if (token->kind != HIR_DUMP_WORD || !token->glued)
    return TRUE;
  if (hir_dump_token_is (token, "rf"))
    {
      axis->is_rfactor = TRUE;
      hir_dump_next (reader);
      return TRUE;
    }
  if (token->text[0] == '_' || g_str_has_prefix (token->text, "rf_"))
    return hir_dump_refuse (reader, token, "an axis padded to a warp or a cluster (_p, _c)");
  return hir_dump_fail_expected (reader, "`,` or `]`");
}

static gboolean
read_axis_range (HirDumpReader *reader, Axis *axis)
{
  if (!hir_dump_expect (reader, "{"))
    return FALSE;
  axis->extent = hir_dump_read_inline (reader);
  if (axis->extent != NULL && hir_dump_accept (reader, ":"))
    {
      axis->start = axis->extent;
      axis->extent = hir_dump_read_inline (reader);
    }
  if (axis->extent == NULL)
    return FALSE;
  if (hir_dump_at (reader, ":"))
    return hir_dump_refuse (reader, hir_dump_peek (reader), "an axis with a separate stop");
  if (hir_dump_accept (reader, "ex"))
    {
      axis->expanded = hir_dump_read_inline (reader);
      if (axis->expanded == NULL)
        return FALSE;
    }
  return hir_dump_expect (reader, "}") && read_axis_suffixes (reader, axis);
}

HirIterDomain *
hir_dump_read_axis (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  HirContainer *container = reader->names->container;
  g_autofree char *text = NULL, *name = NULL;
  Axis axis = { 0 };
  guint from = reader->at;
  HirIterDomain *id;

  if (!read_axis_head (reader, &axis) || !read_axis_range (reader, &axis))
    return NULL;
  text = hir_dump_dup_text (reader, from);
  id = g_hash_table_lookup (reader->names->axes, text);
  if (id != NULL)
    return id;

  name = g_strdup_printf ("axis %d", axis.number);
  hir_dump_stamp (reader, token, name);
  id = hir_iter_domain_new (container, axis.extent, axis.iter_type);
  id->base.name = axis.number;
  if (axis.start != NULL)
    id->start = axis.start;
  id->expanded_extent = axis.expanded;
  id->parallel_type = axis.parallel_type;
  id->is_rfactor = axis.is_rfactor;
  g_hash_table_insert (reader->names->axes, g_steal_pointer (&text), id);
  return id;
}

/* Reads `{0 1}`, `{{0 1}{2 3}}`. */
static gboolean
read_mesh_group (HirDumpReader *reader, GArray *devices, GArray *shape, guint dim)
{
  gint64 n = 0;

  if (dim >= 8)
    return hir_dump_fail_expected (reader, "a device");
  if (!hir_dump_expect (reader, "{"))
    return FALSE;
  if (hir_dump_at (reader, "{"))
    {
      for (; hir_dump_at (reader, "{"); n++)
        if (!read_mesh_group (reader, devices, shape, dim + 1))
          return FALSE;
      if (!hir_dump_expect (reader, "}"))
        return FALSE;
    }
  else
    {
      guint before = devices->len;

      if (!hir_dump_read_devices (reader, "}", devices))
        return FALSE;
      n = devices->len - before;
    }
  if (shape->len <= dim)
    g_array_set_size (shape, dim + 1);
  /* Groups of different sizes lead to a product that does not match. */
  g_array_index (shape, gint64, dim) = n;
  return TRUE;
}

static gboolean
read_mesh (HirDumpReader *reader, const HirMesh **mesh)
{
  g_autoptr (GArray) devices = g_array_new (FALSE, TRUE, sizeof (gint64));
  g_autoptr (GArray) shape = g_array_new (FALSE, TRUE, sizeof (gint64));
  g_autoptr (GError) error = NULL;
  const HirDumpToken *token = hir_dump_peek_at (reader, 1);

  *mesh = NULL;
  if (!hir_dump_at (reader, "(") || !hir_dump_token_is (token, "DeviceMesh"))
    return TRUE;
  if (!hir_dump_expect (reader, "( DeviceMesh") || !read_mesh_group (reader, devices, shape, 0) ||
      !hir_dump_expect (reader, ")"))
    return FALSE;
  *mesh =
      hir_mesh_new (reader->program->arena, (const gint64 *) (gpointer) devices->data, devices->len,
                    (const gint64 *) (gpointer) shape->data, (int) shape->len, &error);
  return *mesh != NULL || hir_dump_fail (reader, token, HIR_ERROR_INPUT, "%s", error->message);
}

static gboolean
lookup_memory (const char *text, HirMemoryType *memory, guint *length)
{
  /* `_sym` before `_s`. */
  for (int i = HIR_MEMORY_SYMMETRIC; i >= 0; i--)
    {
      const char *suffix = hir_memory_type_get_suffix ((HirMemoryType) i);

      *length = (guint) strlen (suffix);
      if (g_str_has_prefix (text, suffix) && (text[*length] == '_' || text[*length] == '\0'))
        {
          *memory = (HirMemoryType) i;
          return TRUE;
        }
    }
  return FALSE;
}

gboolean
hir_dump_at_tensor (const HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);

  return token->kind == HIR_DUMP_WORD && token->length > 2 && token->text[0] == 'T' &&
         g_ascii_isdigit (token->text[1]);
}

static gboolean
read_tensor_head (HirDumpReader *reader, int *number, HirMemoryType *memory, HirDType *dtype)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  g_autofree char *word = g_strndup (token->text, token->length);
  guint n = 1, length;

  if (!hir_dump_at_tensor (reader))
    return hir_dump_fail_expected (reader, "a tensor (T0_g_float[...])");
  while (g_ascii_isdigit (word[n]))
    n++;
  if (!hir_dump_split_number (word, n, 1, number) || !lookup_memory (word + n, memory, &length))
    return hir_dump_fail_expected (reader, "a tensor with its memory (T0_g_float, T0_l_float)");
  /* Dumps of 2024 lack the element type. */
  if (word[n + length] == '\0')
    *dtype = HIR_DTYPE_FLOAT;
  else if (word[n + length] != '_' || !hir_dtype_lookup_name (word + n + length + 1, dtype))
    return hir_dump_fail_expected (reader, "a tensor with its element type (T0_g_float)");
  hir_dump_next (reader);
  return TRUE;
}

static gboolean
read_domain (HirDumpReader *reader, GPtrArray *ids)
{
  static const char *const positions[] = { "ca_pos", "produce_pos", "maybe_produce_pos",
                                           "compute_with" };

  if (!hir_dump_expect (reader, "["))
    return FALSE;
  while (!hir_dump_accept (reader, "]"))
    {
      HirIterDomain *id;

      if (ids->len > 0 && !hir_dump_accept (reader, ","))
        return hir_dump_fail_expected (reader, "`,` or `]`");
      id = hir_dump_read_axis (reader);
      if (id == NULL)
        return FALSE;
      g_ptr_array_add (ids, id);
    }
  for (guint i = 0; i < G_N_ELEMENTS (positions); i++)
    if (hir_dump_at (reader, positions[i]))
      return hir_dump_refuse (reader, hir_dump_peek (reader), positions[i]);
  return TRUE;
}

/* Returns `T3` for the first tensor with that number, otherwise with its index among them. */
static char *
dup_identity (HirDumpReader *reader, int number, const char *text)
{
  GPtrArray *texts = g_hash_table_lookup (reader->tensor_texts, GINT_TO_POINTER (number));
  guint place = 0;

  if (texts == NULL)
    {
      texts = g_ptr_array_new_with_free_func (g_free);
      g_hash_table_insert (reader->tensor_texts, GINT_TO_POINTER (number), texts);
    }
  while (place < texts->len && !g_str_equal (g_ptr_array_index (texts, place), text))
    place++;
  if (place == texts->len)
    g_ptr_array_add (texts, g_strdup (text));
  return place == 0 ? g_strdup_printf ("T%d", number) : g_strdup_printf ("T%d #%u", number, place);
}

HirTensor *
hir_dump_read_tensor (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  g_autofree char *text = NULL, *identity = NULL;
  guint from = reader->at;
  const HirMesh *mesh;
  HirMemoryType memory = HIR_MEMORY_LOCAL;
  HirTensor *tensor;
  HirDType dtype;
  int number;

  if (!read_tensor_head (reader, &number, &memory, &dtype) || !read_domain (reader, ids) ||
      !read_mesh (reader, &mesh))
    return NULL;
  text = hir_dump_dup_text (reader, from);
  tensor = g_hash_table_lookup (reader->names->tensors, text);
  if (tensor != NULL)
    return tensor;

  identity = dup_identity (reader, number, text);
  hir_dump_stamp (reader, token, identity);
  tensor = hir_tensor_new (reader->names->container, dtype, (HirIterDomain *const *) ids->pdata,
                           ids->len);
  tensor->base.name = number;
  tensor->memory = memory;
  tensor->mesh = mesh;
  g_hash_table_insert (reader->names->tensors, g_steal_pointer (&text), tensor);
  return tensor;
}

HirVal *
hir_dump_read_operand (HirDumpReader *reader)
{
  return hir_dump_at_tensor (reader) ? HIR_VAL (hir_dump_read_tensor (reader))
                                     : HIR_VAL (hir_dump_read_scalar (reader));
}

gboolean
hir_dump_read_braced (HirDumpReader *reader, GPtrArray *vals)
{
  if (!hir_dump_expect (reader, "{"))
    return FALSE;
  while (!hir_dump_accept (reader, "}"))
    {
      HirVal *val = hir_dump_read_operand (reader);

      if (val == NULL)
        return FALSE;
      g_ptr_array_add (vals, val);
      if (!hir_dump_accept (reader, ",") && !hir_dump_at (reader, "}"))
        return hir_dump_fail_expected (reader, "`,` or `}`");
    }
  return TRUE;
}

/* Reads the name of a stream without an index: a number, or an address in 2026. */
static gboolean
read_stream_name (HirDumpReader *reader, HirStream *stream)
{
  const HirDumpToken *token = hir_dump_next (reader);
  g_autofree char *text = g_strndup (token->text, token->length);
  int number;

  if (g_str_has_prefix (text, "0x") || g_str_has_prefix (text, "0X"))
    {
      stream->address = g_ascii_strtoull (text + 2, NULL, 16);
      /* A program of Hirscope prints numbers as addresses. */
      if (stream->address == 0)
        stream->base.name = 0;
      return TRUE;
    }
  if (!hir_dump_split_number (text, token->length, 0, &number))
    return hir_dump_fail (reader, token, HIR_ERROR_INPUT, "`%s` is not a stream number", text);
  stream->base.name = number;
  return TRUE;
}

HirStream *
hir_dump_read_stream (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  g_autofree char *text = NULL;
  HirScalar *index = NULL;
  HirStream *stream;
  guint from;

  if (!hir_dump_expect (reader, "Stream"))
    return NULL;
  from = reader->at;
  if (hir_dump_peek (reader)->kind == HIR_DUMP_NUMBER)
    hir_dump_next (reader);
  else if ((index = hir_dump_read_inline (reader)) == NULL)
    return NULL;
  text = hir_dump_dup_text (reader, from);
  stream = g_hash_table_lookup (reader->streams, text);
  if (stream != NULL)
    return stream;

  hir_dump_stamp (reader, token, text);
  stream = hir_stream_new (reader->names->container, index);
  if (index == NULL)
    {
      reader->at = from;
      if (!read_stream_name (reader, stream))
        return NULL;
    }
  g_hash_table_insert (reader->streams, g_steal_pointer (&text), stream);
  return stream;
}
