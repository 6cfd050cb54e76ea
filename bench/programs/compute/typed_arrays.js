function execute() {
  const wave = new Float64Array(3500);
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < wave.length; i++) wave[i] = wave[i] * 0.25 + i;
  }
  const bytes = new Uint8Array(wave.buffer);
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 7) sum += bytes[i];
  return sum;
}
