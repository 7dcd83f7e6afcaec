import assert from 'node:assert/strict';
import {
  LanguageServerTimeoutError,
  type HierarchyItem,
  type FoundSymbol,
} from '../../../src/tools/common/languagePort';
import type { FileMatches } from '../../../src/tools/common/search/textSearch';
import { lineRange, placeIn } from './support/fakeLanguage';
import { bench, main, other, secret } from './support/parserWorkspace';

describe('the tool references', () => {
  const input = { path: 'src/main.ts', symbol: 'Parser', line: 1 };

  it('gives lines of code by file, nearest first, each line once', async () => {
    const made = bench();
    made.language.places = [placeIn(other, 0, 9), placeIn(main, 6), placeIn(main, 0, 13), placeIn(main, 6, 7)];
    assert.equal(
      await made.call('references', input),
      [
        '4 references of `Parser` (src/main.ts:1) in 2 files',
        'src/main.ts',
        '  1: export class Parser {',
        '  7: parser.parse("parse"); (2 times)',
        'src/other.ts',
        '  1: import { Parser } from "./main";',
      ].join('\n'),
    );
  });

  it('hides excluded files, and only counts files outside the workspace', async () => {
    const made = bench();
    made.language.places = [
      placeIn(main, 0, 13),
      placeIn(secret, 0),
      placeIn('/usr/lib.d.ts', 3),
      placeIn(undefined, 0),
    ];
    const told = await made.call('references', input);
    assert.match(told, /^1 reference of[^]*in 1 file\n/);
    assert.match(told, /2 more files are outside the workspace\.$/);
    assert.doesNotMatch(told, /env|KEY|lib\.d/);
    made.language.places = [placeIn(secret, 0)];
    assert.match(await made.call('references', input), /no references[^]*may be missing or still starting/);
  });

  it('comes in pages, and looks at a bounded number of a million', async () => {
    const made = bench();
    let resolved = 0;
    made.editor.beforeRequest = () => {
      resolved++;
      return Promise.resolve();
    };
    made.language.places = Array.from({ length: 1_000_000 }, (_, index) =>
      placeIn(index < 100 ? main : `/ws/many/f${index % 10_000}.ts`, index % 7),
    );
    const told = await made.call('references', input);
    assert.match(told, /… \d+ more lines: page 2 of \d+ has the next\./);
    assert.match(told, /VS Code found more[^]*Only the nearest 2,000 files were checked/);
    assert.ok(told.length < 5_000 && resolved < 2_300, `${told.length} ${resolved}`);
    made.language.places = Array.from({ length: 120 }, (_, index) => placeIn(`/ws/few/f${index}.ts`, 0));
    assert.doesNotMatch(await made.call('references', { ...input, page: 2 }), /^ {2}1: export class|even more/m);
    await assert.rejects(made.call('references', { ...input, page: 99_999 }), /There is no page 99999/);
  });

  it('ends when the call is cancelled', async () => {
    const made = bench();
    const cancelling = new AbortController();
    made.language.places = Array.from({ length: 2_000 }, (_, index) => placeIn(`/ws/f${index}.ts`, 0));
    let resolved = 0;
    made.editor.beforeRequest = () => {
      if (++resolved === 50) cancelling.abort();
      return Promise.resolve();
    };
    await assert.rejects(made.call('references', input, cancelling.signal));
    assert.ok(resolved < 100, String(resolved));
  });
});

