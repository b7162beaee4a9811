/* Tests collectives of bytes between ranks, and aborts of runs, without MPI. */
#include <string.h>

#include "fake-wire.h"

#define N 4

typedef struct
{
  FakeHub *hub;
  HirMpiModule *modules[N];
} Ranks;

typedef struct
{
  Ranks *ranks;
  HirMpiModule *mpi;
  GError *error;
} Job;

static void
ranks_init (Ranks *ranks)
{
  ranks->hub = fake_hub_new (N);
  fake_hub_start (ranks->hub, ranks->modules);
}

static void
ranks_clear (Ranks *ranks)
{
  g_assert_true (fake_hub_stop (ranks->hub, ranks->modules));
  fake_hub_free (ranks->hub);
}

/* Runs @func on all ranks concurrently; errors are in @jobs. */
static void
on_all (Ranks *ranks, GThreadFunc func, Job *jobs)
{
  GThread *threads[N];

  for (int i = 0; i < N; i++)
    {
      jobs[i] = (Job){ ranks, ranks->modules[i], NULL };
      threads[i] = g_thread_new ("rank", func, &jobs[i]);
    }
  for (int i = 0; i < N; i++)
    g_thread_join (threads[i]);
}

static gpointer
pass_bytes (gpointer data)
{
  Job *job = data;
  HirMpiModule *mpi = job->mpi;

  for (int round = 0; round < 50; round++)
    {
      gint64 mine = mpi->rank * 100 + round, all[N], from_root = mine;

      g_assert_true (
          hir_mpi_module_allgather (mpi, "numbers", &mine, sizeof mine, all, &job->error));
      for (int i = 0; i < N; i++)
        g_assert_cmpint (all[i], ==, i * 100 + round);
      g_assert_true (
          hir_mpi_module_bcast (mpi, "one", &from_root, sizeof mine, round % N, &job->error));
      g_assert_cmpint (from_root, ==, round % N * 100 + round);
      g_assert_true (hir_mpi_module_barrier (mpi, "round", &job->error));
    }
  return NULL;
}

static void
test_bytes (void)
{
  Ranks ranks;
  Job jobs[N];

  ranks_init (&ranks);
  for (int i = 0; i < N; i++)
    {
      g_assert_cmpint (ranks.modules[i]->rank, ==, i);
      g_assert_cmpint (ranks.modules[i]->size, ==, N);
      /* All ranks are on this machine. */
      g_assert_cmpint (ranks.modules[i]->local_rank, ==, i);
      g_assert_cmpint (ranks.modules[i]->local_size, ==, N);
      g_assert_true (hir_mpi_module_is_local (ranks.modules[i], (i + 1) % N));
    }
  on_all (&ranks, pass_bytes, jobs);
  ranks_clear (&ranks);
}

static gpointer
gather (gpointer data)
{
  Job *job = data;
  g_autoptr (GBytes) mine = g_bytes_new ("0123456789", (gsize) job->mpi->rank * 3);
  GPtrArray *all;

  g_assert_true (hir_mpi_module_gather (job->mpi, "parts", mine, 2, &all, &job->error));
  g_assert_true ((all != NULL) == (job->mpi->rank == 2));
  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      gsize size;
      const char *text = g_bytes_get_data (g_ptr_array_index (all, i), &size);

      g_assert_cmpmem (text, size, "0123456789", i * 3);
    }
  g_clear_pointer (&all, g_ptr_array_unref);
  return NULL;
}

static void
test_gather (void)
{
  Ranks ranks;
  Job jobs[N];

  ranks_init (&ranks);
  on_all (&ranks, gather, jobs);
  ranks_clear (&ranks);
}

