// Converts an amount of euros by the rates of the day: those of a service or, when it does not answer, those that were saved
// last. It asks for fetch and fs.readFile; what they may reach is up to the policy. rates.yaml holds the folder of a server:
// to run it here, set that of the saved rates first.
//
//   sed "s|/srv/data/rates|$PWD/examples/rates|" examples/rates.yaml > mine.yaml
//   host run examples/convert.js --policy mine.yaml --allow fetch,fs.readFile --input '{"amount": 100, "to": "NOK"}'
async function execute({ amount, to }) {
  const { date, rates } = await latest();
  if (!Object.hasOwn(rates, to)) throw new RangeError(`there is no rate for ${to}, only for ${Object.keys(rates).join(', ')}`);
  return { amount: Math.round(amount * rates[to] * 100) / 100, currency: to, date };
}

async function latest() {
  try {
    const answer = await fetch('https://api.rates.example/v1/latest?base=EUR', {
      headers: { Authorization: 'Bearer secret:RATES_KEY' },
      signal: AbortSignal.timeout(1000),
    });
    if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
    return await answer.json();
  } catch (e) {
    console.warn(`saved rates, because ${e.message}`);
    return JSON.parse(await fs.readFile('latest.json'));
  }
}
