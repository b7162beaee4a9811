#include "view/domain-tree.h"

#include <string.h>

/* A transform, parsed from a fact. */
typedef struct
{
  char *text;
  char *label;
  GPtrArray *in, *out; /* char* */
} Transform;

static void
transform_free (gpointer data)
{
  Transform *transform = data;

  g_free (transform->text);
  g_free (transform->label);
  g_ptr_array_unref (transform->in);
  g_ptr_array_unref (transform->out);
  g_free (transform);
}

static void
clear_box (gpointer data)
{
  HirDomainBox *box = data;

  g_free (box->text);
  g_free (box->name);
  g_free (box->parallel);
  g_free (box->extent);
  g_free (box->made_by);
}

static void
clear_edge (gpointer data)
{
  g_free (((HirDomainEdge *) data)->label);
}

const char *
hir_node_info_get_fact (const HirNodeInfo *info, const char *name)
{
  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (g_str_equal (fact->name, name))
        return fact->value;
    }
  return NULL;
}

/* Returns the end of the axis at @text: `iS0{( ceilDiv(i0, 4) )}rf`. Extents may contain brackets
 * of any kind. */
static const char *
skip_axis (const char *text)
{
  int depth = 0;

  for (; *text != '\0'; text++)
    {
      if (*text == '{' || *text == '(' || *text == '[')
        depth++;
      else if (*text == '}' || *text == ')' || *text == ']')
        depth--;
      if (depth < 0 || (depth == 0 && (*text == ',' || *text == ' ')))
        break;
    }
  return text;
}

/* Splits a list of axes: "[iS0{i0}, iS1{i2}]", the same without brackets, or "A and B". */
static GPtrArray *
split_axes (const char *text, gsize n)
{
  GPtrArray *axes = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *copy = g_strndup (text, n);
  const char *at = copy + (*copy == '[');

  while (*at != '\0' && *at != ']')
    {
      const char *end = skip_axis (at);

      if (end == at)
        break;
      g_ptr_array_add (axes, g_strndup (at, (gsize) (end - at)));
      at = end;
      if (g_str_has_prefix (at, " and "))
        at += 5;
      while (*at == ',' || *at == ' ')
        at++;
    }
  return axes;
}

/* Copies "( ceilDiv(i0, 4) )" without the outer brackets. */
static char *
dup_bare (const char *text)
{
  gsize n = strlen (text);

  if (n > 4 && g_str_has_prefix (text, "( ") && g_str_has_suffix (text, " )"))
    return g_strndup (text + 2, n - 4);
  return g_strdup (text);
}

/* Parses "Split: IN by factor F -> OUT, OUT", "Merge: IN and IN -> OUT" or "Resize: IN by L and R
 * -> OUT". Returns NULL for any other text. */
static Transform *
parse_transform (const char *text)
{
  const char *colon = strstr (text, ": "), *arrow = strstr (text, " -> "), *by;
  Transform *transform;

  if (colon == NULL || arrow == NULL || arrow < colon + 2)
    return NULL;
  by = g_strstr_len (colon + 2, arrow - colon - 2, " by ");
  transform = g_new0 (Transform, 1);
  transform->text = g_strdup (text);
  transform->in = split_axes (colon + 2, (gsize) ((by != NULL ? by : arrow) - colon - 2));
  transform->out = split_axes (arrow + 4, strlen (arrow + 4));
  if (g_str_has_prefix (text, "Merge"))
    {
      transform->label = g_strdup ("merge");
    }
  else if (by != NULL)
    {
      const char *factor = by + (g_str_has_prefix (by, " by factor ") ? 11 : 4);
      g_autofree char *value = g_strndup (factor, (gsize) MAX (arrow - factor, 0));
      g_autofree char *bare = dup_bare (value);
      const char *what = g_str_has_prefix (text, "Outer")    ? "outer split"
                         : g_str_has_prefix (text, "Resize") ? "resize"
                                                             : "split";

      transform->label = g_strdup_printf ("%s %s", what, bare);
    }
  return transform;
}

