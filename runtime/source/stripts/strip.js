// What the bundle does: execute({ code }) gives { code } with the types gone and every line where it was, or
// { error, line, column } for TypeScript that cannot be turned into JavaScript. Columns count characters, both from 1.
import { transform } from "sucrase";

const options = { transforms: ["typescript"], disableESTransforms: true };

export function execute({ code }) {
  try {
    const stripped = transform(code, options).code;
    return lostNamespace(code, stripped) ?? { code: stripped };
  } catch (error) {
    if (error.pos === undefined) throw error;
    const lines = split(code.slice(0, error.pos));
    return failure(error.message.replace(/ \(\d+:\d+\)$/, ""), lines.length, lines.at(-1));
  }
}

// sucrase drops a namespace with all that is in it, which is right for types only. One that is not declared ambient has
// run-time contents, so say that it is lost.
const namespace = /^(.*?)\b(?:namespace|module)\s+[\w$.]+\s*(?:\{|$)/;

function lostNamespace(code, stripped) {
  if (!/\b(namespace|module)\b/.test(code)) return undefined;
  const kept = split(stripped);
  for (const [i, line] of split(code).entries()) {
    const match = namespace.exec(line);
    if (match && !/\bdeclare\b/.test(match[1]) && !kept[i].includes(match[0].slice(match[1].length))) {
      return failure("namespaces are not supported: use plain functions and objects", i + 1, match[1]);
    }
  }
  return undefined;
}

function split(text) {
  return text.split(/\r\n|[\n\r\u2028\u2029]/);
}

// failure is placed behind the text before it on its line.
function failure(error, line, before) {
  return { error, line, column: Array.from(before).length + 1 };
}
