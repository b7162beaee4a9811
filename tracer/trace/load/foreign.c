#include "trace/load/foreign.h"

#include <string.h>

#include "trace/nsight/nsys-db.h"
#include "trace/text/text-stream.h"

#define HEAD_BYTES 4096
#define TAR_MAGIC 257

typedef struct
{
  const char *suffix; /* of the name; NULL: any */
  const char *magic;  /* first bytes; NULL: any */
  gsize n_magic, at;
  const char *what, *command; /* the command has one %s for the path, or is another advice */
} Format;

#define MAGIC(bytes) bytes, sizeof bytes - 1

#define NSYS_COMMAND "nsys export --type sqlite %s"
#define XPLANE_COMMAND                                                                             \
  "python3 -c 'import sys; from xprof.convert import raw_to_tool_data as r; "                      \
  "open(\"trace.json\", \"w\").write(r.xspace_to_tool_data(sys.argv[1:], \"trace_viewer\", "       \
  "{})[0])' %s"
#define NSYS_AGAIN                                                                                 \
  "export a report of Nsight Systems with: nsys export --type sqlite REPORT.nsys-rep"
#define HTML_ADVICE "open it in a browser and save the trace as JSON"
#define PERFETTO_COMMAND "traceconv json %s trace.json"

/* Names come first, because they are more specific. */
static const Format formats[] = {
  { ".nsys-rep", NULL, 0, 0, "a report of Nsight Systems", NSYS_COMMAND },
  { ".qdrep", NULL, 0, 0, "a report of Nsight Systems", NSYS_COMMAND },
  { ".qdstrm", NULL, 0, 0, "a stream of Nsight Systems", "QdstrmImporter --input-file %s" },
  { ".ncu-rep", NULL, 0, 0, "a report of Nsight Compute, which has no timeline",
    "ncu --import %s --csv" },
  { ".xplane.pb", NULL, 0, 0, "an XPlane profile of JAX or TensorFlow", XPLANE_COMMAND },
  { ".pftrace", NULL, 0, 0, "a Perfetto trace", PERFETTO_COMMAND },
  { ".perfetto-trace", NULL, 0, 0, "a Perfetto trace", PERFETTO_COMMAND },
  { NULL, MAGIC ("PK\003\004"), 0, "a zip archive", "unzip %s" },
  { NULL, MAGIC ("ustar"), TAR_MAGIC, "a tar archive", "tar -xf %s" },
  { NULL, MAGIC ("BZh"), 0, "compressed with bzip2", "bunzip2 -k %s" },
  { NULL, MAGIC ("\x04\x22\x4d\x18"), 0, "compressed with lz4", "lz4 -d %s" },
  { NULL, MAGIC ("7z\xbc\xaf\x27\x1c"), 0, "a 7z archive", "7z x %s" },
  { NULL, MAGIC ("PK\005\006"), 0, "an empty zip archive", "create the archive again" },
  { NULL, MAGIC ("\x1f\x8b"), 0, "compressed with gzip twice", "gunzip -k %s" },
  { NULL, MAGIC ("\x1f\x9d"), 0, "compressed with compress", "uncompress -k %s" },
  { NULL, MAGIC ("\x5d\0\0"), 0, "compressed with lzma", "xz -dk --format=lzma %s" },
  { NULL, MAGIC ("\x89HDF\r\n"), 0, "an HDF5 file", NSYS_AGAIN },
  { NULL, MAGIC ("PAR1"), 0, "a Parquet file", NSYS_AGAIN },
  { NULL, MAGIC ("ARROW1"), 0, "an Arrow file", NSYS_AGAIN },
  { NULL, MAGIC ("OTF2"), 0, "an OTF2 trace", "look at it with otf2-print" },
  { NULL, MAGIC ("PERFILE2"), 0, "a profile of perf",
    "it has samples of the host only; profile with nsys or torch.profiler" },
  { NULL, MAGIC ("\x80\x04\x95"), 0, "a pickle of Python, maybe PyTorch's memory snapshot",
    "trace with torch.profiler and export_chrome_trace()" },
  { NULL, MAGIC ("version https://git-lfs"), 0, "a pointer of Git LFS without the file",
    "git lfs pull --include=%s" },
  { NULL, MAGIC ("<!DOCTYPE"), 0, "an HTML page", HTML_ADVICE },
  { NULL, MAGIC ("<html"), 0, "an HTML page", HTML_ADVICE },
  { NULL, MAGIC ("\xff\xfe\0\0"), 0, "text in UTF-32",
    "iconv -f UTF-32 -t UTF-8 -o trace.json %s" },
  { NULL, MAGIC ("{\0"), 0, "text in UTF-16", "iconv -f UTF-16LE -t UTF-8 -o trace.json %s" },
  { NULL, MAGIC ("[\0"), 0, "text in UTF-16", "iconv -f UTF-16LE -t UTF-8 -o trace.json %s" },
  { NULL, MAGIC ("\0{"), 0, "text in UTF-16", "iconv -f UTF-16BE -t UTF-8 -o trace.json %s" },
  { NULL, MAGIC ("\0["), 0, "text in UTF-16", "iconv -f UTF-16BE -t UTF-8 -o trace.json %s" },
  { NULL, MAGIC ("\xff\xfe"), 0, "text in UTF-16", "iconv -f UTF-16 -t UTF-8 -o trace.json %s" },
  { NULL, MAGIC ("\xfe\xff"), 0, "text in UTF-16", "iconv -f UTF-16 -t UTF-8 -o trace.json %s" },
};

