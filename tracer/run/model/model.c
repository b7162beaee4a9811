#include "run/model/model.h"

static const HirModelRates default_rates = {
  .issue_ns = 300,
  .launch_ns = 1000,
  .kernel_ns = 4000,
  .bytes_per_ns = 20,
  .flops_per_ns = 200,
  .sync_ns = 200,
  .link_ns = 5000,
  .link_bytes_per_ns = 5,
};

struct _HirModel
{
  HirModelRates rates;
  gint64 host_ns;   /* end of the last issue */
  gint64 issued_ns; /* its begin */
  GArray *ready_ns; /* gint64, one a stream: when its queue is done */
};

const HirModelRates *
hir_model_get_default_rates (void)
{
  return &default_rates;
}

HirModel *
hir_model_new (const HirModelRates *rates)
{
  HirModel *model = g_new0 (HirModel, 1);

  model->rates = rates != NULL ? *rates : default_rates;
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
  model->host_ns += launches ? model->rates.launch_ns : model->rates.issue_ns;
  *start_ns = model->issued_ns;
  *end_ns = model->host_ns;
}

void
hir_model_run (
    HirModel *model, guint stream, gint64 bytes, gint64 flops, gint64 *start_ns, gint64 *end_ns)
{
  gint64 *ready = ready_of (model, stream);
  double memory = (double) bytes / model->rates.bytes_per_ns;
  double compute = (double) flops / model->rates.flops_per_ns;

  /* Work can't begin before the host has handed it over. */
  *start_ns = MAX (*ready, model->host_ns);
  *end_ns = *start_ns + model->rates.kernel_ns + (gint64) MAX (memory, compute);
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
  *end_ns = time_ns + model->rates.sync_ns;
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
  return model->rates.link_ns + (gint64) ((double) bytes / model->rates.link_bytes_per_ns);
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
