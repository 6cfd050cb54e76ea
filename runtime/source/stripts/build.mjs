// Bundles strip.js with sucrase into strip-ts.js, a plain script, and records its sha256. With --check it builds in memory and compares both. The bytes depend on package-lock.json and these files only.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild-wasm";

const here = fileURLToPath(new URL(".", import.meta.url));
const bundle = fileURLToPath(new URL("strip-ts.js", import.meta.url));
const record = fileURLToPath(new URL("strip-ts.js.sha256", import.meta.url));

// What sucrase has for other transforms than TypeScript's, and its check of the options, stay out.
const unused =
  /\/(Options|computeSourceMap|formatTokens|CJSImportProcessor|(CJSImport|JSX|JestHoist|ReactDisplayName|ReactHotLoader|Flow)Transformer)$/;
const leaveOut = {
  name: "leave-out",
  setup(build) {
    build.onResolve({ filter: unused }, ({ path }) => ({ path, namespace: "unused" }));
    build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "exports.validateOptions = () => {};" }));
  },
};

const { outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: ["strip.js"],
  plugins: [leaveOut],
  bundle: true,
  write: false,
  format: "iife",
  globalName: "strip",
  target: "es2023",
  charset: "utf8",
  minify: true,
  legalComments: "none",
  banner: { js: "// Built from runtime/source/stripts; licences in NOTICE beside it." },
  footer: { js: "function execute(input) { return strip.execute(input); }" },
});
const bytes = Buffer.from(outputFiles[0].contents);
const sum = createHash("sha256").update(bytes).digest("hex") + "\n";

if (process.argv.includes("--check")) {
  const same = bytes.equals(await readFile(bundle)) && sum === (await readFile(record, "utf8"));
  console.log(same ? "strip-ts.js is reproduced" : "strip-ts.js differs from what its recipe builds");
  process.exitCode = same ? 0 : 1;
} else {
  await writeFile(bundle, bytes);
  await writeFile(record, sum);
  console.log(`strip-ts.js: ${bytes.length} bytes, sha256 ${sum.trim()}`);
}
