import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { chatTools } from '../../../src/tools/common/chatTools';
import { LateAnswerError, type CallItem, type FoundSymbol } from '../../../src/tools/common/languagePort';
import type { FoundText } from '../../../src/tools/common/search/textSearch';
import type { Diagnostic } from '../../../src/editor/common/editorPort';
import { lineRange, placeIn, symbolAt, ToolBench } from './support/fakeLanguage';

const code =
  'export class Parser {\n  parse(text) {\n    return text;\n  }\n}\nconst parser = new Parser();\nparser.parse("parse");\n';
const [main, other, secret] = ['/ws/src/main.ts', '/ws/src/other.ts', '/ws/src/.env'];

function bench(): ToolBench {
  const made = new ToolBench({ [main]: code, [other]: 'import { Parser } from "./main";\n', [secret]: 'KEY=abc\n' });
  made.language.outlines[main] = [
    symbolAt('Parser', 'class', 0, 4, { ...symbolAt('parse', 'method', 1, 3), nameRange: lineRange(1, 2, 7) }),
    { ...symbolAt('parser', 'constant', 5, 5), nameRange: lineRange(5, 6, 12) },
  ];
  return made;
}

describe('the tool read_file', () => {
  it('gives lines with their numbers, and says when they are not saved', async () => {
    const made = bench();
    assert.equal(
      await made.call('read_file', { path: 'src/other.ts', to: 1 }),
      'src/other.ts, lines 1 to 1 of 2\n1\timport { Parser } from "./main";',
    );
    made.editor.type(other, 'new\nlines\n');
    assert.match(
      await made.call('read_file', { path: 'src/other.ts' }),
      /^src\/other\.ts, lines 1 to 3 of 3, not saved/,
    );
  });

  it('takes numbers as text and null for nothing, as models write them', async () => {
    assert.match(
      await bench().call('read_file', { path: 'src/main.ts', from: '6', to: null }),
      /lines 6 to 8 of 8\n6\tconst/,
    );
  });

  it('cuts what is long and says where the rest begins', async () => {
    const made = bench();
    made.editor.setFile('/ws/long.txt', 'x\n'.repeat(5_000));
    assert.match(await made.call('read_file', { path: 'long.txt' }), /… 3001 more lines: from=2001 has the next\.$/);
    assert.match(await made.call('read_file', { path: 'long.txt', from: 4_900 }), /lines 4900 to 5001 of 5001/);
  });

  it('says what is wrong', async () => {
    const made = bench();
    await assert.rejects(made.call('read_file', { path: 'src/.env' }), /exclude/);
    await assert.rejects(made.call('read_file', { path: '/etc/passwd' }), /outside/);
    await assert.rejects(made.call('read_file', { path: 'src/main.ts', from: 99 }), /has 8 lines/);
    await assert.rejects(made.call('read_file', { file: 'src/main.ts' }), /input is not right[^]*path/i);
    await assert.rejects(made.call('read_file', { path: 'src/main.ts', from: 3, to: 2 }), /"to" is before "from"/);
  });
});

