/* Settings of a run (the options of `run` in hirscope(1)) as plain data, for the command line, the
 * window, the control protocol and recordings. */
#pragma once

#include <gio/gio.h>

#include "run/comm/comm-transport.h"
#include "run/session/session.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_TRACE_OFF,
  HIR_TRACE_KERNELS, /* tasks on streams */
  HIR_TRACE_FULL,    /* also host spans */
} HirTraceLevel;

typedef enum
{
  HIR_BACKEND_CPU,
  HIR_BACKEND_CUDA,
  HIR_N_BACKENDS,
} HirBackendKind;

/* Returns "cpu" or "cuda". */
const char *hir_backend_kind_get_name (HirBackendKind kind);

typedef struct
{
  HirBackendKind backend;
  gboolean model_clock; /* FALSE: wall clock */
  gint64 n_streams;     /* numberOfStreams, 1 or more */
  gint64 n_repeat;      /* recorded runs, 1 or more */
  gint64 n_warmup;
  guint64 seed;      /* of the random input values */
  double timeout_s;  /* time without progress; 0: unlimited */
  gboolean debug;    /* debug the program; see run-server.h */
  gboolean baseline; /* then run each instruction alone, and record what it takes */
  gboolean check;    /* compare results with the reference evaluation */
  HirTraceLevel trace;
  HirCommSettings comm; /* for GPUs */
  char *gpus;           /* nullable: the GPUs to use, "0,1"; NULL: all */
  gboolean share_gpus;  /* ranks may share GPUs */
  char *plant_op;       /* nullable: a test hook, see docs/testing.md#hooks */
  double plant_scale;
} HirRunSettings;

/* Sets the defaults of the command line. */
void hir_run_settings_init (HirRunSettings *settings);
/* Frees the members of @settings. */
void hir_run_settings_clear (HirRunSettings *settings);
/* Copies @from to @to, which must be uninitialized or cleared. */
void hir_run_settings_copy (HirRunSettings *to, const HirRunSettings *from);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirRunSettings, hir_run_settings_clear)

/* Fills in @options, except for inputs and rank. Strings are borrowed from @settings. */
void hir_run_settings_to_options (const HirRunSettings *settings, HirRunOptions *options);

/* Parses a list of GPUs, "0,1", as an array of gint (transfer full). Returns NULL and sets
 * HIR_ERROR_INPUT if it is empty, has something else than numbers, or names a GPU twice. */
GArray *hir_run_settings_parse_gpus (const char *text, GError **error);

/* Serializes @settings as a{sv} (floating). */
GVariant *hir_run_settings_to_variant (const HirRunSettings *settings);
/* Initializes @settings from a{sv} and ignores unknown keys. Returns FALSE with HIR_ERROR_INPUT
 * if a value has the wrong type or is out of range; @settings must be cleared in this case too. */
gboolean hir_run_settings_read (HirRunSettings *settings,
                                GVariant *variant,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_run_settings_read(), but parses the text that a recording has (nullable). Returns FALSE
 * if it is not valid. */
gboolean hir_run_settings_parse (HirRunSettings *settings, const char *text);
/* Describes the settings of a recording (transfer full): "4 streams, 3 runs after 1 to warm up".
 * @text is its meta value "run", a printed variant; returned unchanged if it is not readable. Back
 * end and clock are omitted, and also the check, because only its result (HIR_META_CHECK) shows
 * that the run was checked. */
char *hir_run_settings_to_words (const char *text);

G_END_DECLS
