/* Tests what the synchronization check finds besides missing synchronization: deadlocks, missing
 * Waits, unwritten and freed memory. Random schedules of messages and collectives are also run. */
#include "analysis/sync-check.h"
#include "program/program-check.h"
#include "tracer-fixture.h"

#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define DEFAULT_RUNS 15
#else
#define DEFAULT_RUNS 40
#endif

#define MAX_EVENTS 8

static HirProgram *
read_text (const char *text, gint64 n_devices)
{
  HirSource *source = hir_source_new ("case.txt", text, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, NULL);
  g_autoptr (GError) error = NULL;
  HirProgram *program;

  hir_source_unref (source);
  if (n_devices > 0)
    request->n_devices = n_devices;
  program = hir_program_new (request, NULL, NULL, &error);
  if (program == NULL || program->error != NULL)
    g_test_message ("%s\n%s", error != NULL ? error->message : program->error->message, text);
  g_assert_no_error (error);
  g_assert_no_error (program->error);
  return program;
}

static char *
read_case (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "cases",
                                            "verdicts", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

static HirSyncCheck *
check_text (const char *text)
{
  g_autoptr (HirProgram) program = read_text (text, 0);
  g_autoptr (GError) error = NULL;
  HirSyncCheck *check = hir_program_check_sync (program, 4, NULL, HIR_SYNC_USES, NULL, &error);

  g_assert_no_error (error);
  return check;
}

/* Returns the only fault. */
static const HirSyncFault *
get_fault (const HirSyncCheck *check, HirSyncFaultKind kind, const char *words)
{
  g_autofree char *text = hir_sync_check_format (check);
  const HirSyncFault *fault;

  g_test_message ("%s", text);
  g_assert_false (hir_sync_check_passed (check));
  g_assert_cmpuint (check->trace->faults->len, ==, 1);
  fault = g_ptr_array_index (check->trace->faults, 0);
  g_assert_cmpint (fault->kind, ==, kind);
  g_assert_nonnull (strstr (text, words));
  return fault;
}

typedef struct
{
  const char *name;
  HirSyncFaultKind kind;
  guint line;
  const char *words;
  guint n_missing;
} Case;

static const Case cases[] = {
  { "sendsend_deadlock.txt", HIR_SYNC_FAULT_DEADLOCK, 4,
    "rank 1, line 9: send T0 → 0 waits for recv T1 from 1 on rank 0 (line 5)", 0 },
  { "send_before_recv.txt", HIR_SYNC_FAULT_DEADLOCK, 4,
    "rank 0, line 4: send T0 → 1 waits for recv T1 from 0 on rank 1 (line 11)", 0 },
  { "wait_in_second_if.txt", HIR_SYNC_FAULT_DEADLOCK, 17,
    "rank 1, line 17, iteration 0: send T0 → StreamIdx waits for recv T3 from 1 in iteration 1",
    0 },
  { "send_not_waited.txt", HIR_SYNC_FAULT_NOT_WAITED, 4, "was not waited for", 1 },
  { "never_written_output.txt", HIR_SYNC_FAULT_UNWRITTEN, 2,
    "output T1 has 1024 elements that nothing writes", 0 },
  { "dealloc_output.txt", HIR_SYNC_FAULT_FREED, 9, "T1 is an output, but is freed here", 0 },
};

static void
test_case (gconstpointer data)
{
  const Case *the = data;
  g_autofree char *text = read_case (the->name);
  g_autoptr (HirSyncCheck) check = check_text (text);
  const HirSyncFault *fault = get_fault (check, the->kind, the->words);
  g_autofree char *json = hir_sync_check_to_json (check, NULL);
  g_autofree char *kind = g_strdup_printf ("{\"kind\":\"%s\",\"line\":%u,",
                                           hir_sync_fault_kind_get_name (the->kind), the->line);

  g_assert_cmpuint (fault->pos.line, ==, the->line);
  g_assert_cmpuint (check->missing->len, ==, the->n_missing);
  g_assert_nonnull (strstr (json, kind));
}

/* Nothing is missing or redundant. */
static void
test_clean (gconstpointer data)
{
  g_autofree char *text = read_case (data);
  g_autoptr (HirSyncCheck) check = check_text (text);

  g_assert_true (hir_sync_check_passed (check));
  for (guint i = 0; i < check->uses->len; i++)
    g_assert_false (g_array_index (check->uses, HirSyncUse, i).is_redundant);
}

#define T(n, a, b) "T" #n "_g_float[ideviceIdx.x" #a "{2}, iS" #b "{4}] (DeviceMesh{0 1})"
#define LOCAL(n, a, b) "T" #n "_g_float[iS" #a "{4}, iS" #b "{4}]"
#define BEGIN "%HostIrContainer { (" T (0, 0, 1) ") -> (" T (1, 2, 3) ") :\n"
#define BEGIN_LOCAL "%HostIrContainer { (" LOCAL (0, 0, 1) ") -> (" LOCAL (1, 2, 3) ") :\n"
#define END "} // %HostIrContainer\n"
#define ALLOCATE(t, zero)                                                                          \
  "  " t " = ALLOCATE(buffer=" t ", mem_type=global, size=8, zero_init=" zero                      \
  ", resets_to_zero=false)\n"
#define COPY(to, from) "  " to "\n     = Set( " from ", cache_op=Streaming )\n"
#define FREE(t) "  Deallocate {\n    " t "\n  }\n"
#define MESSAGE(n, type, t, peer)                                                                  \
  "    P2PCommunication " #n " (type=" type ", buffer=" t ", peer=" #peer ", backend=NCCL)\n"
#define WAIT(n) "    Wait Communication " #n "\n"
#define BROADCAST(n, root)                                                                         \
  "    Communication " #n " (type=Broadcast, team=(0 1), root=" #root                              \
  ", input=" T (0, 0, 1) ", output=" T (1, 2, 3) ", backend=NCCL)\n"

typedef struct
{
  const char *name, *text;
  HirSyncFaultKind kind;
  guint line;
  const char *words;
} Text;

static const Text texts[] = {
  { "wait-before-post",
    BEGIN ALLOCATE (T (1, 2, 3),
                    "true") "  IF Manual ( rank == 0 ):\n" MESSAGE (3, "send", T (0, 0, 1), 1)
        WAIT (3) "  ELSE:\n" WAIT (4) MESSAGE (4, "recv", T (1, 2, 3), 0) END,
    HIR_SYNC_FAULT_ERROR, 7, "was not posted" },
  { "skipped-collective",
    BEGIN ALLOCATE (T (1, 2, 3), "true") "  IF Manual ( rank == 0 ):\n" BROADCAST (3, 0) WAIT (3)
        BROADCAST (4, 0) WAIT (4) "  ELSE:\n" BROADCAST (5, 0) WAIT (5) END,
    HIR_SYNC_FAULT_MISMATCH, 6, "ends without posting it" },
  { "other-root",
    BEGIN ALLOCATE (T (1, 2, 3), "true") "  IF Manual ( rank == 0 ):\n" BROADCAST (3, 0)
        WAIT (3) "  ELSE:\n" BROADCAST (5, 1) WAIT (5) END,
    HIR_SYNC_FAULT_MISMATCH, 4, "have different roots" },
  /* Rank 0 sends first and waits for that before the collective, rank 1 the other way round. */
  { "crossed-communicators",
    BEGIN ALLOCATE (T (1, 2, 3),
                    "true") "  IF Manual ( rank == 0 ):\n" MESSAGE (3, "send", T (0, 0, 1), 1)
        WAIT (3) BROADCAST (4, 0) WAIT (4) "  ELSE:\n" BROADCAST (5, 0) WAIT (5)
            MESSAGE (6, "recv", T (1, 2, 3), 0) WAIT (6) END,
    HIR_SYNC_FAULT_DEADLOCK, 4, "waits for" },
  { "to-itself",
    BEGIN ALLOCATE (T (1, 2, 3), "true") MESSAGE (3, "send", T (0, 0, 1), rank)
        MESSAGE (4, "recv", T (1, 2, 3), rank) WAIT (3) WAIT (4) END,
    HIR_SYNC_FAULT_DEADLOCK, 3, "rank 0" },
  { "double-free",
    BEGIN_LOCAL COPY (LOCAL (1, 2, 3), LOCAL (0, 0, 1)) ALLOCATE (LOCAL (2, 4, 5), "false")
        FREE (LOCAL (2, 4, 5)) FREE (LOCAL (2, 4, 5)) END,
    HIR_SYNC_FAULT_ERROR, 8, "after the Deallocate of T2 in line 5" },
  { "use-after-free",
    BEGIN_LOCAL ALLOCATE (LOCAL (2, 4, 5), "true") FREE (LOCAL (2, 4, 5))
        COPY (LOCAL (1, 2, 3), LOCAL (2, 4, 5)) END,
    HIR_SYNC_FAULT_ERROR, 6, "after the Deallocate of T2 in line 3" },
  { "read-unwritten",
    BEGIN_LOCAL ALLOCATE (LOCAL (1, 2, 3), "false") ALLOCATE (LOCAL (2, 4, 5), "false")
        COPY (LOCAL (1, 2, 3), LOCAL (2, 4, 5)) END,
    HIR_SYNC_FAULT_UNWRITTEN, 4, "16 of 16 elements of T2, [0:4, 0:4]" },
  { "send-unwritten",
    BEGIN ALLOCATE (T (1, 2, 3), "true")
        ALLOCATE (T (2, 4, 5),
                  "false") "  IF Manual ( rank == 0 ):\n" MESSAGE (3, "send", T (2, 4, 5), 1)
            WAIT (3) "  ELSE:\n" MESSAGE (4, "recv", T (1, 2, 3), 0) WAIT (4) END,
    HIR_SYNC_FAULT_UNWRITTEN, 5, "rank 0, line 5: send T2 → 1 4 of 4 elements of T2" },
  { "part-of-output",
    BEGIN_LOCAL ALLOCATE (
        LOCAL (1, 2, 3),
        "false") "  FOR StreamIdx in iStreamIdx9{3}:\n"
                 "    T3_l_float[iS6{4}]\n       = HirAliasSelect( " LOCAL (
                     0,
                     0,
                     1) ", axis = iS0{4}, index = "
                        "StreamIdx )\n    T4_l_float[iS7{4}]\n       = HirAliasSelect( " LOCAL (
                            1, 2, 3) ", axis = "
                                     "iS2{4}, index = StreamIdx )\n  " COPY ("T4_l_float[iS7{4}]",
                                                                             "T3_l_float[iS6{4}]")
                                         END,
    HIR_SYNC_FAULT_UNWRITTEN, 2, "4 of 16 elements of T1, [3:4, 0:4]" },
};

/* The condition stays true, so no row is doubled. */
static const char from_loop[] = BEGIN_LOCAL ALLOCATE (
    LOCAL (1, 2, 3),
    "true") "  FOR i20 from 0 to 3:\n"
            "    T3_l_float[iS6{4}]\n       = HirAliasSelect( " LOCAL (
                0,
                0,
                1) ", axis = iS0{4}, index = "
                   "i20 )\n    T4_l_float[iS7{4}]\n       = HirAliasSelect( " LOCAL (
                       1,
                       2,
                       3) ", axis = "
                          "iS2{4}, index = i20 )\n    IF Manual ( i20 == 0 ):\n      T4_l_float[iS7{4}]\n"
                          "         = Set( T3_l_float[iS6{4}], cache_op=Streaming )\n    ELSE:\n"
                          "      T4_l_float[iS7{4}]\n         = T3_l_float[iS6{4}]\n         + T3_l_float[iS6{4}];\n" END;

static GError *run_program (HirProgram *program, gboolean checks, gboolean *passed);

/* FOR .. from does not invalidate expressions of its index. */
static void
test_stale_index (void)
{
  g_autoptr (HirProgram) program = read_text (from_loop, 0);
  g_autoptr (HirSyncCheck) check = check_text (from_loop);
  const HirSyncFault *fault = get_fault (check, HIR_SYNC_FAULT_STALE, "has 1 instead of 0");
  g_autoptr (GError) error = NULL;
  gboolean passed;

  g_assert_cmpuint (fault->pos.line, ==, 8);
  g_assert_cmpuint (fault->n, ==, 2);
  error = run_program (program, TRUE, &passed);
  g_assert_no_error (error);
  g_assert_false (passed);
}

static void
test_text (gconstpointer data)
{
  const Text *the = data;
  g_autoptr (HirSyncCheck) check = check_text (the->text);
  const HirSyncFault *fault = get_fault (check, the->kind, the->words);

  g_assert_cmpuint (fault->pos.line, ==, the->line);
}

/* A stream that the caller's stream does not follow reads an input until after the program. */
static void
test_input_reuse (void)
{
  g_autoptr (HirSyncCheck) check = check_text (
      "%HostIrContainer { (" LOCAL (0, 0, 1) ") -> (" LOCAL (1, 2, 3) ") :\n" COPY (LOCAL (1, 2, 3),
                                                                                    LOCAL (0, 0, 1))
          ALLOCATE (
              LOCAL (2, 4, 5),
              "false") "  GetCurrentStream into Stream 0\n  SetCurrentStream to Stream ( 1 % numberOfStreams )\n"
                       "  Synchronize Stream 0\n" COPY (
                           LOCAL (2, 4, 5),
                           LOCAL (0, 0, 1)) "  SetCurrentStream to Stream 0\n" END);
  const HirSyncMissing *missing;

  g_assert_cmpuint (check->trace->faults->len, ==, 0);
  g_assert_cmpuint (check->missing->len, ==, 1);
  missing = &g_array_index (check->missing, HirSyncMissing, 0);
  g_assert_cmpint (missing->hazard, ==, HIR_HAZARD_WAR);
  g_assert_cmpint (hir_sync_trace_get_step (check->trace, missing->second)->kind, ==,
                   HIR_SYNC_EXIT);
}

/* A message or a collective of a random schedule. */
typedef struct
{
  gboolean is_message;
  int ranks[3]; /* sender and receiver, or team */
  guint n;
  int root;
} Event;

static Event
choose_event (GRand *rand, int n_ranks)
{
  Event event = { .is_message = g_rand_boolean (rand), .n = 2 };

  event.ranks[0] = g_rand_int_range (rand, 0, n_ranks);
  event.ranks[1] = (event.ranks[0] + g_rand_int_range (rand, 1, n_ranks)) % n_ranks;
  if (!event.is_message && n_ranks == 3 && g_rand_boolean (rand))
    {
      event.n = 3;
      for (int i = 0; i < 3; i++)
        event.ranks[i] = i;
    }
  else if (!event.is_message && event.ranks[0] > event.ranks[1])
    {
      int first = event.ranks[1];

      event.ranks[1] = event.ranks[0];
      event.ranks[0] = first;
    }
  event.root = event.ranks[g_rand_int_range (rand, 0, (gint32) event.n)];
  return event;
}

static gboolean
has_rank (const Event *event, int rank)
{
  for (guint i = 0; i < event->n; i++)
    if (event->ranks[i] == rank)
      return TRUE;
  return FALSE;
}

static void
append_tensor (GString *text, int name, const int *mesh, guint n)
{
  g_string_append_printf (text, "T%d_g_float[ideviceIdx.x%d{%u}, iS%d{4}] (DeviceMesh{", name,
                          2 * name, n, 2 * name + 1);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? " " : "", mesh[i]);
  g_string_append (text, "})");
}

