/* The guest side of the sandbox: QuickJS-ng and our shim as one translation unit, so that the shim reaches
   engine internals (the stack limit, the evaluator, promise data) without exporting them. */
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h" /* printf into a buffer */
#include "quickjs.c"

#include "state.h"   /* what host and guest share, and the imports */
#include "buffer.h"  /* growing text with a cap */
#include "json.h"    /* strict JSON out */
#include "report.h"  /* what was thrown, for the host */
#include "timers.h"  /* setTimeout and kin */
#include "requests.h" /* calls of host functions */
#include "native.h"  /* what the web pieces and the glue of host functions call */
#include "run.h"     /* load, call, pump: the one export */
