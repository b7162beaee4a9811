/* Reads dumps, and derives the programs of other ranks. */
#include "program/program-dump.h"

#include <string.h>

#include "program/log-ranks.h"
#include "program/one-rank.h"
#include "structural-hash.h"

gboolean
hir_program_is_dump (const HirSource *source)
{
  return !g_str_has_suffix (source->path, ".py") &&
         (g_str_has_suffix (source->path, HIR_PRINTED_SUFFIX) ||
          hir_dump_sniff (source->text, (gssize) source->length));
}

/* Range of the devices that occur in a program. */
typedef struct
{
  gint64 lowest, highest; /* highest -1: none */
} Devices;

static void
add_device (Devices *devices, gint64 device)
{
  devices->lowest = MIN (devices->lowest, device);
  devices->highest = MAX (devices->highest, device);
}

static gboolean
visit_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  Devices *devices = user_data;

  if (expr->kind == HIR_EXPR_COMMUNICATION)
    for (guint i = 0; i < expr->u.comm.n_team; i++)
      add_device (devices, expr->u.comm.team[i]);
  if (expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE)
    for (guint i = 0; i < expr->u.permute.n_team; i++)
      add_device (devices, expr->u.permute.team[i]);
  if (expr->kind == HIR_EXPR_P2P && hir_scalar_is_const (expr->u.p2p.peer))
    add_device (devices, expr->u.p2p.peer->i);
  return TRUE;
}

static void
visit_container (Devices *devices, HirContainer *container)
{
  for (guint i = 0; i < container->tensors.len; i++)
    {
      const HirMesh *mesh = ((const HirTensor *) container->tensors.items[i])->mesh;

      for (gint64 k = 0; mesh != NULL && k < mesh->size; k++)
        add_device (devices, mesh->devices[k]);
    }
  hir_container_foreach_expr (container, visit_expr, devices);
}

/* Returns the range of devices in all dumps. */
static Devices
find_devices (const GPtrArray *dumps)
{
  Devices devices = { G_MAXINT64, -1 };

  for (guint d = 0; d < dumps->len; d++)
    visit_container (&devices, ((const HirDump *) dumps->pdata[d])->container);
  return devices;
}

static void
fill_request (HirRequest *request, const GPtrArray *dumps)
{
  Devices devices = find_devices (dumps);

  if (request->n_devices < 0)
    request->n_devices = MAX (devices.highest, 0) + 1;
  if (request->rank < 0)
    request->rank = devices.highest < 0 ? 0 : devices.lowest;
}

static void
add_view (HirProgram *program, const HirDump *dump, guint n_all)
{
  HirFormat format =
      program->request->format != HIR_FORMAT_2025 ? program->request->format : dump->format;
  HirProgramView *view = hir_program_view_new (dump->container, format);
  HirProgramView *before =
      program->views->len > 0 ? program->views->pdata[program->views->len - 1] : NULL;

  g_free (view->pass_name);
  view->pass_name = dump->pass_name != NULL ? g_strdup (dump->pass_name)
                    : n_all == 1            ? g_strdup ("Dump")
                                            : g_strdup_printf ("Dump %u", program->views->len + 1);
  view->hash = hir_container_hash (dump->container);
  view->changed = before == NULL || before->hash != view->hash;
  hir_program_view_count_changes (before, view, &view->n_created, &view->n_changed,
                                  &view->n_removed);
  g_ptr_array_add (program->views, view);
}

/* Returns the host program of each rank, or NULL if the log lacks one: that of its dump number
 * @step, or the last one if @step is negative. */
static GPtrArray *
dup_rank_hosts (const GPtrArray *dumps, gint64 n_devices, int step)
{
  g_autoptr (GPtrArray) hosts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);

  for (gint64 rank = 0; rank < n_devices; rank++)
    {
      HirContainer *last = NULL;
      int n = 0;

      for (guint i = 0; i < dumps->len; i++)
        {
          const HirDump *dump = dumps->pdata[i];

          if (hir_log_get_rank (dump) != rank)
            continue;
          if (dump->container->kind == HIR_CONTAINER_HOST && (step < 0 || step == n))
            last = dump->container;
          n++;
        }
      if (last == NULL)
        return NULL;
      g_ptr_array_add (hosts, hir_container_ref (last));
    }
  return g_steal_pointer (&hosts);
}

