function execute() {
  const rows = [];
  for (let i = 0; i < 650; i++) rows.push({ name: 'row' + i, rank: (i * 6151) % 89 });
  rows.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
  return rows[0].name + rows[649].name;
}
