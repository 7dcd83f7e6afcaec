import assert from 'node:assert/strict';
import * as path from 'node:path';
import { pageBundle } from '../../../scripts/lib/bundles/pageBundle.mjs';
import { namesOf, readNames, sourcesBelow, targetOf, type SourceNames } from '../../support/sourceNames';

/** What others call by its name: VS Code and the Amp CLI. */
const calledFromOutside: Readonly<Record<string, readonly string[]>> = {
  'src/extension.ts': ['activate', 'deactivate'],
  'src/amp/plugin/backlineDiagnostics.ts': ['description', 'default'],
};

/** Files that packages import in pages, in place of other packages. */
function standIns(): string[] {
  const { alias = {} } = pageBundle({ name: 'page', script: 'page.tsx', style: 'page.css' });
  return Object.values(alias).map((file) => path.relative(process.cwd(), file).split(path.sep).join('/'));
}

/** Exported names of sources below `folder` that no file imports, as `file: names`. */
function unusedExports(sources: ReadonlyMap<string, SourceNames>, folder: string): string[] {
  const files = new Set(sources.keys());
  const used = new Map<string, Set<string>>();
  for (const [file, { imports }] of sources) {
    for (const { specifier, names } of imports) {
      const target = targetOf(file, specifier, files);
      if (target !== undefined) used.set(target, new Set([...(used.get(target) ?? []), ...names]));
    }
  }
  return [...sources].flatMap(([file, { exports }]) => {
    const known = new Set([...(used.get(file) ?? []), ...(calledFromOutside[file] ?? [])]);
    const unused = known.has('*') ? [] : [...new Set(exports)].filter((name) => !known.has(name));
    return file.startsWith(folder) && unused.length > 0 ? [`${file}: ${unused.join(', ')}`] : [];
  });
}

function unusedIn(texts: Readonly<Record<string, string>>): string[] {
  return unusedExports(new Map(Object.entries(texts).map(([file, text]) => [file, readNames(file, text)])), 'src/');
}

describe('exported names of src', () => {
  it('are each imported by another source, a test, a benchmark or a script', () => {
    const files = ['src', 'test', 'bench', 'scripts'].flatMap(sourcesBelow);
    const sources = new Map(files.map((file) => [file, namesOf(file)]));
    for (const file of standIns()) sources.set(file, { ...namesOf(file), exports: [] });
    assert.deepEqual(unusedExports(sources, 'src/'), []);
  });

  it('are found unused by their own names: functions, types, constants and what is taken apart', () => {
    const a = [
      'export function made() {}',
      'export interface Made { readonly x: typeof made }',
      'export type Other = Made;',
      'export const one = 1, [two, { three }] = list;',
      'const own = 1;',
      'export { own as renamed };',
    ];
    assert.deepEqual(unusedIn({ 'src/a.ts': a.join('\n') }), ['src/a.ts: made, Made, Other, one, two, three, renamed']);
  });

  it('count as used by every way to import them', () => {
    const a = 'abcdefgh'.split('').map((name) => `export const ${name} = 1;`);
    const imports = [
      "import { a as other, type b } from '../src/a';",
      "import * as all from '../src/a';",
      'const [c, type] = [all.c, (x: all.d) => x];',
      "export { e } from '../src/a';",
      "type F = import('../src/a').f;",
      "const { g } = await import('../src/a');",
      "void import('../src/a').then(({ h }) => h);",
    ];
    assert.deepEqual(unusedIn({ 'src/a.ts': a.join('\n') }), ['src/a.ts: a, b, c, d, e, f, g, h']);
    assert.deepEqual(unusedIn({ 'src/a.ts': a.join('\n'), 'test/b.ts': imports.join('\n') }), []);
    const comment = "/** @type {import('../src/a').a} */\nexport const x = 1;";
    assert.deepEqual(unusedIn({ 'src/a.ts': 'export const a = 1;', 'scripts/b.mjs': comment }), []);
  });
});
