#define T double
#define NAME(x) x##_f64
#define F(name) name
#include "run/cpu/cpu-lanes-float.h"
