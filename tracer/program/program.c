/* Reading and lowering a script, for one rank and for all. */
#include "program/program.h"

#include "program/one-rank.h"
#include "program/program-dump.h"
#include "script/script.h"
#include "sharding/lost-transfer.h"
#include "testing/hold.h"

/* Programs up to this size are handled in a few milliseconds, without another thread. */
#define MAX_QUICK_EXPRS 200

static gboolean
is_large (const HirLowering *lowering)
{
  const HirSnapshot *fusion = lowering->snapshots->len > 0 ? lowering->snapshots->pdata[0] : NULL;

  return fusion != NULL && fusion->program->exprs.len > MAX_QUICK_EXPRS;
}

static HirProgram *
program_new (void)
{
  HirProgram *program = g_new0 (HirProgram, 1);

  g_atomic_ref_count_init (&program->ref_count);
  program->views = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  program->notes = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  return program;
}

HirProgram *
hir_program_ref (HirProgram *program)
{
  g_atomic_ref_count_inc (&program->ref_count);
  return program;
}

void
hir_program_unref (HirProgram *program)
{
  if (program == NULL || !g_atomic_ref_count_dec (&program->ref_count))
    return;

  hir_request_unref (program->request);
  g_ptr_array_unref (program->views);
  g_clear_pointer (&program->lowering, hir_lowering_free);
  hir_container_unref (program->fusion);
  hir_container_unref (program->printed);
  g_clear_pointer (&program->dumps, g_ptr_array_unref);
  g_clear_pointer (&program->rank_printed, g_ptr_array_unref);
  g_free (program->failed_pass);
  g_clear_error (&program->error);
  g_ptr_array_unref (program->notes);
  g_free (program);
}

static gpointer
free_program (gpointer data)
{
  hir_program_unref (data);
  return NULL;
}

/* Frees a program on a new thread. As an idle callback, it runs after the user interface has
 * released its references. */
static gboolean
free_in_thread (gpointer data)
{
  g_thread_unref (g_thread_new ("hir-free", free_program, data));
  return G_SOURCE_REMOVE;
}

void
hir_program_unref_async (HirProgram *program)
{
  if (program != NULL && program->lowering != NULL && is_large (program->lowering))
    g_idle_add_full (G_PRIORITY_LOW, free_in_thread, program, NULL);
  else
    hir_program_unref (program);
}

HirProgram *
hir_program_new_from_views (HirRequest *request, GPtrArray *views)
{
  HirProgram *program = program_new ();

  program->request = request;
  g_ptr_array_unref (program->views);
  program->views = views;
  return program;
}

/* Returns the default of --rank: the lowest device of all meshes. */
static gint64
lowest_device (HirContainer *fusion)
{
  gint64 lowest = G_MAXINT64;

  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      const HirTensor *tensor = fusion->tensors.items[i];

      for (gint64 j = 0; tensor->mesh != NULL && j < tensor->mesh->size; j++)
        lowest = MIN (lowest, tensor->mesh->devices[j]);
    }
  return lowest == G_MAXINT64 ? 0 : lowest;
}

/* Parses the script. The first syntax error becomes @error; all of them are in @diagnostics. */
static HirScript *
parse (const HirRequest *request, GPtrArray *diagnostics, GError **error)
{
  g_autoptr (GPtrArray) own = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  GPtrArray *found = diagnostics != NULL ? diagnostics : own;
  guint n_before = found->len;
  g_autoptr (HirScript) script = hir_script_parse (request->source, found);

  if (hir_script_get_n_errors (script) == 0)
    return g_steal_pointer (&script);

  if (found->len > n_before)
    {
      const HirDiagnostic *first = found->pdata[n_before];

      hir_set_error (error, HIR_ERROR_SYNTAX, &first->pos, "%s", first->message);
    }
  else
    {
      hir_set_error (error, HIR_ERROR_SYNTAX, NULL, "%s does not parse", request->source->path);
    }
  return NULL;
}