static void
append_allocate (GString *text, const char *indent, int name, const int *mesh, guint n)
{
  g_string_append (text, indent);
  append_tensor (text, name, mesh, n);
  g_string_append (text, " = ALLOCATE(buffer=");
  append_tensor (text, name, mesh, n);
  g_string_append_printf (text,
                          ", mem_type=global, size=%u, zero_init=true, resets_to_zero=false)\n",
                          4 * n);
}

static const int all_ranks[] = { 0, 1, 2 };

/* Appends the side of @rank. Each one has its own tensors, from T<buffer> on. */
static void
append_event (GString *text, const Event *event, int rank, int number, int buffer, guint n_ranks)
{
  if (event->is_message)
    {
      gboolean is_send = event->ranks[0] == rank;

      g_string_append_printf (text, "    P2PCommunication %d (type=%s, buffer=", number,
                              is_send ? "send" : "recv");
      append_tensor (text, buffer, all_ranks, n_ranks);
      g_string_append_printf (text, ", peer=%d, backend=NCCL)\n", event->ranks[is_send ? 1 : 0]);
      return;
    }
  g_string_append_printf (text, "    Communication %d (type=Broadcast, team=(", number);
  for (guint i = 0; i < event->n; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? " " : "", event->ranks[i]);
  g_string_append_printf (text, "), root=%d, input=", event->root);
  append_tensor (text, buffer, event->ranks, event->n);
  g_string_append (text, ", output=");
  append_tensor (text, buffer + 1, event->ranks, event->n);
  g_string_append (text, ", backend=NCCL)\n");
}

