// Reads CSV with a header line, quoted fields and line breaks within them (RFC 4180), into a list of objects.
//
// Input:  {"csv": "city,people\n\"Oslo, NO\",709037\n"}
// Output: [{"city": "Oslo, NO", "people": "709037"}]
function execute(input) {
  const [header, ...rows] = parse(input.csv);
  return rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? null])));
}

function parse(text) {
  const rows = [];
  let row = [];
  // A field is quoted or plain, and ends at a comma, a line break or the end.
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new SyntaxError(`a quote is out of place near character ${at + 1}`);
    row.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
    if (match[3] !== ',') {
      rows.push(row);
      row = [];
    }
  }
  if (row.length > 0) rows.push([...row, '']); // the text ended with a comma
  return rows;
}