describe('a language server that fails', () => {
  const place = { path: 'src/main.ts', symbol: 'Parser', line: 1 };

  for (const tool of ['references', 'definition', 'implementations', 'call_hierarchy', 'hover', 'outline']) {
    it(`is told to the model, whether it crashes or does not answer: ${tool}`, async () => {
      for (const error of [new Error('the server crashed'), new LanguageServerTimeoutError('no answer within 12 s')]) {
        const made = bench();
        const fail = (): Promise<never> => Promise.reject(error);
        const failing = { references: fail, implementations: fail, definitions: fail, hovers: fail, callItemsAt: fail };
        Object.assign(made.language, tool === 'outline' ? { outline: fail } : failing);
        await assert.rejects(made.call(tool, tool === 'outline' ? { path: place.path } : place), error);
      }
    });
  }

  it('is still reading the project: said with what was found by then', async () => {
    for (const [error, expected] of [
      [new LanguageServerTimeoutError('no answer within 12 s'), /still reading the project: there may be more/],
      [new Error('it has no call hierarchy'), /^(?![^]*still reading)/],
    ] as const) {
      const made = bench();
      made.language.places = made.language.definitionPlaces = [placeIn(other, 0, 9)];
      made.language.callItemsAt = () => Promise.reject(error);
      for (const tool of ['references', 'definition', 'implementations']) {
        const told = await made.call(tool, place);
        assert.match(told, /^1 (?:reference|definition|implementation) of/);
        assert.match(told, expected);
      }
    }
    const made = bench();
    made.language.callItemsAt = () => Promise.reject(new LanguageServerTimeoutError('no answer'));
    assert.match(await made.call('references', place), /no references[^]*still reading the project/);
  });

  it('is asked once it has read the project', async () => {
    const made = bench();
    const read = Promise.withResolvers<never[]>();
    made.language.places = [placeIn(other, 0, 9)];
    made.language.callItemsAt = () => read.promise;
    const told = made.call('references', place);
    for (let turn = 0; turn < 200; turn++) await Promise.resolve();
    assert.deepEqual(made.language.asked, []);
    read.resolve([]);
    assert.match(await told, /^1 reference/);
  });

  it('does not keep a place from being found in the text, if it crashes', async () => {
    const made = bench();
    Object.assign(made.language, { outline: () => Promise.reject(new Error('the server crashed')) });
    made.language.places = [placeIn(other, 0, 9)];
    assert.match(await made.call('references', { path: 'src/main.ts', symbol: 'Parser' }), /^1 reference of `Parser`/);
  });

  it('is not there: said of each tool', async () => {
    const made = bench();
    made.language.outlines = {};
    for (const tool of ['references', 'definition', 'implementations'])
      assert.match(await made.call(tool, place), /may be missing or still starting/);
    assert.match(await made.call('hover', place), /no hover information/);
    assert.match(await made.call('call_hierarchy', place), /may not support call hierarchies/);
    assert.match(await made.call('outline', { path: place.path }), /No language server finds symbols/);
  });
});

