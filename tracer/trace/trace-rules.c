/* Each distinct name is matched once; the events are then classified by their name's index. */
#include "trace/trace-rules.h"

#include <string.h>

#include "diagnostic.h"
#include "trace/trace-builder-private.h"

#define MAX_PATTERNS 200 /* of the user; more are ignored */
#define ACCOUNT_PREFIX "classified by name: "

typedef enum
{
  CLASS_COMPUTE,
  CLASS_FUSED,
  CLASS_COMM,
  CLASS_COPY,
  CLASS_FILL,
  CLASS_SYNC,
  N_CLASSES,
} Class;

typedef struct
{
  Class class;
  const char *name; /* as the account calls it */
  const char *pattern;
} Row;

/* Words of kernels that compute, and of collectives that they contain. */
#define COMPUTE "(?:gemm|matmul|linear|fmha|attention|conv[123]d|mlp)"
#define COLLECTIVE "(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all)"

/* Matched without regard to case; the first match counts. The names are those of the libraries'
 * kernels in profiles of 2023 to 2026. */
static const Row rows[] = {
  /* Inductor names a kernel after all ops around it, even those that others carry out. */
  { CLASS_COMPUTE, "Inductor", "^triton_[a-z]+_fused_" },
  { CLASS_FUSED, "computation fused with a collective",
    "^(?!.*nccl)(?:.*" COMPUTE ".*" COLLECTIVE "|.*" COLLECTIVE ".*" COMPUTE
    "|.*(?:gemm|matmul|linear)_?(?:ar|rs|a2a)(?![a-z0-9])"
    "|.*(?<![a-z])(?:ag|a2a)_?(?:gemm|matmul|linear)"
    "|.*dispatch.*(?:gemm|gmm|ffn).*combine)" },
  { CLASS_COPY, "copy of a communication of Hirscope", "^copy for " },
  { CLASS_COPY, "ROCm copy", "__amd_rocclr_copy" },
  { CLASS_FILL, "ROCm fill", "__amd_rocclr_fill" },
  { CLASS_SYNC, "ROCm wait", "__amd_rocclr_streamopswait" },
  { CLASS_COPY, "copy of the runtime",
    "^(?:memory_copy_|\\[cuda memcpy|memcpy(?: |$|_async|[dhp](?:2|to)[dhp])|sdma_sqe|"
    "(?:hip|hc|cu|cuda)memcpy|copy(?:host|device)to(?:host|device)|copybuffer|"
    "copy (?:host|device|peer) to |copy-(?:start|done)(?![a-z])|"
    "zecommandlistappend(?:memory|image)copy|clenqueue(?:read|write|copy))" },
  { CLASS_FILL, "fill of the runtime",
    "^(?:memory_(?:set|fill)|\\[cuda memset|memset(?: |$)|(?:hip|cu|cuda)memset|fillbuffer|"
    "zecommandlistappendmemoryfill|clenqueuefill)" },
  { CLASS_SYNC, "wait of the runtime",
    "^(?:(?:event|notify)_(?:wait|record|reset)(?![a-z])|zecommandlistappend(?:barrier|wait)|"
    "(?:cuda|hip)streamwait|custreamwait|clenqueue(?:barrier|marker))" },
  { CLASS_COMM, "RCCL", "rccl" },
  { CLASS_COMM, "oneCCL", "oneccl|(?<![a-z])ccl(?:::|_)" },
  { CLASS_COMM, "NCCL", "nccl" },
  { CLASS_COMM, "HCCL", "hccl|hcom_" },
  { CLASS_COMM, "MSCCL++", "msccl" },
  { CLASS_COMM, "another library like NCCL",
    "(?<![a-z])(?:[a-z]{1,3}ccl|cncl)(?:::|_|dev|kernel)" },
  { CLASS_COMM, "NVSHMEM", "nvshmem" },
  { CLASS_COMM, "another SHMEM",
    "rocshmem|(?<![a-z])ishmem|"
    "(?:barrier|sync(?:_all)?|quiet|broadcast\\d*|fcollect\\d*|alltoall\\d*|reduce\\w*|"
    "rdxn\\w*|signal\\w*)_on_stream_kernel" },
  { CLASS_COMM, "DeepEP", "(?:deep|hybrid|nixl)_?ep(?![a-z])" },
  { CLASS_COMM, "MoE dispatch and combine",
    "pplx|mori::|moe_?(?:a2a|comm|all_?to_?all)|"
    "(?:moe|(?<![a-z])ep|a2a|moe_?ep)_?(?:distribute_?)?(?:dispatch|combine)" },
  { CLASS_COMM, "custom all-reduce", "cross_device_reduce|custom_?all_?reduce|quick_?reduce" },
  { CLASS_COMM, "TensorRT-LLM or FlashInfer all-reduce",
    "(?:all_?reduce|(?<![a-z])ar)_fusion|trtllm_\\w*all_?reduce|lamport" },
  { CLASS_COMM, "Userbuffers", "userbuffers" },
  { CLASS_COMM, "symmetric memory", "multimem|symm(?:etric)?_?mem(?:ory)?(?:::|_)|c10d::" },
  { CLASS_COMM, "message of XLA", "^%?(?:send|recv)(?:-done)?(?:\\.\\d+)?$" },
  { CLASS_COMM, "name of a collective",
    "(?<!warp|block|warp_|block_|quad|quad_|cta|cta_|thread|thread_|wave|wave_)"
    "(?:all_?reduce|all_?gather|reduce_?scatter|all_?(?:to|2)_?all|(?<![a-z])send_?recv|"
    "(?<![a-z0-9])a2a(?![a-z0-9])|"
    "all-(?:reduce|gather|to-all)|reduce-scatter|collective-(?:permute|broadcast))" },
};