/* Appends the instructions of one rank: the events in common order, sometimes with two of them
 * swapped or one left out, on random streams, with Waits at once or at the end, sometimes none, and
 * messages in groups. */
static void
append_rank (GString *text, GRand *rand, const GArray *events, int rank, guint n_ranks, int *number)
{
  g_autofree guint *order = g_new (guint, events->len);
  GString *end = g_string_new (NULL);
  guint skipped = g_rand_int_range (rand, 0, 12) == 0
                      ? (guint) g_rand_int_range (rand, 0, (gint32) events->len)
                      : events->len;
  int buffer = 2 + rank * 2 * MAX_EVENTS;

  for (guint i = 0; i < events->len; i++)
    order[i] = i;
  if (g_rand_boolean (rand))
    {
      guint at = (guint) g_rand_int_range (rand, 0, (gint32) events->len - 1);

      order[at]++;
      order[at + 1]--;
    }
  for (guint i = 0; i < events->len; i++)
    {
      const Event *event = &g_array_index (events, Event, order[i]);
      int own = *number;
      gboolean is_grouped = event->is_message && g_rand_int_range (rand, 0, 4) == 0;

      if (!has_rank (event, rank) || order[i] == skipped)
        continue;
      g_string_append_printf (text, "    SetCurrentStream to Stream ( %d %% numberOfStreams )\n",
                              g_rand_int_range (rand, 0, 3));
      for (int k = 0; k < (event->is_message ? 1 : 2); k++)
        append_allocate (text, "    ", buffer + k, event->is_message ? all_ranks : event->ranks,
                         event->is_message ? n_ranks : event->n);
      if (is_grouped)
        g_string_append (text, "    StartCoalescing\n");
      append_event (text, event, rank, own, buffer, n_ranks);
      buffer += 2;
      if (is_grouped)
        g_string_append_printf (text, "    EndCoalescing %d\n", ++own);
      *number = own + 1;
      if (g_rand_int_range (rand, 0, 60) > 0)
        g_string_append_printf (g_rand_boolean (rand) ? text : end, "    Wait Communication %d\n",
                                own);
    }
  g_string_append (text, end->str);
  g_string_append (text, "    GetCurrentStream into Stream 9\n");
  g_string_free (end, TRUE);
}

