function execute() {
  const line = 'red,green;blue violet '.repeat(100);
  let length = 0;
  for (let round = 0; round < 3; round++) {
    length += line.split(/[,; ]/).map((word) => word.trim().toUpperCase().padStart(8, '.')).join('-').length;
  }
  return length;
}