typedef struct
{
  Class class;
  char *name;
  GRegex *regex;
  gboolean is_whole; /* looks at template and function arguments, too */
} Rule;

struct _HirTraceRules
{
  gatomicrefcount ref_count;
  GArray *rules; /* Rule */
  gboolean is_narrow;
};

static void
clear_rule (gpointer data)
{
  Rule *rule = data;

  g_free (rule->name);
  g_clear_pointer (&rule->regex, g_regex_unref);
}

static HirTraceRules *
rules_new (void)
{
  HirTraceRules *rules = g_new0 (HirTraceRules, 1);

  g_atomic_ref_count_init (&rules->ref_count);
  rules->rules = g_array_new (FALSE, FALSE, sizeof (Rule));
  g_array_set_clear_func (rules->rules, clear_rule);
  return rules;
}

gboolean
hir_trace_rules_is_narrow (const HirTraceRules *rules)
{
  return rules->is_narrow;
}

HirTraceRules *
hir_trace_rules_ref (HirTraceRules *rules)
{
  g_atomic_ref_count_inc (&rules->ref_count);
  return rules;
}

void
hir_trace_rules_unref (HirTraceRules *rules)
{
  if (!g_atomic_ref_count_dec (&rules->ref_count))
    return;
  g_array_unref (rules->rules);
  g_free (rules);
}

static gboolean
add_patterns (HirTraceRules *rules, const char *const *patterns, Class class, GError **error)
{
  for (guint i = 0; patterns != NULL && patterns[i] != NULL && rules->rules->len < MAX_PATTERNS;
       i++)
    {
      g_autoptr (GError) why = NULL;
      GRegex *regex = g_regex_new (patterns[i], G_REGEX_OPTIMIZE, 0, &why);
      Rule rule = { class, NULL, regex, TRUE };

      if (regex == NULL)
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "the pattern \"%s\" is not a regular expression: %s", patterns[i],
                         why->message);
          return FALSE;
        }
      rule.name = g_strdup_printf ("the pattern %s", patterns[i]);
      g_array_append_val (rules->rules, rule);
    }
  return TRUE;
}

