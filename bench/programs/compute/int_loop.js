function execute() {
  let state = 17;
  for (let i = 0; i < 36000; i++) state = (state * 31 + i) % 65521;
  return state;
}
