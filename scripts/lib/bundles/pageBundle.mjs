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
    // It finds only addresses with a scheme.
    alias: { 'linkify-it': inRoot('src', 'transcript', 'browser', 'markdown', 'parser', 'bareAddresses.ts') },
  };
}
