import { seededRandom } from '../../support/random';

/** "Who uses `symbol`, which is declared in this line?" */
export interface ReferenceQuestion {
  readonly symbol: string;
  /** Relative to the workspace, with slashes. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** The right answer: each line that declares, imports, exports or uses the symbol by any name, as `path:line`. */
  readonly lines: ReadonlySet<string>;
}

export interface ReferenceWorkspace {
  /** Text by path, relative to the workspace. */
  readonly files: ReadonlyMap<string, string>;
  readonly questions: readonly ReferenceQuestion[];
}

const groupCount = 200;

type Kind = 'function' | 'constant' | 'class' | 'interface';
const kinds: readonly Kind[] = ['function', 'constant', 'class', 'interface'];
const traits = ['reexported', 'aliased', 'shadowed', 'spoken'] as const;

interface Group {
  /** For example `src/g017`. */
  readonly folder: string;
  readonly symbol: string;
  readonly kind: Kind;
  readonly has: Readonly<Record<(typeof traits)[number], boolean>>;
}

/**
 * A workspace of 2,000 TypeScript files in 200 groups. Each group declares one symbol and uses it in other files. Names are
 * as in real code: half of the symbols share their name with nine others, some with one or three, and a fifth with none. Each group
 * has one or more traits: re-exports, other names, namesakes in inner scopes, and the name in strings and comments.
 */
export function createReferenceWorkspace(): ReferenceWorkspace {
  const random = seededRandom(18);
  const files = new Map<string, string>();
  const questions: ReferenceQuestion[] = [];
  for (let index = 0; index < groupCount; index++) {
    const kind = kinds[index % kinds.length] ?? 'function';
    const trait = traits[Math.floor(random() * traits.length)];
    const has = {
      reexported: trait === 'reexported' || random() < 0.5,
      aliased: trait === 'aliased' || random() < 0.5,
      shadowed: trait === 'shadowed' || random() < 0.5,
      spoken: trait === 'spoken' || random() < 0.5,
    };
    const folder = `src/g${String(index).padStart(3, '0')}`;
    questions.push(addGroup({ folder, symbol: nameOf(index, kind), kind, has }, files));
  }
  return { files, questions };
}

const stems = ['parse', 'format', 'create', 'merge', 'resolve'];

function nameOf(index: number, kind: Kind): string {
  const stem = stems[Math.floor(index / kinds.length) % stems.length] ?? 'parse';
  // Values and types share names among themselves, so that each of ten names is that of ten symbols.
  const word = kind === 'class' || kind === 'interface' ? `${stem.charAt(0).toUpperCase()}${stem.slice(1)}r` : stem;
  if (index < groupCount / 2) return word;
  return index < groupCount * 0.8 ? `${word}Part${Math.floor(index / 40)}` : `${word}Of${index}`;
}

function addGroup({ folder, symbol: x, kind, has }: Group, files: Map<string, string>): ReferenceQuestion {
  const lines = new Set<string>();
  const add = (name: string, ...rows: readonly string[]): void => {
    const path = `${folder}/${name}.ts`;
    // A row that begins with the mark is part of the right answer.
    for (const [at, row] of rows.entries()) if (row.startsWith(mark)) lines.add(`${path}:${at + 1}`);
    files.set(path, `${rows.map((row) => row.replace(mark, '')).join('\n')}\n`);
  };
  const declared = [
    ...(has.spoken ? [`// ${x} is what this file is about. Use ${x} and no other.`] : ['// Public.']),
    ...declarationOf(x, kind),
    ...(has.spoken ? [`export const label = '${x}';`] : []),
  ];
  add('define', ...declared);
  add('direct', `${mark}import { ${x} } from './define';`, `${mark}export ${useOf(x, kind, 'direct')}`);
  add('index', ...(has.reexported ? [`${mark}export { ${x} } from './define';`] : ['export const index = 1;']));
  const from = has.reexported ? './index' : './define';
  add(
    'viaIndex',
    `${mark}import { ${x} } from '${from}';`,
    'export function viaIndex(): unknown {',
    `${mark}  ${useOf(x, kind, 'value')}`,
    '  return value;',
    '}',
  );
  add(
    'renamed',
    ...(has.aliased
      ? [`${mark}import { ${x} as other } from '${from}';`, `${mark}export ${useOf('other', kind, 'renamed')}`]
      : ['export const renamed = 1;']),
  );
  add('alias', ...(has.aliased ? [`${mark}export { ${x} as chosen } from './define';`] : ['export const alias = 1;']));
  add(
    'viaAlias',
    ...(has.aliased
      ? [`${mark}import { chosen } from './alias';`, `${mark}export ${useOf('chosen', kind, 'viaAlias')}`]
      : ['export const viaAlias = 1;']),
  );
  add(
    'namespace',
    ...(has.reexported
      ? ["import * as all from './index';", `${mark}export ${useOf(`all.${x}`, kind, 'namespace')}`]
      : ['export const namespace = 1;']),
  );
  add(
    'shadow',
    ...(has.shadowed
      ? [
          `${mark}import { ${x} } from './define';`,
          `${mark}export ${useOf(x, kind, 'outer')}`,
          `export function inner(list: readonly number[]): number {`,
          `  return list.map((${x}) => ${x} + 1).length;`,
          `}`,
          `export const record = { ${x}: 1 };`,
          `export const member = record.${x};`,
        ]
      : ['export const shadow = 1;']),
  );
  add(
    'talk',
    ...(has.spoken
      ? [
          `/* The old ${x} was removed. */`,
          `export const message = 'Call ${x}() first';`,
          `export const template = \`import { ${x} } from './define'\`;`,
        ]
      : ['export const talk = 1;']),
  );
  return { symbol: x, path: `${folder}/define.ts`, line: 2, lines };
}

const mark = '\0';

function declarationOf(x: string, kind: Kind): readonly string[] {
  switch (kind) {
    case 'function':
      return [`${mark}export function ${x}(value: number): number {`, '  return value + 1;', '}'];
    case 'constant':
      return [`${mark}export const ${x} = (value: number): number => value + 1;`];
    case 'class':
      return [`${mark}export class ${x} {`, '  constructor(readonly value: number) {}', '}'];
    case 'interface':
      return [`${mark}export interface ${x} {`, '  readonly value: number;', '}'];
  }
}

function useOf(x: string, kind: Kind, name: string): string {
  switch (kind) {
    case 'function':
    case 'constant':
      return `const ${name} = ${x}(1);`;
    case 'class':
      return `const ${name} = new ${x}(1);`;
    case 'interface':
      return `const ${name}: ${x} = { value: 1 };`;
  }
}