static char *
new_schedule (GRand *rand)
{
  int n_ranks = g_rand_int_range (rand, 2, 4), number = 500;
  guint n = (guint) g_rand_int_range (rand, 2, MAX_EVENTS + 1);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (Event));
  GString *text = g_string_new ("%HostIrContainer { (");

  for (guint i = 0; i < n; i++)
    {
      Event event = choose_event (rand, n_ranks);

      g_array_append_val (events, event);
    }
  append_tensor (text, 0, all_ranks, (guint) n_ranks);
  g_string_append (text, ") -> (");
  append_tensor (text, 1, all_ranks, (guint) n_ranks);
  g_string_append (text, ") :\n");
  append_allocate (text, "  ", 1, all_ranks, (guint) n_ranks);
  for (int rank = 0; rank < n_ranks; rank++)
    {
      g_string_append_printf (text, "  IF Manual ( rank == %d ):\n", rank);
      append_rank (text, rand, events, rank, (guint) n_ranks, &number);
    }
  g_string_append (text, END);
  return g_string_free (text, FALSE);
}

/* Returns the error of a run, or NULL. */
static GError *
run_program (HirProgram *program, gboolean checks, gboolean *passed)
{
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, NULL);
  g_autoptr (HirSession) session = NULL;
  HirRunOptions options;
  GError *error = NULL;

  hir_run_options_init (&options);
  options.check = checks;
  session = hir_session_new_ranks (program->printed, (HirContainer *const *) hosts->pdata,
                                   hosts->len, &options, NULL, NULL, &error);
  g_assert_no_error (error);
  (void) !hir_session_run (session, &error);
  if (checks)
    *passed = hir_check_report_passed (hir_session_get_report (session));
  return error;
}