describe('the other tools that ask language servers', () => {
  it('outline gives levels and lines, as deep as is asked', async () => {
    const made = bench();
    assert.equal(
      await made.call('outline', { path: 'src/main.ts' }),
      'src/main.ts\n1-5 class Parser\n  2-4 method parse\n6 constant parser',
    );
    assert.match(await made.call('outline', { path: 'src/main.ts', depth: 1 }), /1-5 class Parser \(1 inside\)\n6/);
    assert.match(await made.call('outline', { path: 'src/other.ts' }), /No language server finds symbols.*typescript/);
    await assert.rejects(made.call('outline', { path: 'src/.env' }), /exclude/);
    await assert.rejects(made.call('outline', { path: 'src/gone.ts' }), /does not exist/);
  });

  it('definition gives the code', async () => {
    const made = bench();
    const full = { start: { line: 1, character: 2 }, end: { line: 3, character: 3 } };
    made.language.definitionPlaces = [{ ...placeIn(main, 1, 2), fullRange: full }, placeIn(secret, 0)];
    assert.equal(
      await made.call('definition', { path: 'src/main.ts', symbol: 'parse', line: 7 }),
      '1 definition of `parse` (src/main.ts:7)\nsrc/main.ts:2\n  2:   parse(text) {\n  3:     return text;\n  4:   }',
    );
  });

  it('hover gives plain text, and nothing of what an excluded file defines', async () => {
    const made = bench();
    made.language.hoverTexts = ['```ts\nclass Parser\n```', '[run](command:x) ![pic](data:y)'];
    const input = { path: 'src/main.ts', symbol: 'Parser', line: 1 };
    assert.equal(await made.call('hover', input), '`Parser` (src/main.ts:1)\n```ts\nclass Parser\n```\n\nrun pic');
    made.language.definitionPlaces = [placeIn('/usr/lib.d.ts', 0)];
    assert.match(await made.call('hover', input), /class Parser/);
    made.language.definitionPlaces = [placeIn(secret, 0)];
    assert.equal(await made.call('hover', input), 'There is no hover information for `Parser` (src/main.ts:1).');
  });

  it('call_hierarchy goes as deep as is asked, ends in circles, and tells what it has when a server does not answer', async () => {
    const made = bench();
    const item = (path: string, line: number, name: string): HierarchyItem => ({
      ...placeIn(path, line),
      name,
      kind: 'function',
    });
    const [a, b, hidden] = [item(main, 1, 'parse'), item(main, 5, 'start'), item(secret, 0, 'leak')];
    made.language.items = [a];
    const call = (of: HierarchyItem) => ({ item: of, callRanges: [lineRange(6, 7), lineRange(2)] });
    made.language.callsOfItem = ({ name }) => Promise.resolve(name === 'parse' ? [call(b), call(hidden)] : [call(a)]);
    const input = { path: 'src/main.ts', symbol: 'parse', line: 2, depth: 3 };
    assert.equal(
      await made.call('call_hierarchy', input),
      [
        'Callers of `parse` (src/main.ts:2)',
        '  src/main.ts:6 function start — in line 7 and 1 more line: parser.parse("parse");',
        '    src/main.ts:2 function parse — in line 7 and 1 more line: parser.parse("parse"); (see above)',
      ].join('\n'),
    );
    made.language.callsOfItem = ({ name }) =>
      name === 'parse' ? Promise.resolve([call(b)]) : Promise.reject(new LanguageServerTimeoutError('late'));
    const told = await made.call('call_hierarchy', input);
    assert.match(told, /function start[^]*did not answer in time for start: there may be more\.$/);
    made.language.items = [];
    assert.match(await made.call('call_hierarchy', input), /use references\.$/);
  });

  it('call_hierarchy tells nothing of what an excluded file calls', async () => {
    const made = bench();
    made.language.items = [{ ...placeIn(secret, 0), name: 'leak', kind: 'function' }];
    made.language.callsOfItem = () =>
      Promise.resolve([{ item: { ...placeIn(main, 1), name: 'parse', kind: 'function' }, callRanges: [lineRange(0)] }]);
    const input = { path: 'src/main.ts', symbol: 'parse', line: 7, direction: 'outgoing' };
    assert.match(await made.call('call_hierarchy', input), /^Calls of [^\n]*\n {2}None in files you may see\.$/);
    assert.match(await made.call('call_hierarchy', { ...input, direction: 'incoming' }), /main\.ts:2 function parse/);
  });

  it('find_symbol puts exact names first, and looks into files when no server knows the name', async () => {
    const made = bench();
    const symbol = (path: string, line: number, name: string): FoundSymbol => ({
      ...placeIn(path, line),
      name,
      kind: 'class',
      container: '',
    });
    made.language.symbols = () =>
      Promise.resolve([symbol(main, 5, 'ParserKind'), symbol(secret, 0, 'Parser'), symbol(other, 0, 'Parser')]);
    const told = await made.call('find_symbol', { query: 'Parser', near: 'src/main.ts' });
    assert.match(
      told,
      /^2 symbols\nsrc\/other\.ts\n {2}1: .* {2}\[class Parser\]\nsrc\/main\.ts\n {2}6: .*\[class ParserKind\]$/,
    );
    made.language.symbols = () => Promise.reject(new LanguageServerTimeoutError('late'));
    made.found = async function* () {
      await Promise.resolve();
      yield { path: main, matches: [{ line: 1, character: 2, text: 'parse' }] } satisfies FileMatches;
    };
    const fallback = await made.call('find_symbol', { query: 'Parser.parse' });
    assert.match(fallback, /1 symbol\nsrc\/main\.ts\n {2}2: parse\(text\) \{ {2}\[method parse in Parser\]/);
    assert.match(fallback, /has not answered in time/);
    assert.match(await made.call('find_symbol', { query: 'nothing' }), /No declaration of `nothing` was found/);
  });
});