/* Adds names that statements use which were not executed. */
static void
add_undefined (HirProgram *program, HirScript *script)
{
  g_autoptr (GPtrArray) found = hir_script_dup_undefined (script);

  for (guint i = 0; i < found->len; i++)
    {
      const HirDiagnostic *one = found->pdata[i];

      g_ptr_array_add (program->notes,
                       hir_diagnostic_new (one->code, one->pos, "%s", one->message));
    }
}

static HirContainer *
run_script (HirProgram *program, HirScript *script, GError **error)
{
  HirRequest *request = program->request;
  HirScriptOptions options = {
    .n_devices = MAX (request->n_devices, 0),
    .args = (const char *const *) request->args,
    .inputs = (const char *const *) request->inputs,
    .dtype = request->dtype,
  };
  HirScriptResult result = { 0 };
  HirContainer *fusion = hir_script_run (script, request->function, &options, &result, error);

  if (fusion == NULL)
    return NULL;

  g_free (request->function);
  request->function = g_strdup (result.function);
  if (request->n_devices < 0)
    request->n_devices = result.n_devices;
  if (request->rank < 0)
    request->rank = lowest_device (fusion);
  hir_request_select (request,
                      result.executor.host_ir_lowering ? HIR_PIPELINE_HOSTIR
                                                       : HIR_PIPELINE_EXECUTOR,
                      result.executor.insert_resharding_after);
  for (guint i = 0; result.notes != NULL && i < result.notes->len; i++)
    {
      const HirDiagnostic *note = result.notes->pdata[i];

      g_ptr_array_add (program->notes,
                       hir_diagnostic_new (note->code, note->pos, "%s", note->message));
    }
  add_undefined (program, script);
  program->executor = result.executor;
  hir_script_result_clear (&result);
  return fusion;
}

static gboolean
is_cancelled (gpointer user_data)
{
  return g_cancellable_is_cancelled (user_data);
}

static HirProgramView *
view_new (const HirSnapshot *snapshot, HirFormat format, GCancellable *cancellable)
{
  HirProgramView *view =
      hir_program_view_new_unless (snapshot->program, format, is_cancelled, cancellable);

  if (view == NULL)
    return NULL;
  g_free (view->pass_name);
  view->pass_name = g_strdup (snapshot->pass_name);
  view->duration_ns = snapshot->duration_ns;
  view->changed = snapshot->changed;
  view->n_created = snapshot->n_created;
  view->n_changed = snapshot->n_changed;
  view->n_removed = snapshot->n_removed;
  view->hash = snapshot->hash;
  return view;
}

typedef struct
{
  const HirProgram *program;
  HirProgramView **views;
  HirLoweringProgress *progress; /* nullable */
  GCancellable *cancellable;     /* nullable */
} Views;

/* @data is the number of a snapshot, from 1. */
static void
make_view (gpointer data, gpointer user_data)
{
  Views *views = user_data;
  guint i = GPOINTER_TO_UINT (data) - 1;

  if (g_cancellable_is_cancelled (views->cancellable))
    return;
  hir_lowering_progress_step (views->progress, "text and graph of each step");
  views->views[i] = view_new (views->program->lowering->snapshots->pdata[i],
                              views->program->request->format, views->cancellable);
}

/* Creates the views, in parallel for large programs: this takes longer than lowering, and views are
 * independent. If cancelled, some views are missing and the program must be discarded. */
static void
add_views (HirProgram *program, HirLoweringProgress *progress, GCancellable *cancellable)
{
  guint n = program->lowering->snapshots->len;
  guint n_threads = MIN (g_get_num_processors (), n);
  g_autofree HirProgramView **made = g_new0 (HirProgramView *, n);
  Views views = { program, made, progress, cancellable };
  GThreadPool *pool = n_threads > 1 && is_large (program->lowering)
                          ? g_thread_pool_new (make_view, &views, (int) n_threads, FALSE, NULL)
                          : NULL;

  /* Start with the last ones, which are the largest. */
  for (guint i = n; i > 0; i--)
    {
      if (pool != NULL)
        g_thread_pool_push (pool, GUINT_TO_POINTER (i), NULL);
      else
        make_view (GUINT_TO_POINTER (i), &views);
    }
  if (pool != NULL)
    g_thread_pool_free (pool, FALSE, TRUE);
  for (guint i = 0; i < n; i++)
    if (made[i] != NULL)
      g_ptr_array_add (program->views, made[i]);
}

