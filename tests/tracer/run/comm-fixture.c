#include "comm-fixture.h"

#include "run/cpu/cpu.h"
#include "run/mpi/comm-mpi.h"

static void
on_stopped (const GError *error, gpointer user_data)
{
  HirCommunicator *communicator = user_data;

  communicator->klass->abort (communicator, error);
}

void
cluster_init (
    Cluster *cluster, ClusterKind kind, int n, HirContainer *const *programs, guint max_delay_us)
{
  g_autoptr (GError) error = NULL;

  *cluster = (Cluster){ .n = n, .kind = kind };
  if (kind == CLUSTER_MPI)
    {
      cluster->hub = fake_hub_new (n);
      fake_hub_start (cluster->hub, cluster->modules);
    }
  else
    cluster->world = hir_comm_world_new (n);
  for (int i = 0; i < n; i++)
    {
      HirCommunicator *communicator = kind == CLUSTER_MPI ? hir_comm_mpi_new (cluster->modules[i])
                                                          : hir_comm_local_new (cluster->world, i);
      HirBackendOptions backend = { .timeout_us = 60 * G_USEC_PER_SEC,
                                    .rank = i,
                                    .stopped = on_stopped,
                                    .user_data = communicator,
                                    .max_delay_us = max_delay_us,
                                    .delay_seed = (guint32) i * 100 };
      HirEvaluatorOptions evaluator = {
        .n_streams = 4, .rank = i, .poison = TRUE, .communicator = communicator
      };

      cluster->communicators[i] = communicator;
      cluster->backends[i] = hir_cpu_backend_new (&backend, &error);
      g_assert_no_error (error);
      if (kind == CLUSTER_MPI)
        hir_mpi_module_set_timeout (cluster->modules[i], 2);
      else
        hir_comm_world_set_backend (cluster->world, i, cluster->backends[i]);
      evaluator.backend = cluster->backends[i];
      cluster->evaluators[i] = hir_evaluator_new (programs[i], &evaluator, &error);
      g_assert_no_error (error);
    }
}

void
cluster_clear (Cluster *cluster)
{
  for (int i = 0; i < cluster->n; i++)
    {
      hir_evaluator_free (cluster->evaluators[i]);
      if (cluster->world != NULL)
        hir_comm_world_set_backend (cluster->world, i, NULL);
      hir_backend_free (cluster->backends[i]);
      hir_communicator_free (cluster->communicators[i]);
    }
  g_clear_pointer (&cluster->world, hir_comm_world_free);
  if (cluster->hub == NULL)
    return;
  g_assert_true (fake_hub_stop (cluster->hub, cluster->modules));
  fake_hub_free (cluster->hub);
}

typedef struct
{
  Cluster *cluster;
  int rank;
  HirValue *const *inputs;
  guint n;
} Job;

static gpointer
run_job (gpointer data)
{
  Job *job = data;
  HirCommunicator *communicator = job->cluster->communicators[job->rank];
  HirEvaluator *evaluator = job->cluster->evaluators[job->rank];
  g_autoptr (GError) error = NULL;

  if (job->cluster->kind == CLUSTER_MPI)
    communicator->klass->begin (communicator);
  if (!hir_evaluator_start (evaluator, job->inputs, job->n, HIR_PHASE_PROGRAM, &error) ||
      !hir_evaluator_finish (evaluator, &error) ||
      (communicator->klass->finish != NULL && !communicator->klass->finish (communicator, &error)))
    communicator->klass->abort (communicator, error);
  return NULL;
}

GError *
cluster_run (Cluster *cluster, HirValue *const *const *inputs, guint n_inputs)
{
  GThread *threads[MAX_RANKS];
  Job jobs[MAX_RANKS];
  GError *error = NULL;

  if (cluster->kind == CLUSTER_LOCAL)
    cluster->communicators[0]->klass->begin (cluster->communicators[0]);
  for (int i = 0; i < cluster->n; i++)
    {
      jobs[i] = (Job){ cluster, i, inputs != NULL ? inputs[i] : NULL, n_inputs };
      threads[i] = g_thread_new ("rank", run_job, &jobs[i]);
    }
  for (int i = 0; i < cluster->n; i++)
    g_thread_join (threads[i]);
  if (cluster->kind == CLUSTER_LOCAL)
    return hir_comm_world_dup_error (cluster->world);
  for (int i = 0; i < cluster->n && error == NULL; i++)
    error = cluster->communicators[i]->klass->dup_error (cluster->communicators[i]);
  return error;
}

const HirMesh *
mesh_of (HirContainer *program, guint n, const gint64 *devices)
{
  const gint64 shape = n;
  g_autoptr (GError) error = NULL;
  const HirMesh *mesh = hir_mesh_new (program->arena, devices, n, &shape, 1, &error);

  g_assert_no_error (error);
  return mesh;
}

HirTensor *
tensor_on (HirContainer *program, HirDType dtype, const HirMesh *mesh, guint n, const gint64 *sizes)
{
  HirTensor *tensor = build_tensor (program, n, sizes);

  tensor->base.dtype = dtype;
  tensor->mesh = mesh;
  return tensor;
}

HirExpr *
put_communication (HirContainer *program,
                   HirScope *scope,
                   HirCommType type,
                   HirTensor *out,
                   HirTensor *in,
                   guint n_team,
                   const gint64 *team,
                   gint64 root,
                   HirBinaryOp op)
{
  return build_put (program, scope,
                    hir_expr_new_communication (program, type, out, in, team, n_team, root, op));
}

HirExpr *
put_wait (HirContainer *program, HirScope *scope, HirExpr *of)
{
  return build_put (program, scope, hir_expr_new_wait (program, of));
}

HirExpr *
put_p2p (HirContainer *program, HirScope *scope, gboolean is_send, HirTensor *buffer, gint64 peer)
{
  return build_put (program, scope,
                    hir_expr_new_p2p (program, is_send, buffer, build_int (program, peer)));
}
