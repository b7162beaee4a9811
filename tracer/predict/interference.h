/* How work of a GPU slows down other work beside it (docs/predict.md#interference). The constants
 * are what tests/compat/fit-interference fits on nccl-high.hirs and p2p.hirs of
 * screenshots/overlap; tests/app/test-predict.py compares them. */
#pragma once

/* The last wave of a kernel is this share of its time alone. It leaves multiprocessors free, so
 * other work can start, and does not slow down the kernel. */
#define HIR_INTERFERENCE_WAVE 0.25
/* A kernel that starts in the last wave of another one takes longer by this share after it. */
#define HIR_INTERFERENCE_TAIL 0.03
/* Before its last wave, a kernel beside a communication is slower by this factor. */
#define HIR_INTERFERENCE_KERNEL 2.73
/* In total, communications slow a kernel down by at most this share of its time alone. */
#define HIR_INTERFERENCE_LIMIT 0.41
/* A communication beside a kernel is slower by this factor. */
#define HIR_INTERFERENCE_COMMUNICATION 1.68
/* A copy on the device beside a kernel is slower by this factor. */
#define HIR_INTERFERENCE_COPY 4.51
