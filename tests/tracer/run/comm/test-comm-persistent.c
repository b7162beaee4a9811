/* Tests that persistent posts (comm-local-persistent.c) and ordinary posts give the same matches
 * and the same errors, for random sequences and rank orders. HIR_RANDOM_COUNT and HIR_RANDOM_SEED
 * select the cases. */
#include "comm-fixture.h"

#define N_KINDS 7
#define MOST_RANKS 4
#define LONGEST 40
#ifdef __SANITIZE_ADDRESS__
#define RANDOM_COUNT 2000
#else
#define RANDOM_COUNT 10000
#endif

/* Collectives with one difference each. */
typedef struct
{
  HirCommType type;
  gint64 root, size;
  HirDType dtype;
  guint n_team; /* 0: all */
} Kind;

static const Kind kinds[N_KINDS] = {
  { HIR_COMM_BROADCAST, 0, 4, HIR_DTYPE_FLOAT, 0 },
  { HIR_COMM_BROADCAST, 0, 8, HIR_DTYPE_FLOAT, 0 },
  { HIR_COMM_BROADCAST, 1, 4, HIR_DTYPE_FLOAT, 0 },
  { HIR_COMM_BROADCAST, 0, 4, HIR_DTYPE_DOUBLE, 0 },
  { HIR_COMM_ALLREDUCE, -1, 4, HIR_DTYPE_FLOAT, 0 },
  { HIR_COMM_ALLREDUCE, -1, 8, HIR_DTYPE_FLOAT, 0 },
  { HIR_COMM_ALLREDUCE, -1, 4, HIR_DTYPE_FLOAT, 2 },
};

/* Exprs of a rank's program; each rank has separate ones. */
typedef struct
{
  HirContainer *program;
  HirCommPost posts[N_KINDS];
  HirValue *values[N_KINDS];
} Rank;

static const gint64 everybody[MOST_RANKS] = { 0, 1, 2, 3 };

static void
rank_init (Rank *rank, int number, guint n)
{
  rank->program = build_program ();
  for (guint i = 0; i < N_KINDS; i++)
    {
      const Kind *kind = &kinds[i];
      guint n_team = kind->n_team == 0 ? n : MIN (kind->n_team, n);
      gint64 root = MIN (kind->root, (gint64) n - 1);
      const HirMesh *mesh = mesh_of (rank->program, n_team, everybody);
      HirTensor *in = tensor_on (rank->program, kind->dtype, mesh, 1, &kind->size);
      HirTensor *out = tensor_on (rank->program, kind->dtype, mesh, 1, &kind->size);
      HirExpr *expr = put_communication (rank->program, NULL, kind->type, out, in, n_team,
                                         everybody, root, HIR_BINARY_ADD);
      g_autofree char *label = g_strdup_printf ("Kind%u", i);
      g_autoptr (HirBuffer) buffer =
          hir_buffer_new_deferred ((gsize) kind->size * hir_dtype_get_size_bytes (kind->dtype));

      rank->values[i] = hir_value_new_tensor (kind->dtype, 1, &kind->size, NULL, buffer);
      rank->posts[i] =
          (HirCommPost){ .expr = expr, .label = g_ref_string_new (label), .rank = number };
      if (hir_comm_reads (expr, number))
        rank->posts[i].in = hir_value_ref (rank->values[i]);
      if (hir_comm_writes (expr, number))
        rank->posts[i].out = hir_value_ref (rank->values[i]);
    }
}

static void
rank_clear (Rank *rank)
{
  for (guint i = 0; i < N_KINDS; i++)
    {
      hir_comm_post_clear (&rank->posts[i]);
      hir_value_unref (rank->values[i]);
    }
  hir_container_unref (rank->program);
}

/* The two worlds, with the same posts. */
typedef struct
{
  GRand *rand;
  guint n;
  Rank ranks[MOST_RANKS];
  HirCommWorld *whole, *mixed;
  HirCommunicator *locals[2][MOST_RANKS];
  guint8 plan[MOST_RANKS][LONGEST]; /* number of kinds */
  guint length[MOST_RANKS], at[MOST_RANKS];
  gboolean ended[MOST_RANKS];
  double again; /* probability that a post repeats an earlier one */
  guint n_fits, n_errors;
} Trial;

