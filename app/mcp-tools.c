#include "mcp-tools.h"

#include <string.h>

#include "diagnostic.h"

typedef enum
{
  ARG_TEXT,
  ARG_TEXTS,
  ARG_INPUT, /* a text of any length: standard input, "-" on the command line */
  ARG_INT,
  ARG_REAL,
  ARG_FLAG,
} ArgKind;

typedef struct
{
  const char *name;
  const char *option; /* "--range"; NULL: a positional argument */
  ArgKind kind;
  gboolean is_required;
  const char *description;
} Arg;

struct _HirMcpTool
{
  const char *name, *title, *description;
  const char *command;
  const char *options[3];  /* always given; NULL-terminated */
  const char *picture;     /* option that takes the path of a PNG file; NULL: the result is text */
  const Arg *arguments[3]; /* lists of arguments; NULL-terminated */
  gboolean runs;           /* executes a program; requires --allow-run */
};

static const Arg traces[] = {
  { "traces", NULL, ARG_TEXTS, TRUE,
    "Paths: one recording (.hirs), one Nsight Systems SQLite export, or Chrome or Kineto JSON with "
    "one file per rank" },
  { NULL },
};

static const Arg source[] = {
  { "source", NULL, ARG_TEXT, TRUE,
    "FILE.py::FUNCTION, a printed host program, a pass log, a recording, or example:NAME" },
  { "devices", "--devices", ARG_INT, FALSE, "Number of devices" },
  { "rank", "--rank", ARG_INT, FALSE, "Rank whose program is shown" },
  { "args", "--arg", ARG_TEXTS, FALSE, "Parameters of the function, each NAME=VALUE" },
  { "inputs", "--input", ARG_TEXTS, FALSE, "Unsharded shapes of the inputs in order, such as 4x8" },
  { "dtype", "--dtype", ARG_TEXT, FALSE, "float, half, bfloat16 or double, for every tensor" },
  { "pipeline", "--pipeline", ARG_TEXT, FALSE, "executor or hostir" },
  { "enable", "--enable", ARG_TEXTS, FALSE, "Passes to enable" },
  { "disable", "--disable", ARG_TEXTS, FALSE, "Passes to disable" },
  { "set", "--set", ARG_TEXTS, FALSE, "Options of passes, each PASS.OPTION=VALUE" },
  { NULL },
};

static const Arg lower_args[] = {
  { "print", "--print", ARG_TEXT, FALSE,
    "Snapshot to print: a pass, Fusion, last (default) or all; cuda: CUDA C of the kernels" },
  { "diff", "--diff", ARG_FLAG, FALSE, "Print the changes of each pass" },
  { NULL },
};

static const Arg check_args[] = {
  { "streams", "--streams", ARG_INT, FALSE, "Number of streams (default 4)" },
  { "recording", "--recording", ARG_TEXT, FALSE,
    "Recording of the same program, which shows how far apart unordered accesses ran" },
  { NULL },
};

static const Arg stats_args[] = {
  { "range", "--range", ARG_TEXT, FALSE, "Only this range of time, such as 10us:2.5ms" },
  { "tracks", "--tracks", ARG_TEXTS, FALSE, "Only tracks whose names match one of these globs" },
  { "by_instruction", "--by-instruction", ARG_FLAG, FALSE, "One row per instruction" },
  { NULL },
};

static const Arg compare_args[] = {
  { "a", NULL, ARG_TEXT, TRUE, "Path of the first trace" },
  { "b", NULL, ARG_TEXT, TRUE, "Path of the second trace" },
  { NULL },
};

static const Arg query_args[] = {
  { "sql", NULL, ARG_INPUT, FALSE, "One SELECT; the tool query_schema has the tables" },
  { "view", "--view", ARG_TEXT, FALSE,
    "Instead of sql: a prepared query, such as gpus (busy, idle and exposed time), kernels, "
    "collectives, ranks or streams" },
  { "timeout", "--timeout", ARG_REAL, FALSE, "Cancel the query after these seconds (default 60)" },
  { NULL },
};

