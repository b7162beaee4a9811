#include "cuda/cupti/cupti-decode.h"
#include "cuda/cupti/cupti-names.h"
#include "fake-cupti-walk.h"

#include <string.h>

#define OLD 24u
#define NEW 130001u

typedef struct
{
  guint32 version;
  GByteArray *bytes;
  GArray *records; /* HirCuptiRecord */
  HirCuptiDecodeCounts counts;
} Fixture;

static HirCuptiResult
walk_old (uint8_t *bytes, size_t valid, HirCuptiActivity **record)
{
  return fake_cupti_walk (OLD, bytes, valid, record);
}

static HirCuptiResult
walk_new (uint8_t *bytes, size_t valid, HirCuptiActivity **record)
{
  return fake_cupti_walk (NEW, bytes, valid, record);
}

static void
set_up (Fixture *f, gconstpointer version)
{
  f->version = GPOINTER_TO_UINT (version);
  f->bytes = g_byte_array_new ();
  f->records = g_array_new (FALSE, FALSE, sizeof (HirCuptiRecord));
}

static void
tear_down (Fixture *f, gconstpointer version)
{
  g_byte_array_unref (f->bytes);
  g_array_unref (f->records);
}

/* Appends a record of @kind. The pointer is valid until the next call. */
static gpointer
add (Fixture *f, guint32 kind)
{
  gsize size = fake_cupti_get_size (f->version, kind);
  guint8 zeros[512] = { 0 };
  guint at = f->bytes->len;

  g_byte_array_append (f->bytes, zeros, (guint) size);
  ((HirCuptiActivity *) (f->bytes->data + at))->kind = kind;
  return f->bytes->data + at;
}

static void
take (const HirCuptiRecord *record, gpointer user_data)
{
  Fixture *f = user_data;

  g_array_append_val (f->records, *record);
}

static void
decode (Fixture *f)
{
  HirCuptiApi api = { .get_next_record = f->version == OLD ? walk_old : walk_new };

  hir_cupti_decode (&api, f->version, f->bytes->data, f->bytes->len, take, f, &f->counts);
}

static const HirCuptiRecord *
get (Fixture *f, guint i)
{
  g_assert_cmpuint (i, <, f->records->len);
  return &g_array_index (f->records, HirCuptiRecord, i);
}

static void
add_kernel (Fixture *f, guint64 start, guint64 end)
{
  HirCuptiKernel *kernel = add (f, HIR_CUPTI_KIND_CONCURRENT_KERNEL);

  kernel->start = start;
  kernel->end = end;
  kernel->device = 1;
  kernel->context = 2;
  kernel->stream = 13;
  kernel->correlation = 77;
  kernel->name = "T5_matmul";
}

static void
test_device_work (Fixture *f, gconstpointer version)
{
  HirCuptiMemcpy *copy;
  HirCuptiMemcpy2 *peer;
  HirCuptiMemset *fill;

  add_kernel (f, 1000, 1500);
  copy = add (f, HIR_CUPTI_KIND_MEMCPY);
  copy->copy_kind = 1;
  copy->bytes = 4096;
  copy->start = 10;
  copy->end = 20;
  copy->correlation = 5;
  peer = add (f, HIR_CUPTI_KIND_MEMCPY2);
  peer->bytes = 1 << 20;
  peer->start = 30;
  peer->end = 31;
  peer->device = peer->source_device = 0;
  peer->destination_device = 1;
  peer->correlation = 6;
  fill = add (f, HIR_CUPTI_KIND_MEMSET);
  fill->bytes = 9;
  fill->start = fill->end = 40;
  fill->stream = 8;
  fill->correlation = 7;
  decode (f);
  g_assert_cmpuint (f->counts.n_records, ==, 4);
  g_assert_cmpuint (f->counts.n_invalid + f->counts.n_untimed + f->counts.n_unknown, ==, 0);
  g_assert_cmpint (get (f, 0)->kind, ==, HIR_CUPTI_KERNEL);
  g_assert_cmpint (get (f, 0)->end_ns - get (f, 0)->start_ns, ==, 500);
  g_assert_cmpuint (get (f, 0)->device, ==, 1);
  g_assert_cmpuint (get (f, 0)->context, ==, 2);
  g_assert_cmpuint (get (f, 0)->stream, ==, 13);
  g_assert_cmpuint (get (f, 0)->correlation, ==, 77);
  g_assert_cmpstr (get (f, 0)->name, ==, "T5_matmul");
  g_assert_cmpint (get (f, 1)->bytes, ==, 4096);
  g_assert_cmpuint (get (f, 1)->correlation, ==, 5);
  g_assert_cmpstr (hir_cupti_copy_get_name (get (f, 1)->detail), ==, "copy to device");
  g_assert_cmpuint (get (f, 2)->to_device, ==, 1);
  g_assert_cmpuint (get (f, 2)->correlation, ==, 6);
  g_assert_cmpint (get (f, 3)->kind, ==, HIR_CUPTI_FILL);
  g_assert_cmpuint (get (f, 3)->stream, ==, 8);
}

