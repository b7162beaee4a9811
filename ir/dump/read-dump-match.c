/* Finds the splits and merges that lead from given logical axes to a printed loop domain, by a
 * search over a few steps. Needed because dumps show loop domains only (docs/host-ir.md#tensors).
 */
#include "dump/read-dump-internal.h"

#define MAX_STEPS 3
#define MAX_NODES 64
#define MAX_STATES 20000

typedef struct
{
  HirTransformKind kind;
  guint in[2], out[2]; /* indices of nodes */
  HirScalar *factor;
  gboolean inner;
} Step;

typedef struct
{
  HirContainer *container;
  const HirDomain *loop;
  guint by_number[MAX_NODES];   /* positions of the loop axes, by number */
  HirDumpSlot nodes[MAX_NODES]; /* the slots, then the axes that steps create */
  guint n_nodes;
  Step steps[MAX_STEPS];
  guint n_steps, max_steps;
  guint n_states;
  guint final[MAX_NODES]; /* node of each loop axis */
} Search;

static gboolean
fits (const HirDumpSlot *slot, const HirIterDomain *id)
{
  if (slot->id != NULL && slot->id == id)
    return TRUE;
  return (slot->any_type || slot->type == id->iter_type) &&
         hir_scalar_equal (slot->extent, id->extent);
}

/* Pairs the nodes of @state with loop axes, in the order of their numbers if possible. Returns the
 * number of unpaired nodes and axes and sets their flags; 0 means that the state is the loop
 * domain.
 */
static guint
pair (Search *search, const guint *state, guint n, gboolean *node_left, gboolean *axis_left)
{
  guint left = n + search->loop->n;

  for (guint j = 0; j < search->loop->n; j++)
    axis_left[j] = TRUE;
  for (guint i = 0; i < n; i++)
    {
      node_left[i] = TRUE;
      for (guint k = 0; k < search->loop->n && node_left[i]; k++)
        {
          guint j = search->by_number[k];

          if (!axis_left[j] || !fits (&search->nodes[state[i]], search->loop->ids[j]))
            continue;
          node_left[i] = axis_left[j] = FALSE;
          search->final[j] = state[i];
          left -= 2;
        }
    }
  return left;
}

static gboolean search_from (Search *search, const guint *state, guint n);

static gboolean
try_split (Search *search, const guint *state, guint n, guint at, HirScalar *factor, gboolean inner)
{
  const HirDumpSlot *in = &search->nodes[state[at]];
  HirDumpSlot rest = { .type = in->type, .any_type = in->any_type }, part = rest;
  guint next[MAX_NODES], first = search->n_nodes;
  Step step = { HIR_TRANSFORM_SPLIT, { state[at] }, { first, first + 1 }, factor, inner };

  if (n + 1 >= MAX_NODES || first + 2 > MAX_NODES ||
      (hir_scalar_is_const (factor) && factor->i < 1))
    return FALSE;
  rest.extent = hir_scalar_new_op (search->container, HIR_SCALAR_OP_CEIL_DIV, in->extent, factor);
  part.extent = factor;
  search->nodes[first] = inner ? rest : part;
  search->nodes[first + 1] = inner ? part : rest;
  search->n_nodes += 2;
  for (guint i = 0; i < n; i++)
    next[i > at ? i + 1 : i] = state[i];
  next[at] = first;
  next[at + 1] = first + 1;
  search->steps[search->n_steps++] = step;
  if (search_from (search, next, n + 1))
    return TRUE;
  search->n_steps--;
  search->n_nodes = first;
  return FALSE;
}

