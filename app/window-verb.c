#include "window-verb.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

#include "command.h"
#include "spec.h"

#if HIR_HAVE_UI
#include "window/application.h"

/* Examples of the gallery, easy ones first: SRC, title and description. */
static const HirExampleCard cards[] = {
  { "example:two_set_ops", "Two set ops",
    "Two copies, split over four streams. One loop does both." },
  { "example:single_set_op", "Single set op", "The smallest program with streams." },
  { "example:matmul_m", "Matmul, rows",
    "The rows of a matmul, split over streams: slices of A and C." },
  { "example:matmul_n", "Matmul, columns",
    "The columns, split over streams: the slices are strided." },
  { "example:batched_matmul", "Batched matmul", "One matrix of the batch on each stream." },
  { "example:single_binary_op", "Binary op", "Two inputs, both sliced in the loop." },
  { "example:reduction", "Reduction", "A sum along one axis; another axis is split over streams." },
  { "example:three_set_ops_disjoint_loops", "Disjoint loops",
    "The op in the middle is not split over streams: two loops with synchronization between." },
  { "example:single_set_op_non_outermost", "An inner axis",
    "Streams over columns, and how this changes the slices." },
  { "example:ag_matmul -d 8", "Gather and multiply",
    "Eight devices: each gathers the next slice from the others while it multiplies." },
  { "example:allgather_p2p -d 4", "Messages",
    "Four devices gather with sends and receives, one exchange per stream." },
  { "example:refused_split_axis", "Rejected schedule",
    "A schedule that the compiler rejects, with the error at its line." },
};

/* Returns the number of devices of the card of an example, or -1 if it has none. */
static gint64
get_card_devices (const char *spec)
{
  gsize length = strcspn (spec, " ");

  for (guint i = 0; i < G_N_ELEMENTS (cards); i++)
    if (strncmp (cards[i].spec, spec, length) == 0 &&
        g_str_has_prefix (cards[i].spec + length, " -d "))
      return g_ascii_strtoll (cards[i].spec + length + strlen (" -d "), NULL, 10);
  return -1;
}

/* Loads @spec. The number of devices of a card of the gallery applies to its example, unless the
 * command line has -d. */
static HirRequest *
open_spec (const char *spec, gpointer user_data, GError **error)
{
  HirLoweringOptions options = *(const HirLoweringOptions *) user_data;
  g_autofree char *name = NULL;

  if (!g_str_has_prefix (spec, "example:"))
    return hir_spec_load (spec, user_data, error);
  name = g_strndup (spec, strcspn (spec, " "));
  if (options.n_devices < 0)
    options.n_devices = get_card_devices (spec);
  return hir_spec_load (name, &options, error);
}

static int
open_window (HirLoweringOptions *lowering, char **specs)
{
  const HirWindowHost host = { cards, G_N_ELEMENTS (cards), open_spec, lowering };
  int code = hir_application_run (&host, (const char *const *) specs);

#ifdef __SANITIZE_ADDRESS__
  return code; /* leaks are reported at exit */
#else
  /* Skip exit handlers: the one of OpenBLAS waits forever for threads that are inside a large
   * matrix product. All persistent state is already written. */
  fflush (NULL);
  _exit (code);
#endif
}

#else

static int
open_window (HirLoweringOptions *lowering, char **specs)
{
  return hir_command_fail (
      "this build has no window; rebuild with GTK 4.8, libadwaita and GtkSourceView 5, or use "
      "hirscope lower, run and export");
}

#endif

static const HirCommand window_command = {
  .name = "",
  .arguments = "[FILE...]",
  .description =
      "Opens the window on each FILE, or on the gallery of examples. FILE is FILE.py::FUNCTION,\n"
      "example:NAME, FILE.hirs, or a trace of another profiler (Chrome or Kineto JSON, Nsight\n"
      "Systems SQLite). Several JSON files in a row open as one trace of several ranks.\n"
      "An example of the gallery has the number of devices of its card unless -d is given.\n"
      "A button of the window changes the number of devices and the shapes of the inputs later.\n"
      "hirscope --help lists the commands.",
  .takes_src = TRUE,
};

int
hir_window_verb_run (int argc, char **argv)
{
  g_auto (HirLoweringOptions) lowering = { 0 };
  g_auto (GStrv) rest = NULL;
  g_autoptr (GError) error = NULL;
  const HirOptionSection sections[] = {
    { "Lowering", hir_lowering_options_get_entries (&lowering) },
  };
  int code;

  if (!hir_command_parse (&window_command, sections, G_N_ELEMENTS (sections), argc, argv, &rest,
                          &code))
    return code;
  if (!hir_lowering_options_check (&lowering, &error))
    return hir_spec_report (error, NULL, NULL);
  for (guint i = 0; rest[i] != NULL; i++)
    if (!hir_spec_exists (rest[i], &error))
      return hir_spec_report (error, NULL, NULL);
  return open_window (&lowering, rest);
}
