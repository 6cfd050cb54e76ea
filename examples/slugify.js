// Turns a title into a slug for addresses.
//
// Input:  {"text": "Hello World & Friends"}
// Output: {"slug": "hello-world-friends"}
function execute(input) {
  const slug = input.text
    .normalize('NFKD') // é becomes e and an accent, which the next line drops
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return { slug };
}
