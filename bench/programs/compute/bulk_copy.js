function execute() {
  const bytes = new Uint8Array(1 << 20);
  for (let round = 0; round < 12; round++) {
    bytes.copyWithin(9, 0);
    bytes.fill(round, 0, 1 << 19);
  }
  return bytes[5] + bytes[1 << 19];
}
