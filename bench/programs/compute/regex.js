function execute() {
  let text = '';
  for (let i = 0; i < 220; i++) text += 'order-' + i + ' costs ' + i * 3 + '.50 EUR; ';
  let digits = 0;
  for (const match of text.matchAll(/([a-z]+)-(\d+) costs (\d+\.\d+)/g)) digits += match[2].length + match[3].length;
  return digits + text.replace(/\bEUR\b/g, '€').length;
}