static void
add_row (HirTraceRules *rules, const Row *row, GRegexCompileFlags flags)
{
  Rule rule = { row->class, g_strdup (row->name),
                g_regex_new (row->pattern, flags | G_REGEX_OPTIMIZE, 0, NULL),
                row->class == CLASS_COMM && strcmp (row->pattern, "nccl") == 0 };

  g_assert (rule.regex != NULL);
  g_array_append_val (rules->rules, rule);
}

HirTraceRules *
hir_trace_rules_new (const char *const *comm_patterns,
                     const char *const *copy_patterns,
                     gboolean is_narrow,
                     GError **error)
{
  static const Row narrow = { CLASS_COMM, "nccl in the name", "nccl" };
  g_autoptr (HirTraceRules) rules = rules_new ();

  rules->is_narrow = is_narrow;
  if (!add_patterns (rules, comm_patterns, CLASS_COMM, error) ||
      !add_patterns (rules, copy_patterns, CLASS_COPY, error))
    return NULL;
  if (is_narrow)
    add_row (rules, &narrow, 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows) && !is_narrow; i++)
    add_row (rules, &rows[i], G_REGEX_CASELESS);
  return g_steal_pointer (&rules);
}

static gpointer
create_default (gpointer data)
{
  return hir_trace_rules_new (NULL, NULL, FALSE, NULL);
}

void
hir_trace_builder_set_rules (HirTraceBuilder *builder, HirTraceRules *rules)
{
  static GOnce once = G_ONCE_INIT;

  if (rules == NULL)
    rules = g_once (&once, create_default, NULL);
  g_clear_pointer (&builder->rules, hir_trace_rules_unref);
  builder->rules = hir_trace_rules_ref (rules);
}

/* Returns the length of a kernel's own name: without the arguments of the function and, unless it
 * only launches what they name, of the template, because these may name other things. */
static gsize
get_function_length (const char *name)
{
  gboolean is_launcher = strstr (name, "cutlass::") != NULL;
  gsize n = 0;

  for (; name[n] != '\0' && (name[n] != '<' || is_launcher || n == 0); n++)
    if (n > 0 && name[n] == '(' && !g_str_has_prefix (name + n, "(anonymous namespace)"))
      break;
  return n;
}

/* What is known of a name: the index of its rule + 1, or one of these. */
#define NOT_MATCHED 0
#define NOT_TRIED G_MAXUINT8

static guint8
match (const HirTraceRules *rules, const char *name)
{
  g_autofree char *function = g_strndup (name, get_function_length (name));

  for (guint i = 0; i < rules->rules->len; i++)
    {
      const Rule *rule = &g_array_index (rules->rules, Rule, i);

      if (g_regex_match (rule->regex, rule->is_whole ? name : function, 0, NULL))
        return (guint8) (i + 1);
    }
  return NOT_MATCHED;
}

/* Classifies a kind of device work. Kinds that the file states are kept, unless the rules are
 * narrow. */
static HirEventKind
get_kind (const HirTraceRules *rules, HirEventKind kind, const Rule *rule)
{
  if (kind != HIR_EVENT_KERNEL && kind != HIR_EVENT_COMMUNICATION && kind != HIR_EVENT_MEMCPY)
    return kind;
  if (rule != NULL && rule->class == CLASS_COMM)
    return HIR_EVENT_COMMUNICATION;
  if (kind == HIR_EVENT_COMMUNICATION)
    return rules->is_narrow ? HIR_EVENT_KERNEL : kind;
  if (kind == HIR_EVENT_KERNEL && rule != NULL && rule->class == CLASS_COPY)
    return HIR_EVENT_MEMCPY;
  if (kind == HIR_EVENT_KERNEL && rule != NULL && rule->class == CLASS_SYNC)
    return HIR_EVENT_SYNC;
  return kind == HIR_EVENT_KERNEL && rule != NULL && rule->class == CLASS_FILL ? HIR_EVENT_MEMSET
                                                                               : kind;
}