static const char *
find_digit (const char *text)
{
  while (*text != '\0' && *text != '{' && !g_ascii_isdigit (*text))
    text++;
  return text;
}

/* Parses `ideviceIdx.x15{i2}rf`: letter, parallel type (S: serial), number, extent. */
static HirDomainBox
make_box (const char *text, guint row, guint place)
{
  const char *number = *text != '\0' ? find_digit (text + 1) : text;
  const char *brace = strchr (number, '{'), *end = strrchr (text, '}');
  HirDomainBox box = { .text = g_strdup (text), .row = row, .place = place };

  if (brace == NULL || end == NULL || end < brace)
    {
      box.name = g_strdup (text);
      box.parallel = g_strdup ("");
      box.extent = g_strdup ("");
      return box;
    }
  box.name = g_strdup_printf ("%c%.*s", *text, (int) (brace - number), number);
  box.parallel = g_strndup (text + 1, (gsize) (number - text - 1));
  if (g_str_equal (box.parallel, "S"))
    *box.parallel = '\0';
  box.extent = g_strndup (brace + 1, (gsize) (end - brace - 1));
  return box;
}

static int
find_box (const HirDomainTree *tree, const char *text)
{
  for (guint i = tree->boxes->len; i-- > 0;)
    if (g_str_equal (hir_domain_tree_get_box (tree, i)->text, text))
      return (int) i;
  return -1;
}

static gboolean
has_axis (const GPtrArray *axes, const char *text)
{
  for (guint i = 0; i < axes->len; i++)
    if (g_str_equal (axes->pdata[i], text))
      return TRUE;
  return FALSE;
}

static const Transform *
find_maker (const GPtrArray *transforms, const char *text)
{
  for (guint i = 0; i < transforms->len; i++)
    if (has_axis (((const Transform *) transforms->pdata[i])->out, text))
      return transforms->pdata[i];
  return NULL;
}

/* Adds the edges into @box, which come from boxes of earlier rows. */
static void
add_edges (HirDomainTree *tree, const Transform *maker, int same, guint box)
{
  if (same >= 0)
    {
      HirDomainEdge edge = { (guint) same, box, NULL, TRUE };

      g_array_append_val (tree->edges, edge);
      return;
    }
  for (guint i = 0; maker != NULL && i < maker->in->len; i++)
    {
      int from = find_box (tree, maker->in->pdata[i]);
      gboolean is_first =
          i == 0 && g_str_equal (maker->out->pdata[0], hir_domain_tree_get_box (tree, box)->text);
      HirDomainEdge edge = { (guint) from, box, is_first ? g_strdup (maker->label) : NULL, FALSE };

      if (from >= 0 && (guint) from < box)
        g_array_append_val (tree->edges, edge);
      else
        g_free (edge.label);
    }
}

static void
add_row (HirDomainTree *tree, const char *title, const GPtrArray *axes, const GPtrArray *transforms)
{
  HirDomainRow row = { title, tree->boxes->len, axes->len };
  g_autofree int *same = g_new (int, axes->len + 1);

  if (axes->len == 0)
    return;
  for (guint i = 0; i < axes->len; i++)
    same[i] = find_box (tree, axes->pdata[i]);
  for (guint i = 0; i < axes->len; i++)
    {
      const Transform *maker = find_maker (transforms, axes->pdata[i]);
      HirDomainBox box = make_box (axes->pdata[i], tree->rows->len, i);

      box.made_by = maker != NULL ? g_strdup (maker->text) : NULL;
      g_array_append_val (tree->boxes, box);
      add_edges (tree, maker, same[i], tree->boxes->len - 1);
    }
  g_array_append_val (tree->rows, row);
}

/* Returns the transforms (borrowed) that lead to @axes, back to the axes that are already in the
 * tree. */
