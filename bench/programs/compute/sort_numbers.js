function execute() {
  const numbers = new Float64Array(6000);
  let x = 42;
  for (let i = 0; i < numbers.length; i++) {
    x = (x * 1664525 + 1013904223) % 4294967296;
    numbers[i] = x;
  }
  numbers.sort();
  return numbers[3000];
}
