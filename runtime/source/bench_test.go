package source_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/runtime/source"
)

// plain is a tool as a model writes it, of about 1 KB.
const plain = `/**
 * Turns CSV text into rows and sums a column.
 */
const DELIMITER = /[,;\t]/;

function parseLine(line) {
  return line.split(DELIMITER).map((cell) => cell.trim());
}

function toNumber(text) {
  const value = Number(text.replace(/_/g, ''));
  if (Number.isNaN(value)) {
    throw new Error("not a number: " + text);
  }
  return value;
}

async function execute(input) {
  const { csv, column = 'amount', limit } = input;
  const [head, ...lines] = csv.trim().split('\n');
  const names = parseLine(head);
  const index = names.indexOf(column);
  if (index < 0) {
    return { ok: false, reason: ` + "`no column ${column} in ${names.join(', ')}`" + ` };
  }
  let total = 0;
  const rows = [];
  for (const line of lines.slice(0, limit ?? 1000)) {
    const cells = parseLine(line);
    total += toNumber(cells[index] ?? '0');
    rows.push(Object.fromEntries(names.map((name, i) => [name, cells[i]])));
  }
  return { ok: true, rows, total: Math.round(total * 100) / 100 };
}
`

func BenchmarkCheck1KB(b *testing.B) {
	b.SetBytes(int64(len(plain)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := source.Check(plain, source.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck64KB(b *testing.B) {
	block := "{\n" + plain + "}\n"
	code := plain + strings.Repeat(block, (64<<10-len(plain))/len(block))
	b.SetBytes(int64(len(code)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := source.Check(code, source.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
