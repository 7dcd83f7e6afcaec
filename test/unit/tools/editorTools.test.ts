import assert from 'node:assert/strict';
import { type FoundSymbol } from '../../../src/tools/common/languagePort';
import { placeIn } from './support/fakeLanguage';
import { bench, main, other, secret } from './support/parserWorkspace';

describe('the tool read_file', () => {
  it('gives lines with their numbers, and reports when they are not saved', async () => {
    const made = bench();
    assert.match(
      await made.call('read_file', { path: 'src/other.ts', to: 1 }),
      /^src\/other\.ts, lines 1 to 1 of 2, version \w{8}\n1\timport \{ Parser \} from "\.\/main";$/,
    );
    made.editor.type(other, 'new\nlines\n');
    assert.match(
      await made.call('read_file', { path: 'src/other.ts' }),
      /^src\/other\.ts, lines 1 to 3 of 3, version \w+, not saved/,
    );
  });

  it('accepts numeric strings, and null for missing values, as models send them', async () => {
    assert.match(
      await bench().call('read_file', { path: 'src/main.ts', from: '6', to: null }),
      /lines 6 to 8 of 8, version \w+\n6\tconst/,
    );
  });

  it('cuts what is long and reports where the rest begins', async () => {
    const made = bench();
    made.editor.setFile('/ws/long.txt', 'x\n'.repeat(5_000));
    assert.match(await made.call('read_file', { path: 'long.txt' }), /… 3001 more lines: from=2001 has the next\.$/);
    assert.match(await made.call('read_file', { path: 'long.txt', from: 4_900 }), /lines 4900 to 5001 of 5001/);
  });

  it('reports invalid input', async () => {
    const made = bench();
    await assert.rejects(made.call('read_file', { path: 'src/.env' }), /exclude/);
    await assert.rejects(made.call('read_file', { path: '/etc/passwd' }), /outside/);
    await assert.rejects(made.call('read_file', { path: 'src/main.ts', from: 99 }), /has 8 lines/);
    await assert.rejects(made.call('read_file', { file: 'src/main.ts' }), /input is invalid[^]*path/i);
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

  it('are found in the nearest line if the line is wrong, with a remark', async () => {
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
      return String(error).includes('No language server finds');
    });
  });

  it('report what is missing', async () => {
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

describe('every tool that takes a place', () => {
  const tools = ['references', 'definition', 'implementations', 'call_hierarchy', 'hover', 'rename'];

  for (const tool of tools) {
    it(`refuses names that do not exist, places beyond the file and excluded files: ${tool}`, async () => {
      const made = bench();
      const call = (input: object): Promise<string> =>
        made.call(tool, { ...input, ...(tool === 'rename' ? { new_name: 'other' } : {}) });
      const wrong: readonly (readonly [object, RegExp])[] = [
        [{ path: 'src/main.ts', symbol: 'gone' }, /There is no `gone` in src\/main\.ts/],
        [{ path: 'src/main.ts', symbol: 'gone', line: 99 }, /There is no `gone` in src\/main\.ts/],
        [{ symbol: 'gone' }, /No language server finds `gone`/],
        [{ path: 'src/main.ts', line: 99 }, /has 8 lines: there is no line 99/],
        [{ path: 'src/gone.ts', symbol: 'Parser' }, /does not exist/],
        [{ path: '/etc/passwd', symbol: 'root' }, /outside the workspace/],
        [{ path: 'src/.env', symbol: 'KEY' }, /exclude/],
        [{ path: 'src/main.ts', line: 0, symbol: 'Parser' }, /line/],
      ];
      for (const [input, message] of wrong) await assert.rejects(call(input), message, JSON.stringify(input));
      assert.deepEqual(made.language.asked, []);
      assert.deepEqual(made.caller.changes, []);
    });
  }

  it('takes a column beyond the line for its end', async () => {
    const made = bench();
    await made.call('references', { path: 'src/main.ts', line: 5, column: 999 });
    assert.deepEqual(
      made.language.asked.map(({ position }) => position),
      [{ line: 4, character: 1 }],
    );
  });
});

describe('the tool search', () => {
  const lineOf = (text: string, line = 0) => ({ line, character: 0, text });

  it('hides excluded files and returns the others in pages, nearest first', async () => {
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

  it('returns partial results after a time-out or with too many matches', async () => {
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
