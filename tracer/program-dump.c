#include "program-dump.h"

#include "read-dump.h"
#include "structural-hash.h"

gboolean
hir_program_is_dump (const HirSource *source)
{
  return !g_str_has_suffix (source->path, ".py") &&
         hir_dump_sniff (source->text, (gssize) source->length);
}

/* Of all dumps: the devices there must be, and the lowest. */
static void
find_devices (const GPtrArray *dumps, gint64 *lowest, gint64 *highest)
{
  *lowest = G_MAXINT64;
  *highest = -1;
  for (guint d = 0; d < dumps->len; d++)
    {
      const HirContainer *container = ((const HirDump *) dumps->pdata[d])->container;

      for (guint i = 0; i < container->tensors.len; i++)
        {
          const HirMesh *mesh = ((const HirTensor *) container->tensors.items[i])->mesh;

          for (gint64 k = 0; mesh != NULL && k < mesh->size; k++)
            {
              *lowest = MIN (*lowest, mesh->devices[k]);
              *highest = MAX (*highest, mesh->devices[k]);
            }
        }
    }
}

static void
fill_request (HirRequest *request, const GPtrArray *dumps)
{
  gint64 lowest, highest;

  find_devices (dumps, &lowest, &highest);
  if (request->n_devices < 0)
    request->n_devices = MAX (highest, 0) + 1;
  if (request->rank < 0)
    request->rank = highest < 0 ? 0 : lowest;
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

gboolean
hir_program_fill_from_dump (HirProgram *program, GError **error)
{
  g_autoptr (GPtrArray) dumps = hir_dump_read_all (program->request->source, error);
  const HirDump *first;
  guint n_shown = 0;

  if (dumps == NULL)
    return FALSE;
  first = dumps->pdata[0];
  for (guint i = 0; i < dumps->len; i++)
    n_shown += g_str_equal (((HirDump *) dumps->pdata[i])->tag, first->tag);
  fill_request (program->request, dumps);
  for (guint i = 0; i < dumps->len; i++)
    {
      const HirDump *dump = dumps->pdata[i];

      if (g_str_equal (dump->tag, first->tag))
        add_view (program, dump, n_shown);
    }
  if (n_shown < dumps->len)
    g_ptr_array_add (program->notes,
                     hir_diagnostic_new (HIR_ERROR_INPUT, (HirPos){ first->line, 1 },
                                         "the log has dumps of several processes; shown are the "
                                         "%u whose lines begin with '%s'",
                                         n_shown, first->tag));
  return TRUE;
}