/* All ranks post the same, except sometimes for one post of one rank. */
static void
plan (Trial *trial)
{
  guint length = (guint) g_rand_int_range (trial->rand, 1, LONGEST);
  guint variety = (guint) g_rand_int_range (trial->rand, 1, N_KINDS + 1);
  guint wrong = (guint) g_rand_int_range (trial->rand, 0, (gint32) trial->n);
  guint first = (guint) g_rand_int_range (trial->rand, 0, N_KINDS);

  for (guint k = 0; k < length; k++)
    {
      guint8 kind =
          (guint8) ((first + (guint) g_rand_int_range (trial->rand, 0, (gint32) variety)) %
                    N_KINDS);

      for (guint i = 0; i < trial->n; i++)
        trial->plan[i][k] = kind;
    }
  for (guint i = 0; i < trial->n; i++)
    trial->length[i] = length;
  if (g_rand_boolean (trial->rand))
    return;
  if (g_rand_boolean (trial->rand))
    trial->length[wrong] = (guint) g_rand_int_range (trial->rand, 0, (gint32) length + 1);
  else
    trial->plan[wrong][g_rand_int_range (trial->rand, 0, (gint32) length)] =
        (guint8) g_rand_int_range (trial->rand, 0, N_KINDS);
}

static void
trial_init (Trial *trial, guint32 seed)
{
  *trial = (Trial){ .rand = g_rand_new_with_seed (seed) };
  trial->n = (guint) g_rand_int_range (trial->rand, 1, MOST_RANKS + 1);
  trial->again = g_rand_boolean (trial->rand) ? 1 : g_rand_double (trial->rand);
  trial->whole = hir_comm_world_new ((int) trial->n);
  trial->mixed = hir_comm_world_new ((int) trial->n);
  for (guint i = 0; i < trial->n; i++)
    {
      rank_init (&trial->ranks[i], (int) i, trial->n);
      trial->locals[0][i] = hir_comm_local_new (trial->whole, (int) i);
      trial->locals[1][i] = hir_comm_local_new (trial->mixed, (int) i);
    }
}

static void
trial_clear (Trial *trial)
{
  for (guint i = 0; i < trial->n; i++)
    for (guint k = 0; k < 2; k++)
      hir_communicator_free (trial->locals[k][i]);
  hir_comm_world_free (trial->whole);
  hir_comm_world_free (trial->mixed);
  for (guint i = 0; i < trial->n; i++)
    rank_clear (&trial->ranks[i]);
  g_rand_free (trial->rand);
}

static void
trial_begin (Trial *trial)
{
  for (guint k = 0; k < 2; k++)
    trial->locals[k][0]->klass->begin (trial->locals[k][0]);
  for (guint i = 0; i < trial->n; i++)
    {
      trial->at[i] = 0;
      trial->ended[i] = FALSE;
    }
}

/* Returns the incomplete communications as a debugger shows them. */
static char *
dup_look (HirCommWorld *world)
{
  g_autoptr (GPtrArray) statuses = hir_comm_world_look (world);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < statuses->len; i++)
    {
      const HirCommStatus *status = g_ptr_array_index (statuses, i);

      g_string_append_printf (text, "%s, %u of %u;", status->where, status->posted->len,
                              status->posted->len + status->missing->len);
    }
  return g_string_free (text, FALSE);
}

static gboolean
post (Trial *trial, guint i, guint kind, gboolean again, GError **error)
{
  HirCommPost *given = &trial->ranks[i].posts[kind];
  HirLocalPersistent *known;

  if (!again)
    return hir_comm_world_match (trial->mixed, (int) i, given, error);
  known = hir_comm_world_get_persistent (trial->mixed, (int) i, given);
  g_assert_nonnull (known);
  return hir_comm_world_match_persistent (trial->mixed, known, given->iteration, error);
}

/* Executes the next action of rank @i in both worlds. Returns FALSE after an error, which must be
 * the same in both. */
