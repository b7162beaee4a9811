#include "base/control-words.h"

#include <string.h>

/* The first entry that matches counts, so longer phrases come first. */
static const char *const words[][2] = {
  { "--kernel: ", "" },
  { "--drop-sync: ", "" },
  { "hirscope lower prints the program", "the tab Program numbers its lines" },
  { "--comm-scale", "Communication" },
  { "--comm changes", "Method changes" },
  { "record with --baseline to measure it", "turn on Baseline and run to measure it" },
  { "run it without --baseline", "turn off Baseline" },
  { "--baseline", "Baseline" },
  { "record with --trace full", "run the program here to record them" },
  { "\"hirscope join\" ties a trace to its program", "Ctrl+J attaches a trace to its program" },
  { "tie them with hirscope join PROGRAM TRACE -o joined.hirs",
    "attach the trace to its program (Ctrl+J)" },
  { "tie it to its program with hirscope join PROGRAM TRACE -o joined.hirs",
    "attach it to its program (Ctrl+J)" },
  { "neither the trace nor --input gives", "neither the trace nor the program gives" },
  { "give the shapes of the inputs with --input", "enter the shapes of the inputs" },
  { "give the sizes of the inputs: --input 2x3", "enter the shapes of the inputs, like 2x3" },
  { "use smaller --input sizes", "use smaller inputs" },
  { "use smaller shapes with --input", "use smaller inputs" },
  { "times --input", "shapes of inputs" },
  { "--input", "input" },
  { "give more with -d", "choose more devices" },
  { "there are only %d; see -d", "there are only %d; choose more devices" },
  { "see -d", "choose more devices" },
  { "use a larger -d", "choose more devices" },
  { "leave out -d", "choose that number of devices" },
  { "run it with -d", "choose this number of devices:" },
  { "use --clock wall", "choose the wall clock" },
  { "Use --clock model", "Choose the modelled clock" },
  { "--clock model", "the modelled clock" },
  { "omit it with --backend cuda", "turn off GPU" },
  { "use --backend cpu", "turn off GPU" },
  { "or use fewer --streams", "or choose fewer streams" },
  { "fewer --streams", "fewer streams" },
  { "--streams must", "streams must" },
  { "the default of --streams", "the default of the streams" },
  { "add --share-gpus to let them share GPUs, use fewer", "choose fewer devices" },
  { "which cannot be computed with; use --dtype, or hirscope check",
    "which cannot be computed with; use another type in the script, or Check (F7)" },
  { "hirscope check", "Check (F7)" },
  { "run it without --check", "turn off the comparison with hirscope run" },
  { "add --against SCRIPT, or use --program to compare the program with its sequential execution",
    "open its script" },
  { "selects --pipeline hostir, unless --pipeline is given",
    "selects the pipeline Host IR, unless Executor is chosen" },
  { "lower with --pipeline hostir", "choose the pipeline Host IR" },
  { "--pipeline hostir", "pipeline Host IR" },
  { "--rank selects the displayed", "\"Program of\" selects the displayed" },
  { "--list shows all, --arg or [ID] selects", "the menu Parameters shows all" },
  { "--list shows those it has", "the menu Parameters shows those it has" },
  { "make it a parameter and give --arg", "make it a parameter with a default" },
  { "is --comm copy for runs", "means copy engines for runs" },
  { "--comm is nccl, p2p or copy", "NCCL, sends and receives, and copy engines are available" },
  { "by default NCCL (--comm)", "by default NCCL" },
  { "by default ncclSend and ncclRecv (--comm)", "by default ncclSend and ncclRecv" },
  { "or use --to chrome", "or export a Chrome trace" },
  { "narrow it, or raise --timeout", "narrow it" },
  { "increase --timeout", "increase Time Limit in Preferences" },
};

/* Options without a control, as far as messages of the window contain them. */
static const char *const commands[] = {
  "--against", "--arg",  "--check",      "--comm",    "--gpus",  "--json",
  "--repeat",  "--seed", "--share-gpus", "--timeout", "--trace",
};

static gboolean
starts_with_phrase (const char *text, const char *phrase)
{
  gsize length = strlen (phrase);

  return strncmp (text, phrase, length) == 0 &&
         !(g_ascii_isalnum (phrase[length - 1]) &&
           (g_ascii_isalnum (text[length]) || text[length] == '-' || text[length] == '='));
}

/* Appends what replaces the start of @text. Returns its length, or 0. */
static gsize
replace (const char *text, GString *out)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (starts_with_phrase (text, words[i][0]))
      {
        g_string_append (out, words[i][1]);
        return strlen (words[i][0]);
      }
  /* A command that a message names stays as it is. */
  if (g_str_has_prefix (text, "hirscope "))
    {
      gsize length = strcspn (text, ",;\n");

      g_string_append_len (out, text, (gssize) length);
      return length;
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (starts_with_phrase (text, commands[i]))
      {
        g_string_append_printf (out, "hirscope run %s", commands[i]);
        return strlen (commands[i]);
      }
  return 0;
}

char *
hir_control_words_dup (const char *text)
{
  GString *out;

  if (text == NULL)
    return NULL;
  out = g_string_new (NULL);
  while (*text != '\0')
    {
      gsize length = replace (text, out);

      if (length == 0)
        g_string_append_c (out, *text);
      text += MAX (length, 1);
    }
  return g_string_free (out, FALSE);
}