describe('places that models name', () => {
  const askedAt = async (input: object): Promise<string> => {
    const made = bench();
    await made.call('references', input);
    const [at] = made.language.asked;
    return `${at?.path}:${at?.position.line}:${at?.position.character}`;
  };

  it('are a symbol and a line, a symbol alone, or a line and a column', async () => {
    assert.equal(await askedAt({ path: 'src/main.ts', symbol: 'parse', line: 7 }), `${main}:6:7`);
    assert.equal(await askedAt({ path: 'src/main.ts', symbol: 'parse', line: 7, column: 16 }), `${main}:6:14`);
    assert.equal(await askedAt({ path: 'src/main.ts', symbol: 'Parser.parse' }), `${main}:1:2`);
    assert.equal(await askedAt({ path: 'src/main.ts', symbol: 'text' }), `${main}:1:8`, 'not declared at any level');
    assert.equal(await askedAt({ path: 'src/main.ts', line: 6, column: 18 }), `${main}:5:17`);
    assert.equal(await askedAt({ path: 'src/main.ts', line: 6 }), `${main}:5:6`, 'what the line declares');
  });

  it('are taken from the nearest line when the line is off, and that is said', async () => {
    const made = bench();
    const told = await made.call('references', { path: 'src/main.ts', symbol: 'parser', line: 3 });
    assert.deepEqual(made.language.asked[0]?.position, { line: 5, character: 6 });
    assert.match(told, /`parser` is not in line 3: this is about line 6/);
  });

  it('are of any file when only the symbol is named', async () => {
    const made = bench();
    const symbol = (path: string, line: number, name = 'Parser'): FoundSymbol => ({
      ...placeIn(path, line),
      name,
      kind: 'class',
      container: '',
    });
    made.language.symbols = () => Promise.resolve([symbol(main, 0), symbol(secret, 0), symbol(main, 5, 'Parsers')]);
    await made.call('references', { symbol: 'Parser' });
    assert.deepEqual(made.language.asked[0], {
      ...made.language.asked[0],
      path: main,
      position: { line: 0, character: 13 },
    });
    made.language.symbols = () => Promise.resolve([symbol(main, 0), symbol(other, 0)]);
    await assert.rejects(
      made.call('references', { symbol: 'Parser' }),
      /several[^]*src\/main\.ts:1[^]*src\/other\.ts:1/,
    );
    made.language.symbols = () => Promise.resolve([symbol(secret, 0)]);
    await assert.rejects(made.call('references', { symbol: 'Parser' }), (error: unknown) => {
      assert.doesNotMatch(String(error), /env/);
      return String(error).includes('No language server knows');
    });
  });

  it('say what is missing', async () => {
    const made = bench();
    await assert.rejects(made.call('references', {}), /Name a symbol/);
    await assert.rejects(made.call('references', { path: 'src/main.ts' }), /Name a symbol of src\/main\.ts, or a line/);
    await assert.rejects(
      made.call('references', { path: 'src/main.ts', line: 99 }),
      /has 8 lines: there is no line 99/,
    );
    await assert.rejects(
      made.call('references', { path: 'src/main.ts', line: 7 }),
      /Line 7 of src\/main\.ts is: parser\.parse/,
    );
    await assert.rejects(
      made.call('references', { path: 'src/main.ts', symbol: 'gone' }),
      /There is no `gone` in src\/main\.ts/,
    );
    await assert.rejects(made.call('references', { path: 'src/.env', symbol: 'KEY' }), /exclude/);
  });
});

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

  it('leaves no trace of excluded files, and only counts those outside', async () => {
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
    assert.match(told, /Only the nearest 2,000 files were looked at/);
    assert.ok(told.length < 5_000 && resolved < 2_300, `${told.length} ${resolved}`);
    made.language.places = Array.from({ length: 120 }, (_, index) => placeIn(`/ws/few/f${index}.ts`, 0));
    assert.doesNotMatch(await made.call('references', { ...input, page: 2 }), /^ {2}1: export class/m);
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

describe('the other tools that ask language servers', () => {
  it('outline gives levels and lines, as deep as is asked', async () => {
    const made = bench();
    assert.equal(
      await made.call('outline', { path: 'src/main.ts' }),
      'src/main.ts\n1-5 class Parser\n  2-4 method parse\n6 constant parser',
    );
    assert.match(await made.call('outline', { path: 'src/main.ts', depth: 1 }), /1-5 class Parser \(1 inside\)\n6/);
    assert.match(await made.call('outline', { path: 'src/other.ts' }), /No language server knows symbols.*typescript/);
    await assert.rejects(made.call('outline', { path: 'src/.env' }), /exclude/);
    await assert.rejects(made.call('outline', { path: 'src/gone.ts' }), /does not exist/);
  });

  it('definition gives the code', async () => {
    const made = bench();
    const full = { start: { line: 1, character: 2 }, end: { line: 3, character: 3 } };
    made.language.definitionPlaces = [{ ...placeIn(main, 1, 2), full }, placeIn(secret, 0)];
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
    assert.equal(await made.call('hover', input), 'There is nothing to tell of `Parser` (src/main.ts:1).');
  });

  it('call_hierarchy goes as deep as is asked, ends in circles, and tells what it has when a server does not answer', async () => {
    const made = bench();
    const item = (path: string, line: number, name: string): CallItem => ({
      ...placeIn(path, line),
      name,
      kind: 'function',
    });
    const [a, b, hidden] = [item(main, 1, 'parse'), item(main, 5, 'start'), item(secret, 0, 'leak')];
    made.language.items = [a];
    const call = (of: CallItem) => ({ item: of, ranges: [lineRange(6, 7), lineRange(2)] });
    made.language.callsOf = ({ name }) => Promise.resolve(name === 'parse' ? [call(b), call(hidden)] : [call(a)]);
    const input = { path: 'src/main.ts', symbol: 'parse', line: 2, depth: 3 };
    assert.equal(
      await made.call('call_hierarchy', input),
      [
        'Callers of `parse` (src/main.ts:2)',
        '  src/main.ts:6 function start — in line 7 and 1 more line: parser.parse("parse");',
        '    src/main.ts:2 function parse — in line 7 and 1 more line: parser.parse("parse"); (see above)',
      ].join('\n'),
    );
    made.language.callsOf = ({ name }) =>
      name === 'parse' ? Promise.resolve([call(b)]) : Promise.reject(new LateAnswerError('late'));
    const told = await made.call('call_hierarchy', input);
    assert.match(told, /function start[^]*did not answer in time for start: there may be more\.$/);
    made.language.items = [];
    assert.match(await made.call('call_hierarchy', input), /use references\.$/);
  });

  it('call_hierarchy tells nothing of what an excluded file calls', async () => {
    const made = bench();
    made.language.items = [{ ...placeIn(secret, 0), name: 'leak', kind: 'function' }];
    made.language.callsOf = () =>
      Promise.resolve([{ item: { ...placeIn(main, 1), name: 'parse', kind: 'function' }, ranges: [lineRange(0)] }]);
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
    made.language.symbols = () => Promise.reject(new LateAnswerError('late'));
    made.found = async function* () {
      await Promise.resolve();
      yield { path: main, matches: [{ line: 1, character: 2, text: 'parse' }] } satisfies FoundText;
    };
    const fallback = await made.call('find_symbol', { query: 'Parser.parse' });
    assert.match(fallback, /1 symbol\nsrc\/main\.ts\n {2}2: parse\(text\) \{ {2}\[method parse in Parser\]/);
    assert.match(fallback, /has not answered in time/);
    assert.match(await made.call('find_symbol', { query: 'nothing' }), /No declaration of `nothing` was found/);
  });
});

describe('the tool search', () => {
  const lineOf = (text: string, line = 0) => ({ line, character: 0, text });

  it('tells nothing of excluded files, and pages the rest, nearest first', async () => {
    const made = bench();
    made.found = async function* () {
      await Promise.resolve();
      yield { path: secret, matches: [lineOf('KEY=abc')] };
      yield { path: '/etc/passwd', matches: [lineOf('root')] };
      yield { path: other, matches: [lineOf('import')] };
      yield { path: main, matches: Array.from({ length: 60 }, (_, line) => lineOf(`text ${line}`, line)) };
    };
    const told = await made.call('search', { pattern: 'x', near: 'src/main.ts' });
    assert.match(told, /^61 lines in 2 files\nsrc\/main\.ts\n {2}1: text 0\n/);
    assert.match(told, /… 11 more lines: page 2 of 2 has the next\.$/);
    assert.doesNotMatch(told, /KEY|passwd|root/);
    assert.match(
      await made.call('search', { pattern: 'x', near: 'src/main.ts', page: 2 }),
      /src\/other\.ts\n {2}1: import$/,
    );
  });

  it('says what it has when it takes too long, or finds too much', async () => {
    const made = bench();
    made.found = async function* (_query, signal) {
      yield { path: main, matches: [lineOf('first')] };
      made.clock.advance(15_000);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    };
    assert.match(await made.call('search', { pattern: 'x' }), /1: first\nThe search took too long and was ended/);
    let isEnded = false;
    made.found = async function* () {
      try {
        for (let index = 0; ; index++) {
          await Promise.resolve();
          yield { path: `/ws/f${index}`, matches: Array.from({ length: 100 }, (_, line) => lineOf('x', line)) };
        }
      } finally {
        isEnded = true;
      }
    };
    assert.match(await made.call('search', { pattern: 'x' }), /The search ended at 2000 lines/);
    assert.ok(isEnded);
  });
});

describe('the tools of the window', () => {
  const problem = (line: number, severity: Diagnostic['severity'], message: string): Diagnostic => ({
    range: lineRange(line, 2),
    severity,
    message,
    source: 'ts',
    code: '2304',
    lineText: '  wrong();',
    startOffset: 0,
    endOffset: 0,
  });

  it('problems are told worst first, by file, at least as bad as asked', async () => {
    const made = bench();
    made.editor.setDiagnostics(main, [
      problem(4, 'warning', 'meh'),
      problem(9, 'error', 'Cannot\n find'),
      problem(1, 'hint', 'hm'),
    ]);
    made.openFiles = [{ path: main, isActive: true, isVisible: true, isUnsaved: false }];
    assert.equal(
      await made.call('problems', { path: 'src/main.ts' }),
      '2 problems in src/main.ts, 1 error\nsrc/main.ts\n  10: error (ts 2304): Cannot find  | wrong();\n  5: warning (ts 2304): meh  | wrong();',
    );
    assert.match(await made.call('problems', { severity: 'error' }), /^1 problem in the workspace, 1 error/);
    assert.match(await made.call('problems', { severity: 'all' }), /^3 problems/);
    assert.match(
      await made.call('problems', { path: 'src/other.ts' }),
      /no problems in src\/other\.ts[^]*check only open files/,
    );
    await assert.rejects(made.call('problems', { path: 'src/.env' }), /exclude/);
  });

  it('selection and open_editors tell what the user has, without excluded files', async () => {
    const made = bench();
    assert.match(await made.call('selection'), /looks at no file/);
    made.editor.select(main, { ...lineRange(1, 2, 7), text: 'parse' });
    assert.equal(await made.call('selection'), 'src/main.ts\nSelected in line 2:\nparse');
    assert.match(await made.call('open_editors'), /No file/);
    made.openFiles = [
      { path: secret, isActive: true, isVisible: true, isUnsaved: true },
      { path: main, isActive: false, isVisible: true, isUnsaved: true },
      { path: other, isActive: false, isVisible: false, isUnsaved: false },
    ];
    assert.equal(
      await made.call('open_editors'),
      '2 files are open\n  src/main.ts (visible, not saved)\n  src/other.ts',
    );
  });

  it('open shows files and their lines, and never a link', async () => {
    const made = bench();
    assert.equal(
      await made.call('open', { path: 'src/main.ts', line: 2, to: 4 }),
      'The user sees src/main.ts at line 2.',
    );
    assert.deepEqual(made.editor.opened, [
      { target: 'file:///ws/src/main.ts#L2-L4', options: { preserveFocus: true, preview: true } },
    ]);
    made.editor.folders = [];
    await assert.rejects(made.call('open', { path: 'https://example.com' }));
    assert.equal(made.editor.opened.length, 1);
  });

  it('show_diff has one diff of a file and a few at once, and closes them in the end', async () => {
    const made = bench();
    await made.call('show_diff', { path: 'src/main.ts', text: 'one' });
    await made.call('show_diff', { path: 'src/main.ts', text: 'two', title: 'Better' });
    assert.deepEqual(
      made.editor.diffs.map(({ disposed, title }) => [disposed, title]),
      [
        [true, 'src/main.ts: proposed'],
        [false, 'Better'],
      ],
    );
    for (let index = 0; index < 5; index++) await made.call('show_diff', { path: `new${index}.ts`, text: '' });
    assert.equal(made.editor.diffs.filter(({ disposed }) => !disposed).length, 5);
    made.tools.dispose();
    assert.ok(made.editor.diffs.every(({ disposed }) => disposed));
    await assert.rejects(made.call('show_diff', { path: '.env', text: '' }), /exclude/);
  });

  it('are declared in package.json as they are, where VS Code has none like them', () => {
    const manifest = z
      .object({ contributes: z.object({ languageModelTools: z.array(z.record(z.string(), z.unknown())) }) })
      .parse(JSON.parse(readFileSync('package.json', 'utf8')));
    const { tools } = bench().tools;
    for (const name of Object.keys(chatTools)) {
      const declared = manifest.contributes.languageModelTools.find((tool) => tool['name'] === `backline_${name}`);
      const definition = tools.find((tool) => tool.definition.name === name)?.definition;
      assert.ok(definition, name);
      assert.equal(declared?.['modelDescription'], definition.description);
      assert.deepEqual(declared['inputSchema'], definition.inputSchema);
      assert.equal(declared['when'], 'config.backline.tools.enabled');
    }
  });

  it('are all described for models: short, closed schemas, and marked as reading', () => {
    const { tools } = bench().tools;
    for (const { definition } of tools) {
      assert.match(definition.name, /^[a-z_]{4,16}$/);
      assert.ok(definition.description.length < 260, definition.name);
      assert.match(JSON.stringify(definition.inputSchema), /^\{"type":"object".*"additionalProperties":false\}$/);
      assert.equal(definition.annotations?.readOnlyHint, true);
    }
    const size = JSON.stringify(tools.map(({ definition }) => definition)).length;
    assert.ok(size < 10_000, `${size} characters in every session`);
  });
});