static const Arg predict_args[] = {
  { "trace", NULL, ARG_TEXT, TRUE, "Path of a recording of hirscope run or hirscope join" },
  { "streams", "--streams", ARG_INT, FALSE, "Number of streams" },
  { "comm_scale", "--comm-scale", ARG_REAL, FALSE, "Communication takes this many times as long" },
  { "kernels", "--kernel", ARG_TEXTS, FALSE,
    "Each NAME=X: work of this instruction or op takes X times as long" },
  { "no_interference", "--no-interference", ARG_FLAG, FALSE,
    "Communication and kernels do not slow each other down" },
  { "drop_sync", "--drop-sync", ARG_INT, FALSE,
    "Omit the Synchronize or Wait in this line of the printed program" },
  { "set", "--set", ARG_TEXTS, FALSE, "Options of passes, each PASS.OPTION=VALUE" },
  { "comm", "--comm", ARG_TEXT, FALSE, "Communicate by nccl, p2p or copy" },
  { NULL },
};

static const Arg timeline_args[] = {
  { "range", "--range", ARG_TEXT, FALSE,
    "Only this range of time from the start of the trace, such as 10us:2.5ms" },
  { "tracks", "--tracks", ARG_TEXTS, FALSE, "Only tracks whose names match one of these globs" },
  { "width_mm", "--width", ARG_REAL, FALSE, "Width in mm at 200 dots per inch (default 180)" },
  { "height_mm", "--height", ARG_REAL, FALSE, "Height in mm (default: as needed)" },
  { "legend", "--legend", ARG_FLAG, FALSE, "Add a legend that explains the colors" },
  { NULL },
};

static const Arg graph_args[] = {
  { "pass", "--print", ARG_TEXT, FALSE, "The pass after which to draw the graph (default: last)" },
  { NULL },
};

static const Arg run_args[] = {
  { "check", "--check", ARG_FLAG, FALSE, "Compare the outputs with the fusion" },
  { "output", "--output", ARG_TEXT, FALSE, "Path of the recording to write (.hirs)" },
  { "backend", "--backend", ARG_TEXT, FALSE, "cpu (default) or cuda" },
  { "clock", "--clock", ARG_TEXT, FALSE, "wall (default) or model" },
  { "streams", "--streams", ARG_INT, FALSE, "Number of streams (default 4)" },
  { "repeat", "--repeat", ARG_INT, FALSE, "Number of runs" },
  { "warmup", "--warmup", ARG_INT, FALSE, "Number of warm-up runs before them" },
  { "timeout", "--timeout", ARG_REAL, FALSE, "Give up after these seconds without progress" },
  { NULL },
};

static const HirMcpTool tools[] = {
  { "lower",
    "Lower a fusion",
    "Prints the host program that a fusion is lowered to, after any pass, in nvFuser's text "
    "format.",
    "lower",
    { NULL },
    NULL,
    { lower_args, source } },
  { "check",
    "Check the synchronization",
    "Finds missing and redundant synchronization, deadlocks and uses of unwritten memory in a host "
    "program, for every possible timing, without running the program.",
    "check",
    { "--json" },
    NULL,
    { check_args, source } },
  { "stats",
    "Statistics of a trace",
    "For each device the time that it computes, communicates, copies and idles, exposed "
    "communication, work by name, collectives with bandwidth and skew, and late ranks. Times are "
    "in ns.",
    "stats",
    { "--json" },
    NULL,
    { stats_args, traces } },
  { "compare",
    "Compare two traces",
    "Lists what takes more or less time in the second trace. Pairs are values of the two traces.",
    "compare",
    { "--json" },
    NULL,
    { compare_args } },
  { "explain",
    "Explain the length of a run",
    "The critical path of each repetition, the causes of lost time, and estimated gains.",
    "explain",
    { "--json" },
    NULL,
    { traces } },
  { "query",
    "Query a trace by SQL",
    "Runs one SELECT on events, kernels, copies, host_ops, collectives, counters, flows, tracks, "
    "ranks, instructions, passes and nodes. Add a LIMIT: a result of more than 4 MiB is an error.",
    "query",
    { "--json" },
    NULL,
    { traces, query_args } },
  { "query_schema",
    "Tables of query",
    "The tables, columns and functions of the tool query.",
    "query",
    { "--schema" },
    NULL,
    { NULL } },
  { "predict",
    "Predict a changed run",
    "Simulates a recorded run with changes and returns measured, simulated and predicted times.",
    "predict",
    { "--json" },
    NULL,
    { predict_args } },
  { "timeline_image",
    "Draw a timeline",
    "A PNG of the timeline of a trace, or of a range of it.",
    "export",
    { "--to=png" },
    "--output",
    { timeline_args, traces } },
  { "graph_image",
    "Draw a graph",
    "A PNG of the graph of a program after a pass.",
    "lower",
    { NULL },
    "--png",
    { graph_args, source } },
  { "run",
    "Run a program",
    "Lowers and executes a program on this machine, and can check and record it.",
    "run",
    { "--json" },
    NULL,
    { run_args, source },
    TRUE },
};