static gboolean
step (Trial *trial, guint i)
{
  g_autoptr (GError) a = NULL;
  g_autoptr (GError) b = NULL;
  guint kind = trial->plan[i][trial->at[i]];
  HirCommPost *given = &trial->ranks[i].posts[kind];
  gboolean fits[2];

  if (trial->at[i] == trial->length[i])
    {
      trial->ended[i] = TRUE;
      fits[0] = trial->locals[0][i]->klass->end (trial->locals[0][i], &a);
      fits[1] = trial->locals[1][i]->klass->end (trial->locals[1][i], &b);
    }
  else if (kinds[kind].n_team != 0 && i >= kinds[kind].n_team) /* rank @i does not take part */
    {
      trial->at[i]++;
      return TRUE;
    }
  else
    {
      given->iteration = (gint32) trial->at[i]++;
      g_clear_pointer (&given->where, g_free);
      fits[0] = hir_comm_world_match (trial->whole, (int) i, given, &a);
      fits[1] = post (trial, i, kind, g_rand_double (trial->rand) < trial->again, &b);
    }
  if (a != NULL || b != NULL)
    g_assert_cmpstr (a != NULL ? a->message : "fits", ==, b != NULL ? b->message : "fits");
  g_assert_cmpint (fits[0], ==, a == NULL);
  g_assert_cmpint (fits[1], ==, a == NULL);
  trial->n_fits += a == NULL;
  trial->n_errors += a != NULL;
  return a == NULL;
}

/* Ranks continue in random order, one of them more often. */
static gboolean
run (Trial *trial)
{
  guint favourite = (guint) g_rand_int_range (trial->rand, 0, (gint32) trial->n);
  guint n_left = trial->n;

  while (n_left > 0)
    {
      guint i = g_rand_boolean (trial->rand)
                    ? favourite
                    : (guint) g_rand_int_range (trial->rand, 0, (gint32) trial->n);

      if (trial->ended[i])
        {
          favourite = (favourite + 1) % trial->n;
          continue;
        }
      if (!step (trial, i))
        return FALSE;
      n_left -= trial->ended[i];
      if (g_rand_double (trial->rand) < 0.02)
        {
          g_autofree char *whole = dup_look (trial->whole);
          g_autofree char *mixed = dup_look (trial->mixed);

          g_assert_cmpstr (whole, ==, mixed);
        }
    }
  return TRUE;
}

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static void
test_random (void)
{
  guint64 n = get_number ("HIR_RANDOM_COUNT", RANDOM_COUNT);
  guint32 seed = (guint32) get_number ("HIR_RANDOM_SEED", 1);
  guint n_fits = 0, n_errors = 0;

  for (guint64 i = 0; i < n; i++)
    {
      Trial trial;

      trial_init (&trial, seed + (guint32) i);
      /* A second run starts without posts. */
      for (guint k = 0; k < 2; k++)
        {
          plan (&trial);
          trial_begin (&trial);
          if (!run (&trial))
            break;
        }
      n_fits += trial.n_fits;
      n_errors += trial.n_errors;
      trial_clear (&trial);
    }
  g_test_message ("%u posts and ends that fit, %u errors", n_fits, n_errors);
  g_assert_cmpuint (n_fits, >, n * 10);
  g_assert_cmpuint (n_errors, >, n / 10);
}

/* A rank that is far ahead needs a few bytes per post, and all posts match. */
static void
test_far_ahead (void)
{
  const guint n = 100000;
  g_autoptr (HirCommWorld) world = hir_comm_world_new (2);
  HirCommunicator *locals[2] = { hir_comm_local_new (world, 0), hir_comm_local_new (world, 1) };
  g_autoptr (GError) error = NULL;
  HirLocalPersistent *again[2];
  Rank ranks[2];

  locals[0]->klass->begin (locals[0]);
  for (int i = 0; i < 2; i++)
    {
      rank_init (&ranks[i], i, 2);
      again[i] = hir_comm_world_get_persistent (world, i, &ranks[i].posts[0]);
      /* Equal posts share a handle. */
      g_assert_true (again[i] == hir_comm_world_get_persistent (world, i, &ranks[i].posts[0]));
      g_assert_true (again[i] != hir_comm_world_get_persistent (world, i, &ranks[i].posts[1]));
      for (guint k = 0; k < n; k++)
        g_assert_true (hir_comm_world_match_persistent (world, again[i], (gint32) k, &error));
    }
  for (int i = 0; i < 2; i++)
    {
      g_assert_true (locals[i]->klass->end (locals[i], &error));
      hir_communicator_free (locals[i]);
      g_assert_no_error (error);
    }
  g_clear_pointer (&world, hir_comm_world_free);
  rank_clear (&ranks[0]);
  rank_clear (&ranks[1]);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/comm-persistent/random", test_random);
  g_test_add_func ("/comm-persistent/far-ahead", test_far_ahead);
  return g_test_run ();
}