/* Adds a note if the program of one rank has to do for all. */
static void
add_one_rank (HirProgram *program)
{
  HirDiagnostic *note = program->printed != NULL && program->rank_printed == NULL
                            ? hir_one_rank_dup_note (program->printed, program->request->n_devices)
                            : NULL;

  if (note != NULL)
    g_ptr_array_add (program->notes, note);
}

gboolean
hir_program_fill_from_dump (HirProgram *program, GError **error)
{
  g_autoptr (GPtrArray) dumps = hir_dump_read_all (program->request->source, error);
  const HirDump *first;
  guint n_shown = 0;

  if (dumps == NULL)
    return FALSE;
  if (program->request->rank >= 0)
    hir_log_put_first (dumps, program->request->rank);
  first = dumps->pdata[0];
  for (guint i = 0; i < dumps->len; i++)
    n_shown += g_str_equal (((HirDump *) dumps->pdata[i])->tag, first->tag);
  fill_request (program->request, dumps);
  for (guint i = 0; i < dumps->len; i++)
    {
      const HirDump *dump = dumps->pdata[i];

      if (!g_str_equal (dump->tag, first->tag))
        continue;
      add_view (program, dump, n_shown);
      if (dump->container->kind == HIR_CONTAINER_HOST)
        {
          hir_container_unref (program->printed);
          program->printed = hir_container_ref (dump->container);
        }
    }
  if (n_shown < dumps->len && program->request->n_devices > 1)
    program->rank_printed = dup_rank_hosts (dumps, program->request->n_devices, -1);
  add_one_rank (program);
  program->dumps = g_ptr_array_ref (dumps);
  hir_log_compare (dumps, program->notes);
  return TRUE;
}

/* Returns the axis of @mesh along which @team lies, or -1. */
static int
find_slice (const HirMesh *mesh, const gint64 *team, guint n_team)
{
  for (int k = 0; k < mesh->n_dims; k++)
    {
      guint n;
      g_autofree gint64 *slice = hir_mesh_dup_slice (mesh, team[0], k, &n);

      if (slice != NULL && n == n_team && memcmp (slice, team, sizeof *team * n) == 0)
        return k;
    }
  return -1;
}

typedef struct
{
  gint64 rank;
  gboolean changed;
} Retarget;

/* Returns the slice through @rank of the mesh of @expr, along the axis of @team, of as many ranks;
 * NULL if it is @team. */
static gint64 *
dup_own_team (const HirExpr *expr, const gint64 *team, guint n_team, gint64 rank)
{
  const HirMesh *mesh = HIR_TENSOR (expr->inputs[0])->mesh;
  g_autofree gint64 *slice = NULL;
  int axis;
  guint n;

  if (n_team == 0 || mesh == NULL || mesh->n_dims < 2 || !hir_mesh_has (mesh, rank))
    return NULL;
  axis = find_slice (mesh, team, n_team);
  slice = axis >= 0 ? hir_mesh_dup_slice (mesh, rank, axis, &n) : NULL;
  return slice != NULL && memcmp (slice, team, sizeof *slice * n) != 0 ? g_steal_pointer (&slice)
                                                                       : NULL;
}

static gboolean
retarget_communication (HirExpr *expr, gint64 rank)
{
  guint n = expr->u.comm.n_team;
  g_autofree gint64 *slice = dup_own_team (expr, expr->u.comm.team, n, rank);

  if (slice == NULL)
    return FALSE;
  for (guint i = 0; i < n && expr->u.comm.root >= 0; i++)
    if (expr->u.comm.team[i] == expr->u.comm.root)
      {
        expr->u.comm.root = slice[i];
        break;
      }
  expr->u.comm.team = hir_arena_memdup (expr->container->arena, slice, sizeof *slice * n);
  if (expr->u.comm.root_index != NULL)
    hir_comm_set_root_index (expr, expr->u.comm.root_index);
  return TRUE;
}

