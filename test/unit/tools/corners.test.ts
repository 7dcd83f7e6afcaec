import assert from 'node:assert/strict';
import { shortenLineAround } from '../../../src/tools/common/text/lineTexts';
import type { FoundSymbol } from '../../../src/tools/common/languagePort';
import { OpenCalls } from '../../../src/tools/common/calls/openCalls';
import { displayPath } from '../../../src/tools/common/text/displayPath';
import { findDeclarations } from '../../../src/tools/common/placeFinder';
import type { FileMatches, TextQuery } from '../../../src/tools/common/search/textSearch';
import { placeIn, symbolAt, ToolBench } from './support/fakeLanguage';

const file = '/ws/a.ts';

function foundLines(made: ToolBench, count: number): TextQuery[] {
  const asked: TextQuery[] = [];
  const matches = Array.from({ length: count }, (_, line) => ({ line, character: 0, text: 'x' }));
  made.found = async function* (query) {
    asked.push(query);
    await Promise.resolve();
    yield { path: file, matches } satisfies FileMatches;
  };
  return asked;
}

describe('the rest of a page', () => {
  it('of a search is one line or several', async () => {
    const made = new ToolBench({ [file]: 'x' });
    for (const [count, rest] of [
      [50, '  50: x'],
      [51, '… 1 more line: page 2 of 2 has the next.'],
      [52, '… 2 more lines: page 2 of 2 has the next.'],
    ] as const) {
      foundLines(made, count);
      assert.equal((await made.call('search', { pattern: 'x' })).split('\n').at(-1), rest);
    }
  });
});

describe('what a search asks for', () => {
  it('has a glob only when one was given', async () => {
    const made = new ToolBench({ [file]: 'x' });
    const asked = foundLines(made, 1);
    await made.call('search', { pattern: 'x', whole_word: true });
    await made.call('search', { pattern: 'x', include: '*.ts' });
    assert.deepEqual(
      asked.map(({ include, isWholeWord }) => [include, isWholeWord]),
      [
        [undefined, true],
        ['*.ts', false],
      ],
    );
    assert.ok(asked[0] && !('include' in asked[0]));
  });
});

describe('a symbol of a container', () => {
  const made = new ToolBench({ [file]: 'one\ntwo\nthree\n' });
  const symbol = (line: number, name: string, container: string): FoundSymbol => ({
    ...placeIn(file, line),
    name,
    kind: 'method',
    container,
  });

  it('is one that the language server names with it, or in its own name, and no other', async () => {
    made.language.symbols = () =>
      Promise.resolve([symbol(0, 'parse', 'ns.Parser'), symbol(1, 'parse', 'Other'), symbol(2, 'Parser.parse', '')]);
    const told = await made.call('find_symbol', { query: 'Parser.parse' });
    assert.equal(told, '2 symbols\na.ts\n  1: one  [method parse in ns.Parser]\n  3: three  [method Parser.parse]');
  });

  it('is declared inside the container', () => {
    const outline = [
      symbolAt('parse', 'function', 0, 0),
      symbolAt('Parser', 'class', 1, 4, symbolAt('parse', 'method', 2, 3)),
      symbolAt('Other', 'class', 5, 8, symbolAt('parse', 'method', 6, 7)),
    ];
    const lines = (container?: string) =>
      findDeclarations(outline, 'parse', container).map(({ range }) => range.start.line);
    assert.deepEqual(lines('Parser'), [2]);
    assert.deepEqual(lines(), [0, 2, 6]);
    assert.deepEqual(lines('Nobody'), []);
  });
});

describe('the name of a path', () => {
  const named = (path: string, folder: string): string => displayPath(path, { folders: [{ path: folder, name: '' }] });

  it('has slashes on Windows and keeps backslashes on other systems', () => {
    assert.equal(named('C:\\ws\\a\\b.ts', 'C:\\ws'), 'a/b.ts');
    assert.equal(named('/ws/a\\b.ts', '/ws'), 'a\\b.ts');
    assert.equal(named('/ws', '/ws'), '.');
    assert.equal(named('/other/a.ts', '/ws'), '/other/a.ts');
  });
});

describe('the line around a place', () => {
  const long = `  ${'a'.repeat(100)}${'b'.repeat(150)}`;

  it('is marked only where it is cut', () => {
    assert.equal(shortenLineAround(`  ${'a'.repeat(200)}  `, 0), 'a'.repeat(200));
    assert.equal(shortenLineAround(long, 0), `${'a'.repeat(100)}${'b'.repeat(100)}…`);
    assert.equal(shortenLineAround(long, 250), `…${'b'.repeat(62)}`);
    assert.equal(shortenLineAround(long, 142), `${'a'.repeat(100)}${'b'.repeat(100)}…`);
    assert.equal(shortenLineAround(long, 143), `…${'a'.repeat(19)}${'b'.repeat(150)}`);
  });
});

describe('an open call', () => {
  const signalOf = (outer: AbortSignal, during: (calls: OpenCalls) => void): Promise<AbortSignal> => {
    const calls = new OpenCalls();
    return calls.run('client', 1, outer, (signal) => {
      during(calls);
      return Promise.resolve(signal);
    });
  };
  const idle = (): AbortSignal => new AbortController().signal;

  it('ends with its outer signal, even if that has already fired', async () => {
    assert.equal((await signalOf(AbortSignal.abort('why'), () => undefined)).reason, 'why');
    const outer = new AbortController();
    assert.equal((await signalOf(outer.signal, () => outer.abort('later'))).reason, 'later');
    assert.equal((await signalOf(idle(), () => undefined)).aborted, false);
  });

  it('is cancelled by its own client only', async () => {
    const cancelledBy = async (client: string, id: number | string): Promise<boolean> =>
      (await signalOf(idle(), (calls) => calls.cancel(client, id))).aborted;
    assert.equal(await cancelledBy('client', 1), true);
    assert.equal(await cancelledBy('other', 1), false);
    assert.equal(await cancelledBy('client', '1'), false);
  });
});