static void
test_host_side (Fixture *f, gconstpointer version)
{
  HirCuptiExternal *external = add (f, HIR_CUPTI_KIND_EXTERNAL_CORRELATION);
  HirCuptiCall *call;
  HirCuptiSync *sync;
  HirCuptiEvent *event;
  HirCuptiOverhead *overhead;
  HirCuptiMarker *marker;
  gboolean is_new = hir_cupti_has_event_sync (f->version);

  external->external_kind = HIR_CUPTI_EXTERNAL_CUSTOM0;
  external->id = 1ull << 40;
  external->correlation = 7;
  call = add (f, HIR_CUPTI_KIND_RUNTIME);
  call->call = 211;
  call->start = 1;
  call->end = 2;
  call->thread = 99;
  sync = add (f, HIR_CUPTI_KIND_SYNCHRONIZATION);
  sync->type = HIR_CUPTI_SYNC_STREAM_WAIT;
  sync->start = 3;
  sync->end = 4;
  sync->event = 12;
  if (is_new)
    ((HirCuptiSync2 *) sync)->event_sync = 34;
  event = add (f, HIR_CUPTI_KIND_CUDA_EVENT);
  event->event = 12;
  if (is_new)
    {
      ((HirCuptiEvent2 *) event)->event_sync = 34;
      ((HirCuptiEvent2 *) event)->device_timestamp = 555;
    }
  overhead = add (f, HIR_CUPTI_KIND_OVERHEAD);
  overhead->overhead = HIR_CUPTI_OVERHEAD_FUNCTION_LOADING;
  overhead->start = 5;
  overhead->end = 6;
  marker = add (f, HIR_CUPTI_KIND_MARKER);
  marker->flags = HIR_CUPTI_MARKER_START;
  marker->timestamp = 8;
  marker->id = 3;
  marker->name = "ncclAllGather";
  decode (f);
  g_assert_cmpuint (f->records->len, ==, 6);
  g_assert_cmpuint (get (f, 0)->id, ==, 1ull << 40);
  g_assert_cmpuint (get (f, 0)->correlation, ==, 7);
  g_assert_true (get (f, 1)->is_runtime);
  g_assert_cmpstr (hir_cupti_call_get_name (TRUE, get (f, 1)->detail), ==, "cudaLaunchKernel");
  g_assert_cmpstr (hir_cupti_call_get_name (FALSE, 307), ==, "cuLaunchKernel");
  g_assert_null (hir_cupti_call_get_name (FALSE, 1));
  g_assert_cmpuint (get (f, 2)->id, ==, is_new ? 34 : 0);
  g_assert_cmpuint (get (f, 2)->event, ==, 12);
  g_assert_cmpuint (get (f, 3)->id, ==, is_new ? 34 : 0);
  g_assert_cmpint (get (f, 3)->start_ns, ==, is_new ? 555 : 0);
  g_assert_cmpstr (hir_cupti_overhead_get_name (get (f, 4)->detail), ==, "loading a function");
  g_assert_cmpstr (get (f, 5)->name, ==, "ncclAllGather");
}

