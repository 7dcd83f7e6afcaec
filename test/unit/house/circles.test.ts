import assert from 'node:assert/strict';
import { namesOf, readNames, sourcesBelow, targetOf, type SourceNames } from '../../support/sourceNames';

/** For each file what it takes from which other one. */
type Ties = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/**
 * Types tie like values: who reads a file of a circle has to read all of them. An `import()` that runs ties nothing by
 * itself: it loads a bundle of its own when that is needed, and what is loaded so may import who loads it.
 */
function tiesOf(sources: ReadonlyMap<string, SourceNames>): Ties {
  const files = new Set(sources.keys());
  const ties = new Map<string, Map<string, readonly string[]>>();
  for (const [file, { imports }] of sources) {
    const ofFile = new Map<string, readonly string[]>();
    for (const { specifier, names, isLazy } of imports) {
      const target = targetOf(file, specifier, files);
      if (target !== undefined && !isLazy) ofFile.set(target, [...(ofFile.get(target) ?? []), ...names]);
    }
    ties.set(file, ofFile);
  }
  return ties;
}

/** At least one circle of those that are tied to each other, each as its ties in their order. */
function circlesOf(ties: Ties): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string): void => {
    if (done.has(file)) return;
    const start = way.indexOf(file);
    if (start >= 0) {
      circles.push(inWords(way.slice(start), ties));
      return;
    }
    way.push(file);
    for (const target of ties.get(file)?.keys() ?? []) visit(target);
    way.pop();
    done.add(file);
  };
  for (const file of ties.keys()) visit(file);
  return circles;
}

function inWords(circle: readonly string[], ties: Ties): string[] {
  return circle.map((file, index) => {
    const target = circle[(index + 1) % circle.length] ?? file;
    return `${file} imports ${ties.get(file)?.get(target)?.join(', ') ?? ''} from ${target}`;
  });
}

function circlesIn(texts: Readonly<Record<string, string>>): string[][] {
  return circlesOf(tiesOf(new Map(Object.entries(texts).map(([file, text]) => [file, readNames(file, text)]))));
}

describe('imports of src', () => {
  const sources = new Map(sourcesBelow('src').map((file) => [file, namesOf(file)]));

  it('form no circle, those of types included', () => {
    const ties = tiesOf(sources);
    assert.ok([...ties.values()].reduce((sum, { size }) => sum + size, 0) > 1000);
    assert.deepEqual(circlesOf(ties), []);
  });

  it('are read whole: each relative one leads to a source, but for documents', () => {
    const files = new Set(sources.keys());
    const lost = [...sources].flatMap(([file, { imports }]) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('.') && targetOf(file, specifier, files) === undefined)
        .map(({ specifier }) => `${file}: ${specifier}`),
    );
    assert.deepEqual(lost, [
      'src/agents/vscode/agentsController.ts: ../common/registry/snapshot.json',
      'src/amplifierServer.ts: ../package.json',
    ]);
  });
});

describe('a circle of imports', () => {
  it('is named file by file, with what ties it', () => {
    const circles = circlesIn({
      'src/before.ts': "import { a } from './a';",
      'src/a.ts': "import { b, type B } from './b';\nimport * as other from './other';\nexport const a = [b, other.o];",
      'src/b.ts': "import type { C } from './sub/c';\nexport type B = C;",
      'src/sub/c.tsx': "export interface C { readonly a: typeof import('../a').a }",
      'src/other.ts': 'export const o = 1;',
    });
    assert.deepEqual(circles, [
      [
        'src/a.ts imports b, B from src/b.ts',
        'src/b.ts imports C from src/sub/c.tsx',
        'src/sub/c.tsx imports a from src/a.ts',
      ],
    ]);
  });

  it('is found in two files, in one that imports itself, and in one that is only run', () => {
    assert.equal(circlesIn({ 'a.ts': "import type { B } from './b';", 'b.ts': "export { a } from './a';" }).length, 1);
    assert.equal(circlesIn({ 'a.ts': "export * from './a';" }).length, 1);
    assert.equal(circlesIn({ 'a.ts': "import './b';", 'b.ts': "import { a } from './a';" }).length, 1);
  });

  it('is none where one file only loads the other when it needs it, or two files import a third one', () => {
    const lazy = "export const load = async () => (await import('./b')).B;";
    assert.deepEqual(circlesIn({ 'a.ts': lazy, 'b.ts': "import type { load } from './a';" }), []);
    const third = "import { c } from './c';";
    assert.deepEqual(circlesIn({ 'a.ts': `${third}\nimport './b';`, 'b.ts': third, 'c.ts': '' }), []);
  });
});