static gboolean
try_merge (Search *search, const guint *state, guint n, guint at)
{
  const HirDumpSlot *outer = &search->nodes[state[at]], *inner = &search->nodes[state[at + 1]];
  HirDumpSlot out = { .type = outer->type, .any_type = outer->any_type || inner->any_type };
  guint next[MAX_NODES], first = search->n_nodes;
  Step step = { HIR_TRANSFORM_MERGE, { state[at], state[at + 1] }, { first }, NULL, FALSE };

  if (first + 1 > MAX_NODES)
    return FALSE;
  if (out.type == HIR_ITER_BROADCAST)
    out.type = inner->type;
  out.extent =
      hir_scalar_new_op (search->container, HIR_SCALAR_OP_MUL, outer->extent, inner->extent);
  search->nodes[first] = out;
  search->n_nodes++;
  for (guint i = 0; i + 1 < n; i++)
    next[i] = state[i > at ? i + 1 : i];
  next[at] = first;
  search->steps[search->n_steps++] = step;
  if (search_from (search, next, n - 1))
    return TRUE;
  search->n_steps--;
  search->n_nodes = first;
  return FALSE;
}

static gboolean
search_from (Search *search, const guint *state, guint n)
{
  gboolean node_left[MAX_NODES], axis_left[MAX_NODES], any_left = FALSE;

  if (pair (search, state, n, node_left, axis_left) == 0)
    return TRUE;
  if (search->n_steps == search->max_steps || ++search->n_states > MAX_STATES)
    return FALSE;
  for (guint i = 0; i < n; i++)
    any_left = any_left || node_left[i];
  for (guint i = 0; i < n; i++)
    {
      for (guint j = 0; (node_left[i] || !any_left) && j < search->loop->n; j++)
        if (axis_left[j] && (try_split (search, state, n, i, search->loop->ids[j]->extent, TRUE) ||
                             try_split (search, state, n, i, search->loop->ids[j]->extent, FALSE)))
          return TRUE;
      /* One of the two may match a loop axis by coincidence. */
      if (i + 1 < n && (node_left[i] || node_left[i + 1]) && try_merge (search, state, n, i))
        return TRUE;
    }
  return FALSE;
}

static HirIterDomain *
get_axis (Search *search, guint node)
{
  HirDumpSlot *slot = &search->nodes[node];

  for (guint j = 0; j < search->loop->n; j++)
    if (search->final[j] == node)
      return search->loop->ids[j];
  if (slot->id == NULL)
    slot->id = hir_iter_domain_new (search->container, slot->extent, slot->type);
  return slot->id;
}

static void
add_transform (Search *search, const Step *step)
{
  HirTransform *transform = hir_arena_new0 (search->container->arena, HirTransform);
  guint n_in = step->kind == HIR_TRANSFORM_MERGE ? 2 : 1;

  transform->kind = step->kind;
  transform->factor = step->factor;
  transform->inner_split = step->inner;
  hir_maker_stamp (search->container, &transform->node,
                   step->kind == HIR_TRANSFORM_MERGE ? "merge" : "split");
  for (guint i = 0; i < n_in; i++)
    transform->in[i] = get_axis (search, step->in[i]);
  for (guint i = 0; i < 3 - n_in; i++)
    {
      transform->out[i] = get_axis (search, step->out[i]);
      transform->out[i]->definition = transform;
    }
}

/* Returns FALSE if a loop axis that a step would create already has a definition or is printed by
 * another tensor. */
static gboolean
may_be_made (const Search *search)
{
  for (guint i = 0; i < search->n_steps; i++)
    for (guint j = 0; j < search->loop->n; j++)
      if ((search->final[j] == search->steps[i].out[0] ||
           search->final[j] == search->steps[i].out[1]) &&
          search->loop->ids[j]->definition != NULL)
        return FALSE;
  return TRUE;
}

static guint
first_place (const Search *search, guint a, guint b)
{
  gboolean is_a_parallel, is_b_parallel;

  if (a == G_MAXUINT || b == G_MAXUINT)
    return MIN (a, b);
  is_a_parallel = hir_iter_domain_is_parallelized (search->loop->ids[a]);
  is_b_parallel = hir_iter_domain_is_parallelized (search->loop->ids[b]);
  if (is_a_parallel != is_b_parallel)
    return is_a_parallel ? b : a;
  return MIN (a, b);
}

