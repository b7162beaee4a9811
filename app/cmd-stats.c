/* Implements `hirscope stats`: computes times, overlap and bandwidths of a trace. */
#include <stdio.h>
#include <string.h>

#include "analysis/stats-write.h"
#include "command-output.h"
#include "command.h"
#include "program/document-recording.h"
#include "spec.h"
#include "time-range.h"
#include "trace-options.h"
#include "trace/track-set.h"

#define MAX_KERNELS 20

typedef struct
{
  gboolean json, by_instruction;
  gboolean launched_only;
  gboolean all;
  char *range;
  char **tracks;
  HirTraceOptions trace;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->range);
  g_strfreev (options->tracks);
  hir_trace_options_clear (&options->trace);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
read_range (const Options *options, HirTrace *trace, HirStatsOptions *stats, GError **error)
{
  gint64 start_ns, end_ns;

  if (options->range == NULL)
    return TRUE;
  hir_trace_get_span (trace, &start_ns, &end_ns);
  if (!hir_time_range_parse (options->range, end_ns - start_ns, &stats->range_start_ns,
                             &stats->range_end_ns, error))
    return FALSE;
  stats->has_range = TRUE;
  stats->range_start_ns += start_ns;
  stats->range_end_ns += start_ns;
  return TRUE;
}

/* Names rows by instruction. Of several rows of one instruction, such as a collective and its
 * copies, each keeps its name too. @names owns the new names. */
static void
name_instructions (HirStats *stats, const HirOpened *opened, GStringChunk *names)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < stats->kernels->len; i++)
    {
      HirKernelStats *row = &g_array_index (stats->kernels, HirKernelStats, i);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, &row->instruction));

      g_hash_table_insert (counts, &row->instruction, GUINT_TO_POINTER (n + 1));
    }
  for (guint i = 0; i < stats->kernels->len; i++)
    {
      HirKernelStats *row = &g_array_index (stats->kernels, HirKernelStats, i);
      const char *label = row->instruction != 0
                              ? hir_program_lookup_label (opened->program, row->instruction)
                              : NULL;
      g_autofree char *both = label != NULL ? g_strdup_printf ("%s: %s", label, row->name) : NULL;

      if (label != NULL)
        row->name = GPOINTER_TO_UINT (g_hash_table_lookup (counts, &row->instruction)) == 1 ? label
                    : strstr (row->name, label) == NULL ? g_string_chunk_insert (names, both)
                                                        : row->name;
    }
}

static int
print_stats (const char *const *paths, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTraceRules) rules = hir_trace_options_create_rules (&options->trace, &error);
  const HirImportOptions import = { .rules = rules };
  g_autoptr (HirOpened) opened =
      rules != NULL ? hir_opened_new_from (paths, &import, NULL, &error) : NULL;
  HirTrace *trace = opened != NULL ? opened->trace : NULL;
  g_autoptr (HirStats) stats = NULL;
  g_autoptr (GArray) tracks = NULL;
  g_autoptr (GStringChunk) names = g_string_chunk_new (256);
  HirStatsOptions stats_options = { .launched_only = options->launched_only,
                                    .all_phases = options->all,
                                    .by_instruction = options->by_instruction };
  HirTextOut out;

  if (trace == NULL || !read_range (options, trace, &stats_options, &error) ||
      !hir_track_set_find (trace, (const char *const *) options->tracks, &tracks, &error) ||
      !hir_stats_check_room (trace, &error))
    return hir_spec_report (error, NULL, NULL);
  stats_options.tracks = tracks;
  stats = hir_stats_new (trace, &stats_options);
  name_instructions (stats, opened, names);
  hir_command_begin_output (&out);
  if (options->json)
    hir_stats_write_json (stats, trace, &out);
  else
    hir_stats_write_text (stats, trace, MAX_KERNELS, &out);
  return hir_command_end_output (&out);
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_auto (GStrv) rest = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json,
      "print one JSON object with all names, in nanoseconds", NULL },
    { "launched-only", 0, 0, G_OPTION_ARG_NONE, &options.launched_only,
      "include only work whose launch is in the trace", NULL },
    { "by-instruction", 0, 0, G_OPTION_ARG_NONE, &options.by_instruction,
      "one row per instruction of the program, not per name", NULL },
    { "all", 0, 0, G_OPTION_ARG_NONE, &options.all, "include setup, warm-up runs and checks",
      NULL },
    { "range", 0, 0, G_OPTION_ARG_STRING, &options.range,
      "only this range of time, such as 10us:2.5ms", "A:B" },
    { "tracks", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.tracks,
      "only tracks whose names match; can be given several times", "GLOB" },
    { NULL },
  };
  GOptionEntry trace_entries[HIR_TRACE_OPTIONS_N_ENTRIES];
  const HirOptionSection sections[] = { { "Options", entries },
                                        { "Classification", trace_entries } };
  int code;

  hir_trace_options_init_entries (&options.trace, trace_entries);
  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (g_strv_length (rest) == 0)
    return hir_command_fail ("hirscope stats requires a TRACE: a recording (.hirs), an Nsight "
                             "Systems export, or Chrome or Kineto JSON with one file per rank; see "
                             "hirscope stats --help");
  return print_stats ((const char *const *) rest, &options);
}

const HirCommand hir_command_stats = {
  .name = "stats",
  .group = "Analyze",
  .arguments = "TRACE...",
  .summary = "report busy, idle and exposed communication time",
  .description =
      "Reports for each device the time that it computes, communicates, copies and idles.\n"
      "Kernels and memsets count as computation, except for kernels of communications, which are\n"
      "recognized by their names; the notes at the end say how many by which rule.\n"
      "Communication is exposed while the device does not compute. A copy is exposed while the\n"
      "device neither computes nor communicates. The total of a device starts with its first work;\n"
      "that of explain starts with the host's first instruction. Overlap is the share of\n"
      "communication during which the device computes. Ranks are compared by how often they start\n"
      "a communication last, and how long the others wait for them.",
  .examples = "hirscope stats m.hirs\n"
              "hirscope stats m.hirs --json\n"
              "hirscope stats joined.hirs --by-instruction\n"
              "hirscope stats m.hirs --range 10us:2.5ms --tracks 'Stream*'",
  .run = run,
};
