#define T gint64
#define NAME(x) x##_i64
#define IS_SIGNED 1
#include "run/cpu/cpu-lanes-int.h"
