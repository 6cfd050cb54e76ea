function execute() {
  const people = [];
  for (let i = 0; i < 160; i++) people.push({ id: i, name: 'person ' + i, tags: ['x', 'y', 'z'], score: i / 7 });
  let length = 0;
  for (let round = 0; round < 2; round++) length += JSON.stringify(JSON.parse(JSON.stringify(people))).length;
  return length;
}
