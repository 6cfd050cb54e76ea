function execute() {
  const point = { x: 1, y: 2, steps: 0 };
  for (let i = 0; i < 18000; i++) {
    point.x = (point.y + i) % 1009;
    point.y = point.x + point.steps;
    point.steps++;
  }
  return point.x + point.y;
}
