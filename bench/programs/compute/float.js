function execute() {
  let sum = 1;
  for (let i = 1; i <= 10000; i++) sum += Math.sqrt(i) * Math.cos(i) / (1 + Math.abs(sum));
  return Math.round(sum * 1e6);
}