static guint64
get_number (const char *variable, guint64 fallback)
{
  const char *text = g_getenv (variable);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : fallback;
}

/* The check finds a fault exactly if a run fails. */
static void
test_random (void)
{
  guint64 seed = get_number ("HIR_RANDOM_SEED", 1),
          n = get_number ("HIR_RANDOM_COUNT", DEFAULT_RUNS);
  guint n_failed = 0, n_deadlocks = 0;

  for (guint64 i = seed; i < seed + n; i++)
    {
      GRand *rand = g_rand_new_with_seed ((guint32) i);
      g_autofree char *text = new_schedule (rand);
      g_autoptr (HirProgram) program = read_text (text, 0);
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) failure = NULL;
      g_autoptr (HirSyncCheck) check =
          hir_program_check_sync (program, 4, NULL, HIR_SYNC_USES, NULL, &error);

      g_rand_free (rand);
      g_assert_no_error (error);
      failure = run_program (program, FALSE, NULL);
      n_failed += failure != NULL;
      n_deadlocks += hir_sync_faults_count (check->trace->faults, HIR_SYNC_FAULT_DEADLOCK);
      if ((failure != NULL) != (check->trace->faults->len > 0))
        {
          g_autofree char *report = hir_sync_check_format (check);

          g_test_message ("seed %" G_GUINT64_FORMAT "\n%s%s\nrun: %s", i, text, report,
                          failure != NULL ? failure->message : "no error");
        }
      g_assert_cmpint (failure != NULL, ==, check->trace->faults->len > 0);
    }
  g_test_message ("%" G_GUINT64_FORMAT " schedules from seed %" G_GUINT64_FORMAT
                  ": %u fail, of which %u in a deadlock",
                  n, seed, n_failed, n_deadlocks);
  g_assert_cmpuint (n_deadlocks, >, 0);
  g_assert_cmpuint (n_failed, >, n_deadlocks);
  g_assert_cmpuint (n_failed, <, n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sync-faults/case/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sync-faults/%s", texts[i].name);

      g_test_add_data_func (path, &texts[i], test_text);
    }
  g_test_add_data_func ("/sync-faults/case/allreduce_input_reuse.txt", "allreduce_input_reuse.txt",
                        test_clean);
  g_test_add_data_func ("/sync-faults/case/interstream_2026.txt", "interstream_2026.txt",
                        test_clean);
  g_test_add_func ("/sync-faults/stale-index", test_stale_index);
  g_test_add_func ("/sync-faults/input-reuse", test_input_reuse);
  g_test_add_func ("/sync-faults/random-schedules", test_random);
  return g_test_run ();
}