/* Also sets the peers to those of the rank. */
static gboolean
retarget_permute (HirExpr *expr, gint64 rank)
{
  guint n = expr->u.permute.n_team;
  g_autofree gint64 *slice = dup_own_team (expr, expr->u.permute.team, n, rank);
  gint64 position = hir_permute_get_position (expr);

  if (slice != NULL)
    expr->u.permute.team = hir_arena_memdup (expr->container->arena, slice, sizeof *slice * n);
  for (guint i = 0; i < n && position >= 0; i++)
    if (expr->u.permute.team[i] == rank && i != position)
      {
        hir_permute_set_position (expr, i);
        return TRUE;
      }
  return slice != NULL;
}

/* Replaces the team on a mesh with several axes by the slice through the rank. */
static gboolean
retarget_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  Retarget *retarget = user_data;

  if (expr->kind == HIR_EXPR_COMMUNICATION)
    retarget->changed |= retarget_communication (expr, retarget->rank);
  else if (expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE)
    retarget->changed |= retarget_permute (expr, retarget->rank);
  return TRUE;
}

/* Returns the program that @rank would have printed. */
static HirContainer *
dup_for_rank (HirContainer *printed, gint64 rank)
{
  g_autoptr (HirContainer) copy = hir_container_clone (printed);
  Retarget retarget = { rank, FALSE };

  hir_container_foreach_expr (copy, retarget_expr, &retarget);
  return hir_container_ref (retarget.changed ? copy : printed);
}

HirContainer *
hir_program_get_dump (const HirProgram *program, guint i)
{
  const HirDump *first = program->dumps->pdata[0];

  for (guint k = 0; k < program->dumps->len; k++)
    {
      const HirDump *dump = program->dumps->pdata[k];

      if (g_str_equal (dump->tag, first->tag) && i-- == 0)
        return dump->container;
    }
  return NULL;
}

/* Sets @n to the number of devices of @printed. Fails if the request has another number. */
static gboolean
count_devices (const HirProgram *program, HirContainer *printed, gint64 *n_devices, GError **error)
{
  Devices devices = { G_MAXINT64, -1 };
  gint64 n, asked = program->request->n_devices;

  visit_container (&devices, printed);
  *n_devices = n = MAX (devices.highest, 0) + 1;
  if (asked == n || (devices.highest < 0 && asked <= 1))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the printed program is for %" G_GINT64_FORMAT
                 " device%s, not for %" G_GINT64_FORMAT "; leave out -d",
                 n, n == 1 ? "" : "s", asked);
  return FALSE;
}

/* Returns @printed for every rank. */
static GPtrArray *
dup_for_ranks (const HirProgram *program, HirContainer *printed, GError **error)
{
  GPtrArray *hosts;
  gint64 n;

  if (!count_devices (program, printed, &n, error))
    return NULL;
  hosts = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);
  for (gint64 i = 0; i < n; i++)
    g_ptr_array_add (hosts, dup_for_rank (printed, i));
  return hosts;
}

GPtrArray *
hir_program_dup_step_hosts (HirProgram *program, guint i, GError **error)
{
  GPtrArray *hosts = program->rank_printed != NULL
                         ? dup_rank_hosts (program->dumps, program->request->n_devices, (int) i)
                         : NULL;

  if (hosts != NULL)
    return hosts;
  if (!hir_one_rank_check (hir_program_get_dump (program, i), program->request->n_devices, error))
    return NULL;
  return dup_for_ranks (program, hir_program_get_dump (program, i), error);
}

GPtrArray *
hir_program_dup_printed_hosts (HirProgram *program, GError **error)
{
  gint64 n;

  g_return_val_if_fail (program->printed != NULL, NULL);
  if (!count_devices (program, program->printed, &n, error))
    return NULL;
  return program->rank_printed != NULL ? g_ptr_array_ref (program->rank_printed)
                                       : dup_for_ranks (program, program->printed, error);
}
