import { readFile } from 'node:fs/promises';
import { inRoot } from '../paths.mjs';

/**
 * A page of a webview: one script and one style sheet, for the Chromium of the oldest VS Code.
 * @param {{ name: string, script: string, style: string }} page `script` and `style` relative to the root
 * @returns {import('esbuild').BuildOptions & { entryPoints: { in: string, out: string }[] }}
 */
export function pageBundle({ name, script, style }) {
  return bundleOf([
    { in: script, out: name },
    { in: style, out: name },
  ]);
}

/** What a page loads only when it needs it, see `src/webview/browser/lateScript.ts`: `code.js` highlights code, `math.js` draws formulas. */
export function lateScriptBundle() {
  return bundleOf([
    { in: 'src/transcript/browser/markdown/code/codeMain.ts', out: 'code' },
    { in: 'src/transcript/browser/markdown/math/mathMain.ts', out: 'math' },
  ]);
}

/**
 * @param {{ in: string, out: string }[]} entryPoints
 * @returns {import('esbuild').BuildOptions & { entryPoints: { in: string, out: string }[] }}
 */
function bundleOf(entryPoints) {
  return {
    entryPoints,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'chrome134',
    // The release contains the complete licenses, see `writeNotices`.
    legalComments: 'none',
    // Warnings of libraries, which nobody would read.
    drop: ['console'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: {
      entities: markdownFile('htmlEntities.ts'),
      'linkify-it': markdownFile('bareAddresses.ts'),
      mdurl: markdownFile('mdurlStub.ts'),
      'punycode.js': markdownFile('mdurlStub.ts'),
      'uc.micro': markdownFile('characterClasses.ts'),
    },
    plugins: [highlightJsAsModule],
  };
}

/**
 * The core of highlight.js is a CommonJS module, also for those who import it. As an ES module it needs no code that
 * connects the two, which makes a page 440 bytes smaller.
 * @type {import('esbuild').Plugin}
 */
const highlightJsAsModule = {
  name: 'highlight.js as an ES module',
  setup(build) {
    build.onLoad({ filter: /[/\\]highlight\.js[/\\]lib[/\\]core\.js$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      const asModule = contents.replace('\nmodule.exports = highlight;\n', '\nexport default highlight;\n');
      if (asModule === contents) throw new Error(`${path} does not export what was expected.`);
      return { contents: asModule };
    });
  },
};

/** @param {string} name */
function markdownFile(name) {
  return inRoot('src', 'transcript', 'browser', 'markdown', 'parser', name);
}
