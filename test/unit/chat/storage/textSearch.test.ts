import assert from 'node:assert/strict';
import { hasAllWords, searchLog, queryWords } from '../../../../src/chat/node/textSearch';
import { NodeFiles, type FilePort } from '../../../../src/base/node/filePort';

/** A log whose lines come one a chunk; it counts those that were asked for. */
function logOf(...lines: unknown[]): { files: FilePort; asked: () => number } {
  let asked = 0;
  const files = Object.assign(new NodeFiles(), {
    async *readChunks() {
      for (const line of lines) {
        asked++;
        const text = typeof line === 'string' ? line : JSON.stringify(line);
        yield await Promise.resolve(Buffer.from(`${text}\n`));
      }
    },
  });
  return { files, asked: () => asked };
}

const prompt = (text: string) => ({ type: 'prompt', text });
const event = (name: string, data: Record<string, unknown>) => ({ type: 'event', event: { event: name, data } });
const search = (query: string, ...lines: unknown[]): Promise<string | undefined> =>
  searchLog(logOf(...lines).files, 'log', queryWords(query), () => true);

describe('queryWords and hasAllWords', () => {
  it('split at spaces, in lower case, at most 16 words', () => {
    assert.deepEqual(queryWords('  Find\tTHE  cat\n'), ['find', 'the', 'cat']);
    assert.deepEqual(queryWords('  '), []);
    assert.equal(queryWords('w '.repeat(20)).length, 16);
  });

  it('require all words in a title, in any case', () => {
    assert.ok(hasAllWords('Find The Cat', ['cat', 'find']));
    assert.ok(!hasAllWords('Find The Cat', ['cat', 'dog']));
  });
});

describe('searchLog', () => {
  it('finds prompts, answers, titles of calls, and the prompts and responses in events', async () => {
    assert.equal(await search('needle', prompt('a needle here')), 'a needle here');
    assert.equal(await search('needle', event('content_block:delta', { delta: 'a needle' })), 'a needle');
    assert.equal(await search('needle', event('tool:pre', { title: 'Read needle' })), 'Read needle');
    assert.equal(await search('needle', event('prompt:submit', { prompt: 'the needle' })), 'the needle');
    assert.equal(await search('needle', event('prompt:complete', { response: 'my needle' })), 'my needle');
  });

  it('searches no other fields of these events, and no other events', async () => {
    assert.equal(await search('needle', event('prompt:submit', { response: 'needle', title: 'needle' })), undefined);
    assert.equal(await search('needle', event('tool:pre', { prompt: 'needle', response: 'needle' })), undefined);
    assert.equal(await search('needle', event('prompt:complete', { prompt: 'needle', title: 'needle' })), undefined);
    const quotes = event('tool:post', { prompt: 'needle', response: 'needle "prompt"', title: 'needle' });
    assert.equal(await search('needle', quotes), undefined);
    const other = event('other', { about: '"prompt"', delta: 'needle', response: 'needle' });
    assert.equal(await search('needle', other), undefined);
  });

  it('skips lines that are not JSON or have another shape', async () => {
    const broken = ['{"type":"prompt","text":"needle', '{"type":"prompt","text":7}', '"prompt"'];
    assert.equal(await search('needle', ...broken), undefined);
    assert.equal(await search('needle', ...broken, prompt('needle')), 'needle');
  });

  it('finds words in different places, and returns the text around the first', async () => {
    const found = await search('one two', prompt('two'), prompt('here is one'));
    assert.equal(found, 'two here is one');
    assert.equal(await search('one two', prompt('one')), undefined);
  });

  it('finds a word split over two pieces of an answer', async () => {
    const delta = (text: string) => event('content_block:delta', { delta: text });
    assert.equal(await search('needle', delta('nee'), delta('dle')), 'needle');
    const filler = 'x'.repeat(64 * 1024 - 3);
    assert.equal(await search('needle', delta(`${filler}nee`), delta('dle')), `…${'x'.repeat(40)}needle`);
  });

  it('marks omitted text at the start and end of the snippet', async () => {
    const line = (before: number, behind: number) => prompt(`${'a'.repeat(before)}needle${'b'.repeat(behind)}`);
    // The line break before a prompt is the first of the 40 units before the word.
    assert.equal(await search('needle', line(39, 0)), `${'a'.repeat(39)}needle`);
    assert.equal(await search('needle', line(40, 0)), `…${'a'.repeat(40)}needle`);
    const shown = await search('needle', line(39, 200));
    assert.equal(shown, `${'a'.repeat(39)}needle${'b'.repeat(114)}…`);
    assert.equal(await search('needle', line(39, 113)), `${'a'.repeat(39)}needle${'b'.repeat(113)}`);
  });

  it('searches in pieces, and stops reading once all words are found', async () => {
    const large = prompt(`needle ${'x'.repeat(64 * 1024)}`);
    const { files, asked } = logOf(large, prompt('b'), prompt('c'));
    assert.ok((await searchLog(files, 'log', ['needle'], () => true))?.startsWith('needle'));
    assert.equal(asked(), 1);
  });

  it('ends without a result when its byte budget is spent', async () => {
    const spent: number[] = [];
    const { files, asked } = logOf(prompt('é'), prompt('bb'), prompt('needle'));
    const spend = (bytes: number): boolean => spent.push(bytes) < 2;
    assert.equal(await searchLog(files, 'log', ['needle'], spend), undefined);
    assert.deepEqual(
      spent,
      [prompt('é'), prompt('bb')].map((line) => Buffer.byteLength(JSON.stringify(line)) + 1),
    );
    assert.equal(asked(), 2);
  });

  it('ends without a result when it is cancelled', async () => {
    const { files, asked } = logOf(prompt('a'), prompt('needle'));
    assert.equal(await searchLog(files, 'log', ['needle'], () => true, AbortSignal.abort()), undefined);
    assert.equal(asked(), 1);
  });
});
