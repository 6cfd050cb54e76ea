// Never ends by itself: the sandbox stops it.
//
//   host run examples/loop.js --timeout 200ms
function execute() {
  for (;;) {
    try {
      for (;;);
    } catch {
      continue; // the end cannot be caught
    }
  }
}