const HirMcpTool *
hir_mcp_tool_lookup (const char *name, gboolean allow_run)
{
  for (guint i = 0; i < G_N_ELEMENTS (tools); i++)
    if (strcmp (tools[i].name, name) == 0)
      return allow_run || !tools[i].runs ? &tools[i] : NULL;
  return NULL;
}

const char *
hir_mcp_tool_get_name (const HirMcpTool *tool)
{
  return tool->name;
}

gboolean
hir_mcp_tool_is_picture (const HirMcpTool *tool)
{
  return tool->picture != NULL;
}

static const Arg *
lookup_argument (const HirMcpTool *tool, const char *name)
{
  for (guint i = 0; tool->arguments[i] != NULL; i++)
    for (const Arg *arg = tool->arguments[i]; arg->name != NULL; arg++)
      if (strcmp (arg->name, name) == 0)
        return arg;
  return NULL;
}

static gboolean
check_names (const HirMcpTool *tool, JsonObject *arguments, GError **error)
{
  g_autoptr (GList) names = json_object_get_members (arguments);

  for (GList *l = names; l != NULL; l = l->next)
    if (lookup_argument (tool, l->data) == NULL)
      {
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "the tool %s has no argument '%s'; tools/list has its schema", tool->name,
                       (const char *) l->data);
        return FALSE;
      }
  return TRUE;
}

/* Appends one value to the words of @arg: "--option=value", or the value itself. */
static void
add_word (const Arg *arg, const char *value, GPtrArray *options, GPtrArray *positional)
{
  if (arg->option != NULL)
    g_ptr_array_add (options, g_strdup_printf ("%s=%s", arg->option, value));
  else
    g_ptr_array_add (positional, g_strdup (value));
}

/* Returns the text of @node if its type is that of @kind, otherwise NULL. */
static char *
dup_scalar (ArgKind kind, JsonNode *node)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (kind == ARG_INT || (kind == ARG_REAL && type == G_TYPE_INT64))
    return type == G_TYPE_INT64 ? g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node))
                                : NULL;
  if (kind == ARG_REAL)
    return type == G_TYPE_DOUBLE
               ? g_strdup (g_ascii_dtostr (text, sizeof text, json_node_get_double (node)))
               : NULL;
  return type == G_TYPE_STRING ? json_node_dup_string (node) : NULL;
}

static gboolean
add_texts (const Arg *arg, JsonNode *node, GPtrArray *options, GPtrArray *positional)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (array == NULL || (arg->is_required && json_array_get_length (array) == 0))
    return FALSE;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      g_autofree char *text = dup_scalar (ARG_TEXT, json_array_get_element (array, i));

      if (text == NULL)
        return FALSE;
      add_word (arg, text, options, positional);
    }
  return TRUE;
}

static gboolean
add_argument (
    const Arg *arg, JsonNode *node, GPtrArray *options, GPtrArray *positional, char **input)
{
  g_autofree char *text = NULL;

  if (arg->kind == ARG_TEXTS)
    return add_texts (arg, node, options, positional);
  if (arg->kind == ARG_FLAG)
    {
      if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_BOOLEAN)
        return FALSE;
      if (json_node_get_boolean (node))
        g_ptr_array_add (options, g_strdup (arg->option));
      return TRUE;
    }
  text = dup_scalar (arg->kind, node);
  if (text == NULL)
    return FALSE;
  add_word (arg, arg->kind == ARG_INPUT ? "-" : text, options, positional);
  if (arg->kind == ARG_INPUT)
    *input = g_steal_pointer (&text);
  return TRUE;
}

