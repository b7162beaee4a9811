#define T guint64
#define NAME(x) x##_u64
#define IS_SIGNED 0
#include "run/cpu/cpu-lanes-int.h"