/* Overlapping teams, each with its own order. */
static gpointer
pass_in_teams (gpointer data)
{
  const gint64 odd[] = { 3, 1 }, three[] = { 0, 1, 2 };
  Job *job = data;
  HirMpiModule *mpi = job->mpi;
  char id[8] = "";

  if (mpi->rank % 2 == 1)
    {
      g_snprintf (id, sizeof id, "odd%d", mpi->rank);
      g_assert_true (hir_mpi_module_team_bcast (mpi, "id", odd, 2, id, sizeof id, &job->error));
      g_assert_cmpstr (id, ==, "odd3"); /* the root is the first */
    }
  if (mpi->rank < 3)
    {
      gint32 from_root = mpi->rank + 7;

      g_assert_true (hir_mpi_module_team_bcast (mpi, "id", three, 3, &from_root, sizeof from_root,
                                                &job->error));
      g_assert_cmpint (from_root, ==, 7);
    }
  return NULL;
}

static void
test_teams (void)
{
  Ranks ranks;
  Job jobs[N];

  ranks_init (&ranks);
  on_all (&ranks, pass_in_teams, jobs);
  ranks_clear (&ranks);
}

/* Rank 2 fails instead of calling; the others get its error. Later calls succeed on all ranks. */
static gpointer
fail_and_go_on (gpointer data)
{
  Job *job = data;
  HirPos pos = { .line = 7, .column = 3 };
  g_autoptr (GError) cause = NULL;
  g_autoptr (GError) second = NULL;
  GError *later = NULL;
  gint32 all[N], mine;
  gboolean is_mine;

  hir_set_error (&cause, HIR_ERROR_LIMIT, &pos, "rank 2 has no memory");
  if (job->mpi->rank == 2)
    hir_mpi_module_abort (job->mpi, cause);
  else
    g_assert_false (hir_mpi_module_barrier (job->mpi, "the run", &job->error));
  /* The first reason is kept. */
  hir_set_error (&second, HIR_ERROR_RUN, NULL, "something else");
  hir_mpi_module_abort (job->mpi, second);
  g_assert_false (hir_mpi_module_barrier (job->mpi, "the run", &later));
  g_assert_cmpstr (later->message, ==, "rank 2 has no memory");
  g_error_free (later);
  is_mine = hir_mpi_module_end_run (job->mpi);
  g_assert_cmpint (is_mine, ==, job->mpi->rank == 2);
  mine = job->mpi->rank;
  g_assert_true (hir_mpi_module_allgather (job->mpi, "after", &mine, sizeof mine, all, &later));
  g_assert_cmpint (all[3], ==, 3);
  return NULL;
}

static void
test_abort (void)
{
  Ranks ranks;
  Job jobs[N];

  ranks_init (&ranks);
  on_all (&ranks, fail_and_go_on, jobs);
  for (int i = 0; i < N; i++)
    if (i != 2)
      {
        g_assert_error (jobs[i].error, HIR_ERROR, HIR_ERROR_LIMIT);
        g_assert_cmpuint (hir_error_get_pos (jobs[i].error).line, ==, 7);
        g_clear_error (&jobs[i].error);
      }
  ranks_clear (&ranks);
}

/* Rank 1 has finished the agreement, started the run and failed, before the others have read its
 * answer. They must still agree, and fail in the run. (A former bug attributed the failure to the
 * agreement, and rank 1 waited forever for the outcomes.) */
static gpointer
fail_in_a_run_that_others_begin_later (gpointer data)
{
  Job *job = data;
  g_autoptr (GError) cause = NULL;
  gint32 all[N], mine = job->mpi->rank;
  GBytes *bytes = g_bytes_new (&mine, sizeof mine);
  GPtrArray *parts = NULL;

  hir_set_error (&cause, HIR_ERROR_RUN, NULL, "rank 1 fails at once");
  /* Only rank 0 waits in a gather; the others run ahead. */
  if (job->mpi->rank == 0)
    g_usleep (20000);
  g_assert_true (hir_mpi_module_gather (job->mpi, "programs", bytes, 0, &parts, &job->error));
  if (job->mpi->rank > 1)
    {
      g_usleep (20000); /* the failure arrives before this rank starts the run */
      g_assert_true (hir_mpi_module_team_bcast (job->mpi, "programs", (gint64[]){ 2, 3 }, 2, &mine,
                                                sizeof mine, &job->error));
    }
  hir_mpi_module_begin_run (job->mpi);
  if (job->mpi->rank == 1)
    hir_mpi_module_abort (job->mpi, cause);
  g_assert_false (hir_mpi_module_barrier (job->mpi, "the run", &job->error));
  g_assert_cmpstr (job->error->message, ==, "rank 1 fails at once");
  g_clear_error (&job->error);
  g_assert_cmpint (hir_mpi_module_end_run (job->mpi), ==, job->mpi->rank == 1);
  g_assert_true (
      hir_mpi_module_allgather (job->mpi, "outcomes", &mine, sizeof mine, all, &job->error));
  g_clear_pointer (&parts, g_ptr_array_unref);
  g_bytes_unref (bytes);
  return NULL;
}