static void
classify_track (const HirTraceRules *rules,
                const HirTrace *trace,
                HirTrackData *track,
                guint8 *matches,
                guint64 *counts)
{
  const guint32 *names = track->columns.data[HIR_COLUMN_NAME];
  const guint32 *instructions = track->columns.data[HIR_COLUMN_INSTRUCTION];
  guint8 *flags = track->columns.data[HIR_COLUMN_FLAGS];

  for (guint i = 0; i < track->columns.n && names != NULL; i++)
    {
      guint8 *number = &matches[names[i]];
      HirEventKind kind = flags[i] & HIR_FLAG_KIND;
      const Rule *rule;

      if (*number == NOT_TRIED)
        *number = match (rules, hir_trace_get_string (trace, names[i]));
      rule = *number != NOT_MATCHED ? &g_array_index (rules->rules, Rule, *number - 1) : NULL;
      if (rule == NULL && !rules->is_narrow)
        continue;
      /* In earlier recordings, the local copy of a collective has the name of the collective. */
      if (kind == HIR_EVENT_MEMCPY && rule != NULL && !rule->is_whole && instructions != NULL &&
          instructions[i] != 0)
        continue;
      flags[i] = (guint8) ((flags[i] & ~HIR_FLAG_KIND) | get_kind (rules, kind, rule));
      counts[*number] += kind <= HIR_EVENT_COMMUNICATION;
    }
}

/* Replaces the lines of a file that was exported by Hirscope. */
static void
write_account (const HirTraceRules *rules, HirTraceBuilder *builder, const guint64 *counts)
{
  static const char *const texts[N_CLASSES] = {
    "computation",   "computation and communication in one kernel",
    "communication", "copies",
    "memory set",    "waits"
  };
  GPtrArray *account = builder->trace->account;

  for (guint i = account->len; i-- > 0;)
    if (strstr (account->pdata[i], ACCOUNT_PREFIX) != NULL)
      g_ptr_array_remove_index (account, i);
  for (int class = 0; class < N_CLASSES; class ++)
    {
      g_autoptr (GString) line = g_string_new (NULL);

      for (guint i = 0; i < rules->rules->len; i++)
        {
          const Rule *rule = &g_array_index (rules->rules, Rule, i);

          if ((int) rule->class == class && counts[i + 1] > 0)
            g_string_append_printf (line, "%s%" G_GUINT64_FORMAT " by %s",
                                    line->len > 0 ? ", " : "", counts[i + 1], rule->name);
        }
      if (line->len > 0)
        g_ptr_array_add (account,
                         g_strdup_printf (ACCOUNT_PREFIX "%s: %s", texts[class], line->str));
    }
}

gboolean
hir_trace_builder_classify (HirTraceBuilder *builder)
{
  const HirTraceRules *rules = builder->rules;
  HirTrace *trace = builder->trace;
  g_autofree guint8 *matches = g_try_new (guint8, trace->strings.n);
  guint64 counts[G_MAXUINT8 + 1] = { 0 };

  if (matches == NULL)
    return FALSE;
  memset (matches, NOT_TRIED, trace->strings.n);
  for (guint t = 0; t < trace->tracks->len; t++)
    {
      HirTrackData *track = g_ptr_array_index (trace->tracks, t);

      if (track->info.kind == HIR_TRACK_STREAM)
        classify_track (rules, trace, track, matches, counts);
    }
  write_account (rules, builder, counts);
  for (guint32 i = 0; i < trace->strings.n; i++)
    if (matches[i] != NOT_MATCHED && matches[i] != NOT_TRIED &&
        g_array_index (rules->rules, Rule, matches[i] - 1).class == CLASS_FUSED)
      g_hash_table_add (trace->fused, GUINT_TO_POINTER (i));
  return TRUE;
}

gboolean
hir_trace_is_fused (const HirTrace *trace, guint32 name)
{
  return g_hash_table_contains (trace->fused, GUINT_TO_POINTER (name));
}
