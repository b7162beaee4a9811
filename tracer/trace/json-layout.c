#include "trace/json-layout.h"

void
hir_json_layout_init (HirJsonLayout *layout, HirJsonIdentify identify)
{
  layout->identify = identify;
  layout->n = 1;
  memset (layout->nodes, 0, sizeof layout->nodes[0]);
}

/* Collects the keys from the start of the object to the last member. */
static void
collect_names (HirJsonMembers *members)
{
  const HirJsonNode *nodes = members->layout->nodes;
  const HirJsonNode *path[HIR_JSON_LAYOUT_NODES];
  guint n = 0;

  hir_json_names_init (&members->names);
  for (const HirJsonNode *node = members->node; node != nodes; node = &nodes[node->parent])
    path[n++] = node;
  while (n-- > 0)
    {
      const HirJsonText key = { .at = path[n]->text + path[n]->key_at,
                                .length = path[n]->key_length };

      hir_json_names_add (&members->names, &key);
    }
}

/* Adds a node after @parent. Returns NULL if there is no room. */
static HirJsonNode *
add_node (HirJsonLayout *layout, HirJsonNode *parent, const char *text, gsize length)
{
  HirJsonNode *node;
  guint at = 0;

  while (at < HIR_JSON_LAYOUT_NEXT && parent->next[at] != 0)
    at++;
  if (at == HIR_JSON_LAYOUT_NEXT || layout->n == HIR_JSON_LAYOUT_NODES ||
      length > HIR_JSON_LAYOUT_TEXT)
    return NULL;
  parent->next[at] = (guint8) layout->n;
  node = &layout->nodes[layout->n++];
  *node = (HirJsonNode){ .length = (guint8) length, .parent = (guint8) (parent - layout->nodes) };
  memcpy (node->text, text, length);
  memcpy (&node->first, text, MIN (length, 8));
  memset (&node->first_mask, 0xff, MIN (length, 8));
  return node;
}

gboolean
hir_json_members_scan (HirJsonMembers *members, HirJson *json, guint *number)
{
  const char *from = json->at;
  HirJsonNode *parent = members->node, *node = NULL;
  gboolean is_twice;
  HirJsonText key;

  if (parent != NULL)
    {
      members->first = parent == members->layout->nodes;
      collect_names (members);
      /* The end of the text is not compared with nodes. */
      if (json->end - from < HIR_JSON_LAYOUT_TEXT)
        parent = NULL;
    }
  members->node = NULL;
  if (!hir_json_next_member (json, &members->first, &key))
    {
      if (parent != NULL && json->error == NULL)
        node = add_node (members->layout, parent, from, (gsize) (json->at - from));
      if (node != NULL)
        node->number = HIR_JSON_LAYOUT_END;
      return FALSE;
    }
  *number = members->layout->identify (&key);
  is_twice = hir_json_names_add (&members->names, &key);
  members->has_twice |= is_twice;
  /* The white space before the value is part of the text. */
  if (parent == NULL || hir_json_peek (json) == HIR_JSON_END)
    return TRUE;
  node = add_node (members->layout, parent, from, (gsize) (json->at - from));
  if (node == NULL)
    return TRUE;
  node->key_at = (guint8) (key.at - from);
  node->key_length = (guint8) key.length;
  node->number = (guint8) *number;
  node->is_twice = is_twice;
  members->node = node;
  return TRUE;
}
