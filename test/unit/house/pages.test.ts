import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pageBundles } from '../../../scripts/lib/bundles/pages.mjs';

/** Names of the pages that the host can load; see `PageFiles`. */
function loadedPages(): string[] {
  const source = readFileSync('src/webview/vscode/loadPage.ts', 'utf8');
  const [, names = ''] = /readonly name: ([^;]*);/.exec(source) ?? [];
  return [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
}

describe('the pages that the host loads', () => {
  const built = pageBundles().flatMap(({ entryPoints }) => entryPoints.map(({ in: file, out }) => ({ file, out })));

  it('are built, each with a script and a style sheet', () => {
    const names = loadedPages();
    assert.ok(names.includes('conversations') && names.length >= 5, names.join());
    for (const name of names) {
      const files = built.filter(({ out }) => out === name).map(({ file }) => file.replace(/^.*\./, ''));
      assert.deepEqual(files.sort(), ['css', 'tsx'], name);
    }
  });

  it('are shipped', () => {
    const shipped = readFileSync('test/package/expected-files.txt', 'utf8').split('\n');
    for (const name of loadedPages())
      for (const end of ['css', 'js']) assert.ok(shipped.includes(`dist/pages/${name}.${end}`), `${name}.${end}`);
  });
});
