/* The modelled clock of one rank. */
#include "run/model/model.h"

/* Rates of an imaginary device, chosen so that small programs behave like large ones: work on a
 * stream takes a few times as long as its issue. */
#define ISSUE_NS 300       /* host: an instruction without a launch */
#define LAUNCH_NS 1000     /* host: an instruction with a launch */
#define KERNEL_NS 4000     /* a stream: minimum time of a task */
#define BYTES_PER_NS 20.0  /* memory, one stream */
#define FLOPS_PER_NS 200.0 /* one stream */
#define SYNC_NS 200        /* a stream: latency of a wait */
#define LINK_NS 5000       /* a transfer between ranks: minimum time */
#define LINK_BYTES_PER_NS 5.0

struct _HirModel
{
  gint64 host_ns;   /* end of the last issue */
  gint64 issued_ns; /* start of the last issue */
  GArray *ready_ns; /* gint64 per stream: end of its work */
};

HirModel *
hir_model_new (void)
{
  HirModel *model = g_new0 (HirModel, 1);

  model->ready_ns = g_array_new (FALSE, TRUE, sizeof (gint64));
  return model;
}

void
hir_model_free (HirModel *model)
{
  g_array_unref (model->ready_ns);
  g_free (model);
}

HirModel *
hir_model_copy (const HirModel *model)
{
  HirModel *copy = g_new0 (HirModel, 1);

  *copy = *model;
  copy->ready_ns = g_array_copy (model->ready_ns);
  return copy;
}

void
hir_model_assign (HirModel *model, const HirModel *from)
{
  GArray *ready_ns = g_array_copy (from->ready_ns);

  g_array_unref (model->ready_ns);
  *model = *from;
  model->ready_ns = ready_ns;
}

static gint64 *
ready_of (HirModel *model, guint stream)
{
  if (stream >= model->ready_ns->len)
    g_array_set_size (model->ready_ns, stream + 1);
  return &g_array_index (model->ready_ns, gint64, stream);
}

void
hir_model_issue (HirModel *model, gboolean launches, gint64 *start_ns, gint64 *end_ns)
{
  model->issued_ns = model->host_ns;
  model->host_ns += launches ? LAUNCH_NS : ISSUE_NS;
  *start_ns = model->issued_ns;
  *end_ns = model->host_ns;
}

void
hir_model_run (
    HirModel *model, guint stream, gint64 bytes, gint64 flops, gint64 *start_ns, gint64 *end_ns)
{
  gint64 *ready = ready_of (model, stream);
  double memory = (double) bytes / BYTES_PER_NS;
  double compute = (double) flops / FLOPS_PER_NS;

  /* Work cannot start before the host has issued it. */
  *start_ns = MAX (*ready, model->host_ns);
  *end_ns = *start_ns + KERNEL_NS + (gint64) MAX (memory, compute);
  *ready = *end_ns;
}

gint64
hir_model_record (HirModel *model, guint stream)
{
  return MAX (*ready_of (model, stream), model->issued_ns);
}

gboolean
hir_model_wait (HirModel *model, guint stream, gint64 time_ns, gint64 *start_ns, gint64 *end_ns)
{
  gint64 *ready = ready_of (model, stream);
  gint64 from = MAX (*ready, model->host_ns);

  if (time_ns <= from)
    return FALSE;
  *start_ns = from;
  *end_ns = time_ns + SYNC_NS;
  *ready = *end_ns;
  return TRUE;
}

gint64
hir_model_begin_transfer (HirModel *model, guint stream, guint channel)
{
  gint64 ready_ns = MAX (*ready_of (model, stream), model->host_ns);

  return MAX (ready_ns, *ready_of (model, channel));
}

void
hir_model_end_transfer (HirModel *model, guint channel, gint64 end_ns)
{
  *ready_of (model, channel) = end_ns;
}

gint64
hir_model_get_transfer_ns (const HirModel *model, gint64 bytes)
{
  return LINK_NS + (gint64) ((double) bytes / LINK_BYTES_PER_NS);
}

void
hir_model_synchronize (HirModel *model)
{
  for (guint i = 0; i < model->ready_ns->len; i++)
    model->host_ns = MAX (model->host_ns, *ready_of (model, i));
}

gint64
hir_model_get_host_ns (const HirModel *model)
{
  return model->host_ns;
}
