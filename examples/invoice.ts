// Adds up an invoice in whole cents, with tax rounded per line. TypeScript: types are stripped, not checked.
//
// Input:  {"lines": [{"text": "Tea", "cents": 350, "count": 2, "tax": 0.07}]}
// Output: {"net": 700, "tax": 49, "gross": 749}
interface Line {
  text: string;
  cents: number;
  count: number;
  tax: number;
}

interface Total {
  net: number;
  tax: number;
  gross: number;
}

function execute(input: { lines: Line[] }): Total {
  const total: Total = { net: 0, tax: 0, gross: 0 };
  for (const line of input.lines) {
    const net = line.cents * line.count;
    total.net += net;
    total.tax += Math.round(net * line.tax);
  }
  total.gross = total.net + total.tax;
  return total;
}
