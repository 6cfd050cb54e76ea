// Shows async code and timers: tries an unreliable step again, waiting longer each time.
//
// Input:  {"failures": 2}
// Output: {"attempts": 3, "waited": [10, 20]}
async function execute(input) {
  const waited = [];
  for (let attempt = 1; ; attempt++) {
    try {
      await step(attempt, input.failures);
      return { attempts: attempt, waited };
    } catch (error) {
      if (attempt === 5) throw new Error('gave up after 5 attempts', { cause: error });
      const pause = 10 * 2 ** (attempt - 1);
      console.warn(`attempt ${attempt}: ${error.message}; trying again in ${pause} ms`);
      waited.push(pause);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

async function step(attempt, failures) {
  if (attempt <= failures) throw new Error('not yet');
}
