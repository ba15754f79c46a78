// Makes dist/site, the folder the server embeds: the browser build, one style sheet, and what lies in public/.
//
//   node tools/site.mjs --wasm FILE --wasm-bindgen PROGRAM
//
// Every file that shrinks gets a .br and a .gz beside it. Only files whose contents changed are written: the server is
// compiled anew when this folder changes, and only then.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import zlib from "node:zlib";
import * as esbuild from "esbuild";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const site = path.join(root, "dist/site");
const stage = path.join(root, "dist/stage");
const { values: options } = parseArgs({
  options: { wasm: { type: "string" }, "wasm-bindgen": { type: "string" } },
});
if (!options.wasm || !options["wasm-bindgen"]) {
  fail("usage: node tools/site.mjs --wasm FILE --wasm-bindgen PROGRAM");
}

/** What the site is to hold: path below it → contents. */
const files = new Map();
browserBuild();
await styleSheet();
publicFiles();
for (const [name, contents] of [...files]) compress(name, contents);
write();

/** wasm-bindgen's glue and the optimised module, as `pkg/`. Kept in dist/stage until the compiled module changes. */
function browserBuild() {
  const module = fs.readFileSync(options.wasm);
  const bindgen = execFileSync(options["wasm-bindgen"], ["--version"]);
  const made = createHash("sha256").update(module).update(bindgen);
  const key = made.update(fs.readFileSync(fileURLToPath(import.meta.url))).digest("hex");
  const stamp = path.join(stage, "key");
  const pkg = path.join(stage, "pkg");
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== key) {
    fs.rmSync(stage, { recursive: true, force: true });
    fs.mkdirSync(pkg, { recursive: true });
    run(options["wasm-bindgen"], [
      "--target", "web", "--no-typescript", "--out-name", "countersign", "--out-dir", pkg, options.wasm,
    ]);
    optimise(path.join(pkg, "countersign_bg.wasm"), path.join(pkg, "countersign.wasm"));
    fs.rmSync(path.join(pkg, "countersign_bg.wasm"));
    fs.writeFileSync(stamp, key);
  }
  for (const name of below(pkg)) {
    const contents = fs.readFileSync(path.join(pkg, name));
    files.set(`pkg/${name}`, name.endsWith(".js") ? minified(contents) : contents);
  }
}

/** The features are those browsers have had for years and rustc emits; with all of them on, Chromium refuses the result. */
function optimise(from, to) {
  run(process.execPath, [
    path.join(root, "tools/node_modules/binaryen/bin/wasm-opt"), "-Oz",
    "--enable-bulk-memory", "--enable-bulk-memory-opt", "--enable-nontrapping-float-to-int", "--enable-sign-ext",
    "--enable-mutable-globals", "--enable-reference-types", "--enable-multivalue",
    from, "-o", to,
  ]);
}

function minified(contents) {
  return Buffer.from(esbuild.transformSync(contents, { loader: "js", format: "esm", minify: true, target: "es2022" }).code);
}

/** style/main.css with everything it imports. A style sheet nobody imports is an error: it would never be seen. */
async function styleSheet() {
  const built = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["style/main.css"],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    // `url("/…")` is the site's business, not a file to bundle.
    plugins: [{
      name: "site-urls",
      setup: (build) =>
        build.onResolve({ filter: /^\// }, ({ kind, path }) => (kind === "url-token" ? { path, external: true } : null)),
    }],
    target: "esnext",
    logLevel: "warning",
  });
  if (built.warnings.length > 0) fail("the style sheets have warnings (above)");
  const imported = new Set(Object.keys(built.metafile.inputs));
  const forgotten = below(path.join(root, "style"))
    .filter((name) => name.endsWith(".css") && !imported.has(`style/${name}`));
  if (forgotten.length > 0) fail(`style/main.css does not import ${forgotten.join(", ")}`);
  files.set("pkg/countersign.css", Buffer.from(built.outputFiles[0].contents));
}

function publicFiles() {
  for (const name of below(path.join(root, "public"))) {
    files.set(name, fs.readFileSync(path.join(root, "public", name)));
  }
}

function compress(name, contents) {
  const brotli = zlib.brotliCompressSync(contents, {
    params: {
      [zlib.constants.BROTLI_PARAM_QUALITY]: zlib.constants.BROTLI_MAX_QUALITY,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
    },
  });
  const gzip = zlib.gzipSync(contents, { level: zlib.constants.Z_BEST_COMPRESSION });
  if (brotli.length < contents.length) files.set(`${name}.br`, brotli);
  if (gzip.length < contents.length) files.set(`${name}.gz`, gzip);
}

function write() {
  let changed = 0;
  for (const [name, contents] of files) {
    const file = path.join(site, name);
    if (fs.existsSync(file) && fs.readFileSync(file).equals(contents)) continue;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, contents);
    changed += 1;
  }
  for (const name of below(site)) {
    if (files.has(name)) continue;
    fs.rmSync(path.join(site, name));
    changed += 1;
  }
  console.log(`dist/site: ${files.size} files, ${changed} changed`);
}

/** Paths of the files below a folder, with forward slashes, sorted; none when it does not exist. */
function below(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)).split(path.sep).join("/"))
    .sort();
}

function run(program, args) {
  execFileSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });
}

function fail(message) {
  console.error(`tools/site.mjs: ${message}`);
  process.exit(1);
}
