import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

/** The document that describes the folders of `src`. */
const map = 'docs/architecture.md';
/** Folders that are not in the repository. */
const generated: ReadonlySet<string> = new Set(['.cache', '.git', 'dist', 'node_modules', 'out']);
/** What looks like a path of the repository, but is one of users or of Backline's storage, by document. */
const otherPaths: Readonly<Record<string, readonly string[]>> = {
  'SECURITY.md': ['vite.config.ts'],
  [map]: ['checkpoints/', 'draftImages/', 'drafts/'],
  'docs/protocols/context-providers.md': ['./p.mjs', '/abs/p.mjs', 'tools/p.ts'],
  'examples/providers/README.md': ['providers/hello.mjs'],
};

/** Paths of all files and folders below `folder`. Those of folders end with `/`. */
function entriesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const inside = path.posix.join(folder, entry.name);
    if (!entry.isDirectory()) return [inside];
    return generated.has(entry.name) ? [] : [`${inside}/`, ...entriesBelow(inside)];
  });
}

/** Whether a code span is a path of the repository, and not a command, a method of a protocol or a file of users. */
function isPath(span: string, document: string, topFolders: ReadonlySet<string>): boolean {
  if (otherPaths[document]?.includes(span) === true) return false;
  const isSource = /\.(?:tsx?|mjs|css)$/.test(span);
  const isLayer = /^\w+\/(?:common|node|vscode|browser)\b/.test(span);
  const isFolder = document === map && /^\w+\/$/.test(span);
  return isSource || isLayer || isFolder || topFolders.has(/^(\w+)\//.exec(span)?.[1] ?? '');
}

/** The paths in a document that are not the end of any path in `entries`. */
function missingPaths(document: string, text: string, entries: readonly string[]): string[] {
  const topFolders = new Set(entries.flatMap((entry) => /^(\w+)\//.exec(entry)?.[1] ?? []));
  const spans = [...text.matchAll(/`([\w@./-]+)`/g)].map(([, span = '']) => span);
  const exists = (span: string): boolean =>
    entries.some((entry) => `/${entry}`.endsWith(`/${span}`) || `/${entry}`.endsWith(`/${span}/`));
  return spans.filter((span) => isPath(span, document, topFolders) && !exists(span));
}

/** The relative links of a document that lead nowhere. */
function brokenLinks(document: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link) && !existsSync(path.join(path.dirname(document), link)));
}

describe('the map', () => {
  it('can be read whole: at most 600 lines. Reasons stand in docs/decisions.md, details beside the code', () => {
    assert.ok(readFileSync(map, 'utf8').split('\n').length <= 601);
  });
});

describe('the paths in documents', () => {
  const entries = entriesBelow('.');

  it('are those of files and folders that exist', () => {
    const documents = entries.filter((entry) => entry.endsWith('.md'));
    assert.ok(documents.includes('CONTRIBUTING.md') && documents.includes(map));
    const wrong = documents.flatMap((document) => {
      const text = readFileSync(document, 'utf8');
      return [...missingPaths(document, text, entries), ...brokenLinks(document, text)].map(
        (at) => `${document}: ${at}`,
      );
    });
    assert.deepEqual(wrong, []);
  });

  it('are found in code spans and links', () => {
    const text =
      '`gone.ts` `src/gone` `chat/common/gone` `gone/` `compose.ts` `src/chat/common` `session/load` `npm test`';
    assert.deepEqual(missingPaths(map, text, entries), ['gone.ts', 'src/gone', 'chat/common/gone', 'gone/']);
    const links = '[a](gone.md) [b](commands.md#top) [c](https://example.com/gone.md) [d](#here)';
    assert.deepEqual(brokenLinks('docs/architecture.md', links), ['gone.md']);
  });
});
