function execute() {
  const numbers = Array.from({ length: 3500 }, (_, i) => i);
  const adders = [1, 2, 3].map((step) => (n) => n + step);
  return numbers
    .map((n) => adders[n % 3](n))
    .filter((n) => n % 3 !== 0)
    .reduce((sum, n) => sum + n, 0);
}
