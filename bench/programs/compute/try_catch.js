function execute() {
  let caught = 0;
  for (let i = 0; i < 1100; i++) {
    try {
      if (i % 2) throw new RangeError('odd');
      null.missing;
    } catch (error) {
      caught += error instanceof TypeError ? 2 : error.message.length;
    }
  }
  return caught;
}