/* Takes the error and the views from @program->lowering. */
static void
show_lowering (HirProgram *program, HirLoweringProgress *progress, GCancellable *cancellable)
{
  const HirLowering *lowering = program->lowering;

  if (lowering->error != NULL)
    program->error = g_error_copy (lowering->error);
  if (lowering->failed_pass != NULL)
    program->failed_pass = g_strdup (lowering->failed_pass->name);
  add_views (program, progress, cancellable);
}

typedef struct
{
  HirLoweringProgress *progress;
  GCancellable *cancellable;
} HookData;

static HirPassControl
on_pass (const HirPass *pass, HirContainer *program, gpointer user_data)
{
  const HookData *hook_data = user_data;

  hir_lowering_progress_step (hook_data->progress, pass->name);
  hir_test_hold ("HIRSCOPE_TEST_LOWER_HOLD", hook_data->cancellable);
  return HIR_PASS_APPLY;
}

/* Adds to the error of the executor pipeline that the pipeline of 2026 accepts the fusion. */
static void
suggest_hostir (HirProgram *program, GCancellable *cancellable)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_HOSTIR);
  g_autoptr (HirLowering) lowering = NULL;
  g_autofree char *message = NULL;

  if (program->request->pipeline != HIR_PIPELINE_EXECUTOR ||
      !g_error_matches (program->error, HIR_ERROR, HIR_ERROR_REFUSED))
    return;
  lowering = hir_pipeline_run (pipeline, program->fusion, program->request->rank,
                               program->request->n_devices, cancellable);
  if (lowering->error != NULL)
    return;
  message = program->error->message;
  program->error->message = g_strconcat (message, "; or lower with --pipeline hostir", NULL);
}

static void
add_lost_transfer (HirProgram *program)
{
  HirDiagnostic *lost =
      hir_lowering_find_lost_transfer (program->lowering, program->request->n_devices);

  if (lost != NULL)
    g_ptr_array_add (program->notes, lost);
}

static void
lower (HirProgram *program,
       HirPipeline *pipeline,
       HirLoweringProgress *progress,
       GCancellable *cancellable)
{
  HookData hook_data = { progress, cancellable };
  const HirPassHooks hooks = { .before = on_pass, .user_data = &hook_data };
  guint n_passes = 0;

  for (const HirPass *const *pass = hir_pass_get_table (program->request->pipeline); *pass != NULL;
       pass++)
    n_passes += hir_pipeline_get_enabled (pipeline, (*pass)->name);
  /* Each pass has a step and a view; the fusion has a view. */
  hir_lowering_progress_begin (progress, 2 * n_passes + 1);
  hir_pipeline_add_hooks (pipeline, &hooks);
  program->lowering = hir_pipeline_run (pipeline, program->fusion, program->request->rank,
                                        program->request->n_devices, cancellable);
  if (g_cancellable_is_cancelled (cancellable))
    return;
  show_lowering (program, progress, cancellable);
  suggest_hostir (program, cancellable);
  add_lost_transfer (program);
}

static HirProgram *
new_with_progress (const HirRequest *request,
                   GPtrArray *diagnostics,
                   HirLoweringProgress *progress,
                   GCancellable *cancellable,
                   GError **error)
{
  g_autoptr (HirProgram) program = program_new ();
  g_autoptr (HirPipeline) pipeline = NULL;
  g_autoptr (HirScript) script = NULL;

  program->request = hir_request_dup (request);
  if (!hir_request_check (request, error))
    return NULL;
  if (hir_program_is_dump (request->source))
    return hir_program_fill_from_dump (program, error) ? g_steal_pointer (&program) : NULL;
  script = parse (request, diagnostics, error);
  if (script == NULL)
    return NULL;
  program->fusion = run_script (program, script, error);
  pipeline = program->fusion != NULL ? hir_request_create_pipeline (program->request, error) : NULL;
  if (pipeline == NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;

  lower (program, pipeline, progress, cancellable);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      /* Freeing a large lowering takes long: do not block the caller. */
      if (is_large (program->lowering))
        free_in_thread (g_steal_pointer (&program));
      return NULL;
    }
  return g_steal_pointer (&program);
}