static gboolean
add_arguments (const HirMcpTool *tool,
               JsonObject *arguments,
               GPtrArray *options,
               GPtrArray *positional,
               char **input,
               GError **error)
{
  static const char *const kinds[] = {
    [ARG_TEXT] = "a string",  [ARG_TEXTS] = "an array of strings",
    [ARG_INPUT] = "a string", [ARG_INT] = "an integer",
    [ARG_REAL] = "a number",  [ARG_FLAG] = "a Boolean",
  };

  for (guint i = 0; tool->arguments[i] != NULL; i++)
    for (const Arg *arg = tool->arguments[i]; arg->name != NULL; arg++)
      {
        JsonNode *node = arguments != NULL ? json_object_get_member (arguments, arg->name) : NULL;

        if (node != NULL && JSON_NODE_HOLDS_NULL (node))
          node = NULL;
        if (node != NULL ? add_argument (arg, node, options, positional, input) : !arg->is_required)
          continue;
        hir_set_error (error, HIR_ERROR_INPUT, NULL, "the tool %s requires %s as %s%s", tool->name,
                       arg->name, kinds[arg->kind],
                       arg->kind == ARG_TEXTS && arg->is_required ? " that is not empty" : "");
        return FALSE;
      }
  return TRUE;
}

GStrv
hir_mcp_tool_build_command (const HirMcpTool *tool,
                            JsonObject *arguments,
                            const char *picture,
                            char **input,
                            GError **error)
{
  g_autoptr (GPtrArray) options = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) positional = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (options, g_strdup (tool->command));
  for (guint i = 0; tool->options[i] != NULL; i++)
    g_ptr_array_add (options, g_strdup (tool->options[i]));
  if (tool->picture != NULL)
    g_ptr_array_add (options, g_strdup_printf ("%s=%s", tool->picture, picture));
  if ((arguments != NULL && !check_names (tool, arguments, error)) ||
      !add_arguments (tool, arguments, options, positional, input, error))
    return NULL;
  g_ptr_array_add (options, g_strdup ("--"));
  g_ptr_array_extend_and_steal (options, g_steal_pointer (&positional));
  g_ptr_array_add (options, NULL);
  return (GStrv) g_ptr_array_free (g_steal_pointer (&options), FALSE);
}

static void
write_argument (const Arg *arg, HirJsonOut *json)
{
  static const char *const types[] = {
    [ARG_TEXT] = "string", [ARG_TEXTS] = "array", [ARG_INPUT] = "string",
    [ARG_INT] = "integer", [ARG_REAL] = "number", [ARG_FLAG] = "boolean",
  };

  hir_json_out_begin (json, arg->name, '{');
  hir_json_out_add_string (json, "type", types[arg->kind]);
  if (arg->kind == ARG_TEXTS)
    hir_json_out_add_raw (json, "items", "{\"type\":\"string\"}");
  if (arg->kind == ARG_TEXTS && arg->is_required)
    hir_json_out_add_int (json, "minItems", 1);
  hir_json_out_add_string (json, "description", arg->description);
  hir_json_out_end (json, '}');
}

static void
write_schema (const HirMcpTool *tool, HirJsonOut *json)
{
  hir_json_out_begin (json, "inputSchema", '{');
  hir_json_out_add_string (json, "type", "object");
  hir_json_out_begin (json, "properties", '{');
  for (guint i = 0; tool->arguments[i] != NULL; i++)
    for (const Arg *arg = tool->arguments[i]; arg->name != NULL; arg++)
      write_argument (arg, json);
  hir_json_out_end (json, '}');
  hir_json_out_begin (json, "required", '[');
  for (guint i = 0; tool->arguments[i] != NULL; i++)
    for (const Arg *arg = tool->arguments[i]; arg->name != NULL; arg++)
      if (arg->is_required)
        hir_json_out_add_string (json, NULL, arg->name);
  hir_json_out_end (json, ']');
  hir_json_out_add_bool (json, "additionalProperties", FALSE);
  hir_json_out_end (json, '}');
}

void
hir_mcp_tools_write (HirJsonOut *json, gboolean allow_run)
{
  hir_json_out_begin (json, "tools", '[');
  for (guint i = 0; i < G_N_ELEMENTS (tools); i++)
    {
      if (tools[i].runs && !allow_run)
        continue;
      hir_json_out_begin (json, NULL, '{');
      hir_json_out_add_string (json, "name", tools[i].name);
      hir_json_out_add_string (json, "title", tools[i].title);
      hir_json_out_add_string (json, "description", tools[i].description);
      write_schema (&tools[i], json);
      hir_json_out_begin (json, "annotations", '{');
      hir_json_out_add_bool (json, "readOnlyHint", !tools[i].runs);
      hir_json_out_add_bool (json, "openWorldHint", FALSE);
      hir_json_out_end (json, '}');
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}