/* Returns the position in the loop domain of the first axis derived from @node, one that is not
 * parallelized if possible: scheduling moves the others to the front. */
static guint
get_place (const Search *search, guint node)
{
  guint place = G_MAXUINT;

  for (guint j = 0; j < search->loop->n; j++)
    if (search->final[j] == node)
      return j;
  for (guint i = 0; i < search->n_steps; i++)
    {
      const Step *step = &search->steps[i];
      gboolean is_merge = step->kind == HIR_TRANSFORM_MERGE;

      if (step->in[0] != node && !(is_merge && step->in[1] == node))
        continue;
      place = get_place (search, step->out[0]);
      if (!is_merge)
        place = first_place (search, place, get_place (search, step->out[1]));
    }
  return place;
}

static void
set_permuted (Search *search, HirTensor *tensor, HirIterDomain **ids, guint n)
{
  HirArena *arena = tensor->base.container->arena;
  guint places[MAX_NODES];

  tensor->has_root = TRUE;
  tensor->root.ids = hir_arena_memdup (arena, ids, sizeof *ids * n);
  tensor->root.n = n;
  for (guint i = 0; i < n; i++)
    places[i] = get_place (search, i);
  for (guint i = 1; i < n; i++)
    for (guint k = i; k > 0 && places[k - 1] > places[k]; k--)
      {
        HirIterDomain *id = ids[k];
        guint place = places[k];

        ids[k] = ids[k - 1];
        ids[k - 1] = id;
        places[k] = places[k - 1];
        places[k - 1] = place;
      }
}

void
hir_dump_set_logical (HirTensor *tensor, HirIterDomain *const *ids, guint n)
{
  HirDomain loop = tensor->loop;

  tensor->logical.ids = hir_arena_memdup (tensor->base.container->arena, ids, sizeof *ids * n);
  tensor->logical.n = n;
  /* Contiguity refers to the allocation axes, which are the logical ones. */
  hir_tensor_set_allocation (tensor, ids, n);
  tensor->has_allocation = FALSE;
  tensor->allocation = (HirDomain){ NULL, 0 };
  tensor->loop = loop;
}

gboolean
hir_dump_match_loop (HirTensor *tensor, const HirDumpSlot *slots, guint n, gboolean permuted)
{
  HirContainer *container = tensor->base.container;
  g_autofree Search *search = g_new0 (Search, 1);
  guint state[MAX_NODES];
  HirIterDomain *ids[MAX_NODES];

  if (n == 0 || n > 16 || tensor->loop.n == 0 || tensor->loop.n > 16)
    return FALSE;
  search->container = container;
  search->loop = &tensor->loop;
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      guint at = i;

      for (; at > 0 && tensor->loop.ids[search->by_number[at - 1]]->base.name >
                           tensor->loop.ids[i]->base.name;
           at--)
        search->by_number[at] = search->by_number[at - 1];
      search->by_number[at] = i;
    }
  search->n_nodes = n;
  for (guint i = 0; i < n; i++)
    {
      search->nodes[i] = slots[i];
      state[i] = i;
    }
  /* The fewest steps first: a merge and two splits can lead to the same axes as one split. */
  while (!search_from (search, state, n))
    if (search->max_steps++ == MAX_STEPS || search->n_states > MAX_STATES)
      return FALSE;
  if (!may_be_made (search))
    return FALSE;

  hir_maker_begin (container, "dump", tensor->base.node.id);
  hir_maker_set_pos (container, tensor->base.node.pos);
  for (guint i = 0; i < n; i++)
    ids[i] = get_axis (search, i);
  for (guint i = 0; i < search->n_steps; i++)
    add_transform (search, &search->steps[i]);
  if (permuted)
    set_permuted (search, tensor, ids, n);
  hir_dump_set_logical (tensor, ids, n);
  return TRUE;
}