HirProgram *
hir_program_new (const HirRequest *request,
                 GPtrArray *diagnostics,
                 GCancellable *cancellable,
                 GError **error)
{
  return new_with_progress (request, diagnostics, NULL, cancellable, error);
}

HirLowering *
hir_program_lower_for_rank (HirProgram *program,
                            gint64 rank,
                            GCancellable *cancellable,
                            GError **error)
{
  g_autoptr (HirPipeline) pipeline = hir_request_create_pipeline (program->request, error);

  if (pipeline == NULL)
    return NULL;
  return hir_pipeline_run (pipeline, program->fusion, rank, program->request->n_devices,
                           cancellable);
}

HirProgram *
hir_program_new_from_lowering (HirProgram *program, gint64 rank, HirLowering *lowering)
{
  HirProgram *other = program_new ();

  other->request = hir_request_dup (program->request);
  other->request->rank = rank;
  other->fusion = hir_container_ref (program->fusion);
  other->lowering = lowering;
  show_lowering (other, NULL, NULL);
  return other;
}

int
hir_program_find_view (const HirProgram *program, const char *pass_name)
{
  if (g_ascii_strcasecmp (pass_name, "last") == 0)
    return (int) program->views->len - 1;
  for (guint i = 0; i < program->views->len; i++)
    {
      const HirProgramView *view = program->views->pdata[i];

      if (g_ascii_strcasecmp (view->pass_name, pass_name) == 0)
        return (int) i;
    }
  return -1;
}

HirOpTable *
hir_program_dup_ops (const HirProgram *a, const HirProgram *b)
{
  g_autoptr (HirOpTable) table = NULL;

  if (a->request == NULL || b->request == NULL || a->request->pipeline == b->request->pipeline)
    return NULL;
  table = hir_op_table_new (a->views, b->views);
  return hir_op_table_is_one_script (table) ? g_steal_pointer (&table) : NULL;
}

HirContainer *
hir_program_get_step (const HirProgram *program, guint i)
{
  if (program->lowering != NULL)
    return ((HirSnapshot *) program->lowering->snapshots->pdata[i])->program;
  return program->dumps != NULL ? hir_program_get_dump (program, i) : NULL;
}

HirContainer *
hir_program_lookup_fusion (const HirProgram *program)
{
  HirContainer *first = program->fusion == NULL && program->views->len > 0
                            ? hir_program_get_step (program, 0)
                            : program->fusion;

  return first != NULL && first->kind == HIR_CONTAINER_FUSION ? first : NULL;
}

HirProgram *
hir_program_new_from_fusion (const HirProgram *program, HirContainer *fusion)
{
  HirProgram *other = program_new ();

  other->request = hir_request_dup (program->request);
  other->fusion = hir_container_ref (fusion);
  return other;
}

HirContainer *
hir_program_get_host (HirProgram *program)
{
  HirSnapshot *last;

  if (program->lowering == NULL || program->lowering->error != NULL)
    return program->printed;
  last = hir_lowering_get_last (program->lowering);
  return last != NULL && last->program->kind == HIR_CONTAINER_HOST ? last->program : NULL;
}

gboolean
hir_program_is_on_mesh (const HirProgram *program)
{
  const HirContainer *fusion = program->fusion;

  if (fusion == NULL)
    return FALSE;
  for (guint i = 0; i < fusion->tensors.len; i++)
    if (((const HirTensor *) fusion->tensors.items[i])->mesh != NULL)
      return TRUE;
  return FALSE;
}

/* Compares programs by text, which names teams, roots and peers. */
static void
add_host (GPtrArray *hosts, GPtrArray *texts, HirContainer *host)
{
  char *text = hir_container_print (host, HIR_FORMAT_2025, NULL);
  HirContainer *same = host;

  for (guint i = 0; i < texts->len; i++)
    if (g_str_equal (texts->pdata[i], text))
      same = hosts->pdata[i];
  g_ptr_array_add (hosts, hir_container_ref (same));
  g_ptr_array_add (texts, text);
}