static GPtrArray *
dup_needed (const HirDomainTree *tree, const GPtrArray *axes, const GPtrArray *transforms)
{
  GPtrArray *needed = g_ptr_array_new ();
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();

  for (guint i = 0; i < axes->len; i++)
    g_ptr_array_add (texts, axes->pdata[i]);
  for (guint i = 0; i < texts->len; i++)
    {
      const Transform *maker = find_maker (transforms, texts->pdata[i]);

      if (maker == NULL || find_box (tree, texts->pdata[i]) >= 0 ||
          g_ptr_array_find (needed, maker, NULL))
        continue;
      g_ptr_array_add (needed, (gpointer) maker);
      for (guint j = 0; j < maker->in->len; j++)
        g_ptr_array_add (texts, maker->in->pdata[j]);
    }
  return needed;
}

/* Adds the axes that are created on the way to @axes but are not among them, one row per
 * generation: a transform's results come after all its inputs. */
static void
add_between (HirDomainTree *tree, const GPtrArray *axes, const GPtrArray *all)
{
  g_autoptr (GPtrArray) transforms = dup_needed (tree, axes, all);
  gboolean found = TRUE;

  while (found)
    {
      g_autoptr (GPtrArray) row = g_ptr_array_new ();

      for (guint t = 0; t < transforms->len; t++)
        {
          const Transform *transform = transforms->pdata[t];
          gboolean ready = transform->in->len > 0;

          for (guint i = 0; i < transform->in->len; i++)
            ready &= find_box (tree, transform->in->pdata[i]) >= 0;
          for (guint i = 0; ready && i < transform->out->len; i++)
            if (!has_axis (axes, transform->out->pdata[i]) &&
                find_box (tree, transform->out->pdata[i]) < 0)
              g_ptr_array_add (row, transform->out->pdata[i]);
        }
      found = row->len > 0;
      add_row (tree, "", row, transforms);
    }
}

static GPtrArray *
dup_axes (const HirNodeInfo *info, const char *name)
{
  const char *text = hir_node_info_get_fact (info, name);

  return text != NULL ? split_axes (text, strlen (text)) : g_ptr_array_new_with_free_func (g_free);
}

HirDomainTree *
hir_domain_tree_new (const HirNodeInfo *tensor)
{
  static const char *const names[][2] = { { "root domain", "root" },
                                          { "logical domain", "logical" },
                                          { "loop domain", "loop" },
                                          { "allocation domain", "allocation" } };
  g_autoptr (HirDomainTree) tree = NULL;
  g_autoptr (GPtrArray) transforms = g_ptr_array_new_with_free_func (transform_free);

  if (!g_str_equal (tensor->kind, "TensorView"))
    return NULL;
  tree = g_new0 (HirDomainTree, 1);
  tree->rows = g_array_new (FALSE, FALSE, sizeof (HirDomainRow));
  tree->boxes = g_array_new (FALSE, FALSE, sizeof (HirDomainBox));
  tree->edges = g_array_new (FALSE, FALSE, sizeof (HirDomainEdge));
  g_array_set_clear_func (tree->boxes, clear_box);
  g_array_set_clear_func (tree->edges, clear_edge);
  for (guint i = 0; i < tensor->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (tensor->facts, HirFact, i);
      Transform *transform =
          g_str_equal (fact->name, "transform") ? parse_transform (fact->value) : NULL;

      if (transform != NULL)
        g_ptr_array_add (transforms, transform);
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GPtrArray) axes = dup_axes (tensor, names[i][0]);

      /* Before the loop domain, only transforms that lead to the logical domain. */
      if (i > 0 && axes->len > 0)
        add_between (tree, axes, transforms);
      add_row (tree, names[i][1], axes, transforms);
    }
  return tree->boxes->len > 0 ? g_steal_pointer (&tree) : NULL;
}

void
hir_domain_tree_free (HirDomainTree *tree)
{
  if (tree == NULL)
    return;
  g_array_unref (tree->rows);
  g_array_unref (tree->boxes);
  g_array_unref (tree->edges);
  g_free (tree);
}

const char *
hir_domain_box_get_parallel_name (const HirDomainBox *box)
{
  static const char *const names[][2] = {
    { "deviceIdx.x", "mesh_x" },
    { "deviceIdx.y", "mesh_y" },
    { "deviceIdx.z", "mesh_z" },
    { "StreamIdx", "Stream" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (box->parallel, names[i][0]))
      return names[i][1];
  return box->parallel;
}
