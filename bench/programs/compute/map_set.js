function execute() {
  const counts = new Map();
  const seen = new Set();
  for (let i = 0; i < 1500; i++) {
    const key = 'word' + ((i * 37) % 450);
    counts.set(key, (counts.get(key) || 0) + 1);
    seen.add(i % 700);
  }
  let sum = 0;
  for (const [key, count] of counts) sum += key.length * count;
  return sum + seen.size;
}