static HirContainer *
lower_for (HirProgram *program, gint64 rank, GCancellable *cancellable, GError **error)
{
  g_autoptr (HirLowering) lowering = hir_program_lower_for_rank (program, rank, cancellable, error);
  HirSnapshot *last;

  if (lowering == NULL)
    return NULL;
  last = hir_lowering_get_last (lowering);
  if (lowering->error == NULL && last->program->kind == HIR_CONTAINER_HOST)
    return hir_container_ref (last->program);
  if (lowering->error != NULL)
    {
      HirPos pos = hir_error_get_pos (lowering->error);

      hir_set_error (error, (HirErrorCode) lowering->error->code, &pos,
                     "rank %" G_GINT64_FORMAT ": %s", rank, lowering->error->message);
    }
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "lowering for rank %" G_GINT64_FORMAT " produced no host program", rank);
  return NULL;
}

GPtrArray *
hir_program_dup_rank_hosts (HirProgram *program, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) hosts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  HirContainer *shown = hir_program_get_host (program);

  if (shown == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no host program to run");
      return NULL;
    }
  if (program->printed != NULL)
    return hir_program_dup_printed_hosts (program, error);
  if (program->request->n_devices <= 1 || !hir_program_is_on_mesh (program))
    {
      g_ptr_array_add (hosts, hir_container_ref (shown));
      return g_steal_pointer (&hosts);
    }
  for (gint64 rank = 0; rank < program->request->n_devices; rank++)
    {
      g_autoptr (HirContainer) host = rank == program->request->rank
                                          ? hir_container_ref (shown)
                                          : lower_for (program, rank, cancellable, error);

      if (host == NULL)
        return NULL;
      add_host (hosts, texts, host);
    }
  return g_steal_pointer (&hosts);
}

GPtrArray *
hir_program_dup_run_hosts (HirProgram *program, GCancellable *cancellable, GError **error)
{
  if (program->printed != NULL && program->rank_printed == NULL &&
      !hir_one_rank_check (program->printed, program->request->n_devices, error))
    return NULL;
  return hir_program_dup_rank_hosts (program, cancellable, error);
}

HirProgram *
hir_program_ref_lowered (HirProgram *program, GCancellable *cancellable, GError **error)
{
  if (program->lowering != NULL || program->printed != NULL)
    return hir_program_ref (program);
  if (program->request != NULL)
    return hir_program_new (program->request, NULL, cancellable, error);
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "this recording has no script; open the script");
  return NULL;
}

static void
lower_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  GPtrArray *diagnostics = g_object_get_data (G_OBJECT (task), "diagnostics");
  HirLoweringProgress *progress = g_object_get_data (G_OBJECT (task), "progress");
  GError *error = NULL;
  HirProgram *program = new_with_progress (task_data, diagnostics, progress, cancellable, &error);

  if (program != NULL)
    g_task_return_pointer (task, program, (GDestroyNotify) hir_program_unref);
  else
    g_task_return_error (task, error);
}

void
hir_program_new_async (const HirRequest *request,
                       HirLoweringProgress *progress,
                       GCancellable *cancellable,
                       GAsyncReadyCallback callback,
                       gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, hir_program_new_async);
  g_task_set_task_data (task, hir_request_dup (request), (GDestroyNotify) hir_request_unref);
  g_object_set_data_full (G_OBJECT (task), "diagnostics",
                          g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free),
                          (GDestroyNotify) g_ptr_array_unref);
  if (progress != NULL)
    g_object_set_data_full (G_OBJECT (task), "progress", hir_lowering_progress_ref (progress),
                            (GDestroyNotify) hir_lowering_progress_unref);
  g_task_run_in_thread (task, lower_in_thread);
}

HirProgram *
hir_program_new_finish (GAsyncResult *result, GPtrArray **diagnostics, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  if (diagnostics != NULL)
    *diagnostics = g_ptr_array_ref (g_object_get_data (G_OBJECT (result), "diagnostics"));
  return g_task_propagate_pointer (G_TASK (result), error);
}
