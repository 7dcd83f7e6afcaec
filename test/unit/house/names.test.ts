import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { sourcesBelow } from '../../support/sourceNames';

/** A name that somebody gave, and where. */
interface Given {
  readonly name: string;
  readonly file: string;
}

/** `common`, `node`, `vscode` and so on; empty for what wires the rooms together. */
function layerOf(file: string): string {
  const [, , layer = '', ...rest] = file.split('/');
  return rest.length > 0 ? layer : '';
}

function fileNames(files: readonly string[]): Given[] {
  return files.map((file) => ({ name: path.posix.basename(file).replace(/\.\w+$/, ''), file }));
}

function exportedClasses(file: string, text: string): Given[] {
  const found = text.matchAll(/^export (?:default )?(?:abstract )?class (\w+)/gm);
  return [...found].map(([, name = '']) => ({ name, file }));
}

/** Names that are given more than once in one layer, as `layer: name in files`. */
function takenTwice(given: readonly Given[]): string[] {
  const byName = Map.groupBy(given, ({ name, file }) => `${layerOf(file)}: ${name}`);
  return [...byName].flatMap(([name, places]) =>
    places.length > 1 ? [`${name} in ${places.map(({ file }) => file).join(', ')}`] : [],
  );
}

const sources = sourcesBelow('src');

describe('a name in a layer', () => {
  it('is that of one source file', () => assert.deepEqual(takenTwice(fileNames(sources)), []));

  it('is that of one exported class', () => {
    const classes = sources.flatMap((file) => exportedClasses(file, readFileSync(file, 'utf8')));
    assert.deepEqual(takenTwice(classes), []);
  });

  it('is found taken twice, whatever folders and endings are around it', () => {
    const files = ['src/a/node/x.ts', 'src/b/node/deep/x.tsx', 'src/b/common/x.ts', 'src/x.ts'];
    assert.deepEqual(takenTwice(fileNames(files)), ['node: x in src/a/node/x.ts, src/b/node/deep/x.tsx']);
  });

  it('is read from classes that are exported, and no others', () => {
    const text = 'export class A {}\nexport abstract class B {}\nexport default class C {}\nclass D {}\n';
    assert.deepEqual(
      exportedClasses('src/a/node/x.ts', text).map(({ name }) => name),
      ['A', 'B', 'C'],
    );
  });
});