static void
test_broken (Fixture *f, gconstpointer version)
{
  add_kernel (f, 1000, 1500);
  add_kernel (f, 0, 0);
  add_kernel (f, 2000, 1999);
  add (f, HIR_CUPTI_KIND_INTERNAL_LAUNCH_API);
  add_kernel (f, 3000, 3000);
  add_kernel (f, 4000, 5000);
  /* Cut off the end of the last record. */
  g_byte_array_set_size (f->bytes, f->bytes->len - 8);
  decode (f);
  g_assert_cmpuint (f->records->len, ==, 2);
  g_assert_cmpint (get (f, 1)->start_ns, ==, 3000);
  g_assert_cmpuint (f->counts.n_records, ==, 5);
  g_assert_cmpuint (f->counts.n_untimed, ==, 1);
  g_assert_cmpuint (f->counts.n_invalid, ==, 2);
  g_assert_cmpuint (f->counts.n_unknown, ==, 1);
}

static void
test_garbage (Fixture *f, gconstpointer version)
{
  guint8 bytes[1000];

  for (guint round = 0; round < 200; round++)
    {
      for (guint i = 0; i < sizeof bytes; i++)
        bytes[i] = (guint8) g_test_rand_int_range (0, 256);
      for (guint i = 0; i < sizeof bytes; i += 8)
        *(guint32 *) (gpointer) (bytes + i) = (guint32) g_test_rand_int_range (0, 50);
      g_byte_array_set_size (f->bytes, 0);
      g_byte_array_append (f->bytes, bytes, sizeof bytes);
      /* Remove overhead records, because they contain a pointer that the decoder frees. */
      for (guint i = 0; i < sizeof bytes; i += 8)
        if (*(guint32 *) (gpointer) (f->bytes->data + i) == HIR_CUPTI_KIND_OVERHEAD)
          f->bytes->data[i] = 1;
      decode (f);
    }
  g_assert_cmpuint (f->counts.n_records, >=, f->records->len);
}

static void
test_names (void)
{
  static const char *const rows[][2] = {
    { "T5_matmul", "T5_matmul" },
    { "_Z31ncclDevKernel_AllGather_RING_LL24ncclDevKernelArgsStorageILm4096EE",
      "ncclDevKernel_AllGather_RING_LL" },
    { "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
      "ncclDevKernel_AllGather_RING_LL" },
    { "_ZN7cutlass7Kernel2I63cutlass_80_tensorop_bf16_s16816gemm_bf16_128x256_32x3_tn_align8EEvNT_"
      "6ParamsE",
      "cutlass_80_tensorop_bf16_s16816gemm_bf16…" },
    { "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi", "vectorized_elementwise_kernel" },
    { "void splitKreduce_kernel<32, 16, int>(cublasSplitKParams<float>)", "splitKreduce_kernel" },
    { "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT" },
    { "_ZN8internal5gemvx6kernelIiiffffLb0ELb1ELb0EEENSt9enable_ifIXntT5_EvE4typeET11_",
      "gemvx::kernel" },
    { "_Z6kernelv", "kernel" },
    { "_Z", "_Z" },
    { "_Z99x", "_Z99x" },
    { "(", "(" },
    { "", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = hir_kernel_dup_short_name (rows[i][0]);

      g_assert_cmpstr (name, ==, rows[i][1]);
    }
}

int
main (int argc, char *argv[])
{
  static const struct
  {
    const char *name;
    void (*run) (Fixture *f, gconstpointer version);
  } tests[] = { { "device-work", test_device_work },
                { "host-side", test_host_side },
                { "broken", test_broken },
                { "garbage", test_garbage } };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (tests); i++)
    {
      guint32 version = i % 2 == 0 ? OLD : NEW;
      g_autofree char *path = g_strdup_printf ("/cupti-decode/%s/%u", tests[i / 2].name, version);

      g_test_add (path, Fixture, GUINT_TO_POINTER (version), set_up, tests[i / 2].run, tear_down);
    }
  g_test_add_func ("/cupti-decode/names", test_names);
  return g_test_run ();
}
