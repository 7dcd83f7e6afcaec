import { inRoot } from './paths.mjs';

/**
 * A page of a webview: one script and one style sheet, for the Chromium of the oldest VS Code.
 * @param {{ name: string, script: string, style: string }} page `script` and `style` relative to the root
 * @returns {import('esbuild').BuildOptions & { entryPoints: { in: string, out: string }[] }}
 */
export function pageBundle({ name, script, style }) {
  return {
    entryPoints: [
      { in: script, out: name },
      { in: style, out: name },
    ],
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
  };
}

/** @param {string} name */
function markdownFile(name) {
  return inRoot('src', 'transcript', 'browser', 'markdown', 'parser', name);
}
