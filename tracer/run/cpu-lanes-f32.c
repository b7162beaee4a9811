#define T float
#define NAME(x) x##_f32
#define F(name) name##f
#include "run/cpu-lanes-float.h"
