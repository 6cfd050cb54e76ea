function* count(limit) {
  for (let i = 0; i < limit; i++) yield i;
}
function execute() {
  let sum = 0;
  for (const n of count(5500)) sum += n;
  return sum;
}