static char *
dup_message (const char *path, const char *what, const char *command)
{
  g_autofree char *quoted = g_shell_quote (path);
  g_auto (GStrv) parts = g_strsplit (command, "%s", 2);

  if (parts[1] == NULL)
    return g_strdup_printf ("%s is %s; %s", path, what, command);
  return g_strdup_printf ("%s is %s; convert it with: %s%s%s", path, what, parts[0], quoted,
                          parts[1]);
}

static gboolean
is_format (const Format *format, const char *path, const char *head, gsize n)
{
  if (format->suffix != NULL && !g_str_has_suffix (path, format->suffix))
    return FALSE;
  return format->magic == NULL || (n >= format->at + format->n_magic &&
                                   memcmp (head + format->at, format->magic, format->n_magic) == 0);
}

/* Both formats are protocol buffers that start with field 1, a message. XPlane's first message is a
 * plane with the name of a host or a device. */
static const Format *
find_protobuf (const char *head, gsize n)
{
  static const Format xplane = { .what = "an XPlane profile of JAX or TensorFlow",
                                 .command = XPLANE_COMMAND };
  static const Format perfetto = { .what = "a Perfetto trace", .command = PERFETTO_COMMAND };

  gboolean is_binary = FALSE;

  if (n < 2 || head[0] != '\n')
    return NULL;
  for (gsize i = 0; i < n; i++)
    is_binary = is_binary || (guint8) head[i] < '\t';
  if (memmem (head, n, "/host:", 6) != NULL || memmem (head, n, "/device:", 8) != NULL)
    return &xplane;
  return is_binary ? &perfetto : NULL;
}

/* JSON Lines: the first line is a whole object, and the next line starts another. */
static const Format *
find_lines (const char *head, gsize n)
{
  static const Format lines = { .what = "a list of JSON objects, one per line",
                                .command = "jq -s . %s > trace.json" };
  const char *end = n > 0 ? memchr (head, '\n', n) : NULL;

  if (end == NULL || end == head || *head != '{' || end + 1 >= head + n || end[1] != '{' ||
      memmem (head, (gsize) (end - head), "\"traceEvents\"", 13) != NULL)
    return NULL;
  return end[-1] == '}' || (end[-1] == '\r' && end - 1 > head && end[-2] == '}') ? &lines : NULL;
}

/* Returns the first bytes of the text. */
static gsize
read_head (const char *path, char *head)
{
  g_autoptr (HirTextStream) stream = hir_text_stream_open (path, NULL);
  gsize n = 0;

  if (stream != NULL)
    hir_text_stream_read (stream, head, HEAD_BYTES, &n, NULL);
  return n;
}

static char *
dup_database_message (const char *path)
{
  HirNsysDb db = { 0 };
  g_autoptr (GPtrArray) tables = NULL;
  const char *what = "an SQLite database of another program";
  const char *command = NSYS_AGAIN;

  if (!hir_nsys_db_open (&db, path, NULL))
    return NULL;
  tables = hir_nsys_db_dup_tables (&db);
  hir_nsys_db_clear (&db);
  for (guint i = 0; i < tables->len; i++)
    if (g_str_has_prefix (tables->pdata[i], "rocpd_"))
      {
        what = "a database of rocprofiler (rocpd)";
        command = "rocpd convert -i %s --output-format pftrace, then traceconv json IN OUT";
      }
    else if (g_str_equal (tables->pdata[i], "StringTable"))
      {
        what = "a database of nvprof";
        command = "nvprof --import-profile %s --print-gpu-trace --csv; or profile with nsys";
      }
    else if (g_str_equal (tables->pdata[i], "STRING_IDS"))
      {
        what = "a database of the Ascend PyTorch profiler";
        command = "export with the profiler's ExportType.Text, which writes trace_view.json";
      }
  return dup_message (path, what, command);
}

char *
hir_foreign_dup_message (const char *path)
{
  char head[HEAD_BYTES] = { 0 };
  const Format *other;
  gsize n;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  n = read_head (path, head);
  if (n >= 16 && memcmp (head, "SQLite format 3", 16) == 0)
    return dup_database_message (path);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (is_format (&formats[i], path, head, n))
      return dup_message (path, formats[i].what, formats[i].command);
  other = find_protobuf (head, n);
  if (other == NULL)
    other = find_lines (head, n);
  return other != NULL ? dup_message (path, other->what, other->command) : NULL;
}
