/* Reads the members of objects that are alike faster than hir_json_next_member().
 *
 * Programs write the same keys in the same order, with the same white space, for all events of one
 * kind. A layout learns these sequences as a tree. Each node has the text from the end of one value
 * to the start of the next, such as ',"dur": '. If the text ahead equals that of a node after the
 * last one, its key is known without scanning, as is whether it occurred before in this object.
 * Otherwise the text is scanned, with the same result. A layout is not thread-safe. */
#pragma once

#include <string.h>

#include "trace/json-names.h"

G_BEGIN_DECLS

#define HIR_JSON_LAYOUT_TEXT 56 /* bytes; longer texts are scanned each time */
#define HIR_JSON_LAYOUT_NEXT 6
#define HIR_JSON_LAYOUT_NODES 256
/* Returns the number of a key. HIR_JSON_LAYOUT_END is reserved. */
#define HIR_JSON_LAYOUT_END 255
typedef guint8 (*HirJsonIdentify) (const HirJsonText *key);

typedef struct
{
  char text[HIR_JSON_LAYOUT_TEXT];
  guint64 first, first_mask;         /* the first eight bytes of the text, padded with 0 */
  guint8 length, key_at, key_length; /* of the text, and of the key in it */
  guint8 number;                     /* of the key; HIR_JSON_LAYOUT_END for the closing bracket */
  gboolean is_twice;
  guint8 parent;
  guint8 next[HIR_JSON_LAYOUT_NEXT]; /* nodes that follow this node; 0 if unused */
} HirJsonNode;

typedef struct
{
  HirJsonIdentify identify;
  guint n;                                  /* number of nodes */
  HirJsonNode nodes[HIR_JSON_LAYOUT_NODES]; /* the first one is the opening bracket */
} HirJsonLayout;

/* The members of one object. */
typedef struct
{
  HirJsonLayout *layout;
  HirJsonNode *node; /* node of the last member, or NULL if it has none */
  gboolean first;
  gboolean has_twice; /* result: two of the members so far have one name */
  HirJsonNames names; /* only used if node is NULL */
} HirJsonMembers;

/* Starts without nodes. */
void hir_json_layout_init (HirJsonLayout *layout, HirJsonIdentify identify);
/* Like hir_json_members_next(), for a text that is not known. */
gboolean hir_json_members_scan (HirJsonMembers *members, HirJson *json, guint *number);

/* Starts after the opening bracket of an object. */
static inline void
hir_json_members_init (HirJsonMembers *members, HirJsonLayout *layout)
{
  members->layout = layout;
  members->node = layout->nodes;
  members->first = TRUE;
  members->has_twice = FALSE;
}

static inline guint64
hir_json_load (const char *at)
{
  guint64 word;

  memcpy (&word, at, sizeof word);
  return word;
}

/* Returns whether HIR_JSON_LAYOUT_TEXT bytes at @at start with the text of @node. */
static inline gboolean
hir_json_node_matches (const HirJsonNode *node, const char *at)
{
  guint length = node->length;

  if ((hir_json_load (at) & node->first_mask) != node->first)
    return FALSE;
  for (guint i = 8; i + 8 < length; i += 8)
    if (hir_json_load (at + i) != hir_json_load (node->text + i))
      return FALSE;
  return length <= 8 || hir_json_load (at + length - 8) == hir_json_load (node->text + length - 8);
}

/* Advances to the value of the next member, or past the end of the object, like
 * hir_json_next_member(). @number (out) is that of the key. */
static inline gboolean
hir_json_members_next (HirJsonMembers *members, HirJson *json, guint *number)
{
  HirJsonNode *node = members->node;

  if (node != NULL && json->end - json->at >= HIR_JSON_LAYOUT_TEXT && json->error == NULL)
    for (guint i = 0; i < HIR_JSON_LAYOUT_NEXT && node->next[i] != 0; i++)
      {
        HirJsonNode *next = &members->layout->nodes[node->next[i]];

        if (!hir_json_node_matches (next, json->at))
          continue;
        json->at += next->length;
        members->node = next;
        members->has_twice |= next->is_twice;
        *number = next->number;
        return next->number != HIR_JSON_LAYOUT_END;
      }
  return hir_json_members_scan (members, json, number);
}

G_END_DECLS