static void
test_abort_ahead (void)
{
  Ranks ranks;
  Job jobs[N];

  ranks_init (&ranks);
  for (int i = 0; i < 20; i++)
    on_all (&ranks, fail_in_a_run_that_others_begin_later, jobs);
  ranks_clear (&ranks);
}

/* A silent rank whose process still exists. */
static gpointer
wait_for_silent (gpointer data)
{
  Job *job = data;

  hir_mpi_module_set_timeout (job->mpi, 1);
  if (job->mpi->rank != 1)
    g_assert_false (hir_mpi_module_barrier (job->mpi, "the run", &job->error));
  return NULL;
}

static void
test_silence (void)
{
  Ranks ranks;
  Job jobs[N];

  ranks_init (&ranks);
  fake_hub_silence (ranks.hub, 1, TRUE);
  on_all (&ranks, wait_for_silent, jobs);
  for (int i = 0; i < N; i++)
    if (i != 1)
      {
        g_assert_error (jobs[i].error, HIR_ERROR, HIR_ERROR_RUN);
        g_assert_nonnull (strstr (jobs[i].error->message, "rank 1 (process"));
        g_clear_error (&jobs[i].error);
      }
  /* To it, the other ranks are silent: all end and report that they did not end together. Memory
   * that MPI may use is not freed, like in a real process. */
  g_assert_false (fake_hub_stop (ranks.hub, ranks.modules));
}

static void
test_launcher (void)
{
  static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                       "MV2_COMM_WORLD_SIZE",  "PMIX_RANK",
                                       "SLURM_STEP_ID",        "SLURM_STEP_NUM_TASKS",
                                       "SLURM_PROCID" };
  int rank;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_unsetenv (names[i]);
  g_assert_cmpint (hir_mpi_launcher_get_size (&rank), ==, 0);
  g_assert_cmpint (rank, ==, -1);
  /* A batch script is not a step. */
  g_setenv ("SLURM_STEP_NUM_TASKS", "8", TRUE);
  g_setenv ("SLURM_PROCID", "5", TRUE);
  g_assert_cmpint (hir_mpi_launcher_get_size (&rank), ==, 0);
  g_setenv ("SLURM_STEP_ID", "0", TRUE);
  g_assert_cmpint (hir_mpi_launcher_get_size (&rank), ==, 8);
  g_assert_cmpint (rank, ==, 5);
  g_setenv ("PMI_SIZE", "3", TRUE);
  g_setenv ("PMI_RANK", "2", TRUE);
  g_assert_cmpint (hir_mpi_launcher_get_size (&rank), ==, 3);
  g_assert_cmpint (rank, ==, 2);
  g_setenv ("OMPI_COMM_WORLD_SIZE", "many", TRUE);
  g_assert_cmpint (hir_mpi_launcher_get_size (NULL), ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mpi-module/bytes", test_bytes);
  g_test_add_func ("/mpi-module/gather", test_gather);
  g_test_add_func ("/mpi-module/teams", test_teams);
  g_test_add_func ("/mpi-module/abort", test_abort);
  g_test_add_func ("/mpi-module/abort-before-others-start", test_abort_ahead);
  g_test_add_func ("/mpi-module/silence", test_silence);
  g_test_add_func ("/mpi-module/launcher", test_launcher);
  return g_test_run ();
}
