#define T float
#define NAME(x) x##_f32
#define F(name) name##f
#include "run/cpu/cpu-lanes-float.h"
