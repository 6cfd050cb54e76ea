function execute() {
  let product = 1n;
  for (let i = 1n; i <= 230n; i++) product *= i;
  let remainder = 0n;
  for (let i = 1n; i < 500n; i++) remainder += product % (i * 1000003n);
  return product.toString().length + remainder.toString();
}
