import assert from 'node:assert/strict';
import { nullLogger } from '../../../../../src/base/common/log';
import { DraftConnection } from '../../../../../src/acp/common/draft/draftConnection';
import { MemoryThreads } from '../../../../../src/acp/common/draft/draftThreads';
import { sliceLines } from '../../../../../src/acp/common/sliceLines';
import type { DraftFilePermissions } from '../../../../../src/acp/node/draft/draftFiles';
import { createDraftHandlers } from '../../../../../src/acp/node/draft/draftHandlers';
import { RpcError } from '../../../../../src/wire/common/connectionErrors';
import { duplexPair } from '../../../../fake/acp/duplex';
import { FakeClock } from '../../../../fake/fakeClock';
import { FakeEditor } from '../../../../fake/fakeEditor';
import { RawPeer } from '../../../../fake/acp/rawPeer';

const deny = (isDenied: DraftFilePermissions['isDenied']): DraftFilePermissions => ({
  isDenied,
  mayRead: (_thread, path) =>
    Promise.resolve(
      isDenied('read', path) ? { isGranted: false, reason: 'The user does not allow it.' } : { isGranted: true },
    ),
});

function connect(files: Record<string, string> = {}, permissions = deny(() => false)) {
  const [ours, theirs] = duplexPair();
  const editor = new FakeEditor(files);
  const clock = new FakeClock();
  let ids = 0;
  const threads = new MemoryThreads({ now: () => clock.now(), createId: () => `thread-${++ids}` });
  const handlers = createDraftHandlers({ editor, threads, permissions, onThreadMethodCalled: () => undefined });
  const peer = new DraftConnection({ stream: ours, handlers, clock, log: nullLogger });
  peer.start();
  return { agent: new RawPeer(theirs), editor, peer, threads };
}

const inThread = { threadId: 'thread-1' };

describe('what Backline answers in the draft protocol', () => {
  describe("answers the document's example lines", () => {
    const examples: [request: string, answer: string][] = [
      ['{ "id": 0, "method": "getThreads", "params": null }', '{ "id": 0, "result": { "threads": [] } }'],
      [
        '{ "id": 1, "method": "nonExistentMethod", "params": null }',
        `{ "id": 1, "error": { "code": -32601, "message": "Method not found - 'nonExistentMethod'" } }`,
      ],
    ];
    for (const [request, answer] of examples) {
      it(request, async () => {
        const { agent } = connect();
        const message = JSON.parse(request) as Record<string, unknown>;
        assert.deepEqual(await agent.send(message), JSON.parse(answer));
      });
    }
  });

  it('hides files that a rule of the user denies', async () => {
    const permissions = deny((kind, path) => kind === 'read' && path === '/ws/a.txt');
    const { agent } = connect({ '/ws/a.txt': 'a', '/ws/b.txt': 'b' }, permissions);
    for (const method of ['readTextFile', 'readBinaryFile', 'stat']) {
      const answer = await agent.ask(method, { ...inThread, path: '/ws/a.txt' });
      assert.match(JSON.stringify(answer['error']), /user does not allow/, method);
    }
    const found = await agent.ask('globSearch', { ...inThread, pattern: '*.txt' });
    assert.deepEqual(found['result'], { matches: ['/ws/b.txt'] });
  });

  it('keeps threads for an agent that asks for them', async () => {
    const { agent } = connect();
    const message = { role: 'user', chunks: [{ type: 'text', chunk: 'Hello, world!' }] };
    assert.deepEqual((await agent.ask('createThread', null))['result'], inThread);
    assert.deepEqual(await agent.ask('openThread', inThread), { id: 1, result: null });
    assert.deepEqual(await agent.ask('sendMessage', { ...inThread, message }), { id: 2, result: null });
    assert.deepEqual((await agent.ask('getThreadEntries', inThread))['result'], {
      entries: [{ type: 'message', ...message }],
    });
    assert.deepEqual((await agent.ask('getThreads', null))['result'], {
      threads: [{ id: 'thread-1', title: 'Hello, world!', modifiedAt: '1970-01-01T00:00:00.000Z' }],
    });
  });

  it('answers only with id and result or error', async () => {
    const { agent } = connect({ '/ws/a.txt': 'a' });
    await agent.ask('createThread', null);
    const chunk = { type: 'text', chunk: 'x' };
    const asked: [method: string, params: unknown, key: 'result' | 'error'][] = [
      ['getThreads', null, 'result'],
      ['openThread', inThread, 'result'],
      ['getThreadEntries', inThread, 'result'],
      ['sendMessage', { ...inThread, message: { role: 'user', chunks: [] } }, 'result'],
      ['streamMessageChunk', { ...inThread, chunk }, 'result'],
      ['readTextFile', { ...inThread, path: '/ws/a.txt' }, 'result'],
      ['readBinaryFile', { ...inThread, path: '/ws/a.txt' }, 'result'],
      ['stat', { ...inThread, path: '/ws/a.txt' }, 'result'],
      ['globSearch', { ...inThread, pattern: '*' }, 'result'],
      ['openThread', { threadId: 'none' }, 'error'],
      ['openThread', 'none', 'error'],
      ['', null, 'error'],
    ];
    for (const [method, params, key] of asked) {
      const answer = await agent.ask(method, params);
      assert.deepEqual(Object.keys(answer).sort(), [
        key === 'error' ? 'error' : 'id',
        key === 'error' ? 'id' : 'result',
      ]);
    }
  });

  describe('reads text', () => {
    const path = '/ws/a.txt';
    const text = 'one\r\ntwo\nthree';

    it('as the editor has it, in lines from 0, with a version that changes with the text', async () => {
      const { agent, editor } = connect({ [path]: 'on disk' });
      editor.type(path, text);
      const read = async (window: object) =>
        (await agent.ask('readTextFile', { ...inThread, path, ...window }))['result'];
      const version = 1;
      assert.deepEqual(await read({}), { version, content: text });
      assert.deepEqual(await read({ lineOffset: null, lineLimit: null }), { version, content: text });
      assert.deepEqual(await read({ lineLimit: 1 }), { version, content: 'one\r\n' });
      assert.deepEqual(await read({ lineOffset: 1, lineLimit: 1 }), { version, content: 'two\n' });
      assert.deepEqual(await read({ lineOffset: 2 }), { version, content: 'three' });
      assert.deepEqual(await read({ lineOffset: 3 }), { version, content: '' });
      editor.type(path, `${text}!`);
      assert.deepEqual(await read({ lineOffset: 2 }), { version: 2, content: 'three!' });
    });

    it('in windows that make up the whole', () => {
      for (const whole of ['', 'a', 'a\n', '\n\n', 'a\rb\r\nc\n\nd']) {
        for (const size of [1, 2, 3]) {
          const windows = [0, 1, 2, 3, 4, 5, 6].map((index) => sliceLines(whole, index * size, size));
          assert.equal(windows.join(''), whole);
        }
      }
      assert.equal(sliceLines('a\nb', 0, 0), '');
    });

    it('and remembers in the thread that it did', async () => {
      const { agent, threads } = connect({ [path]: 'x' });
      await agent.ask('createThread', null);
      await agent.ask('readTextFile', { ...inThread, path });
      assert.deepEqual(await threads.getThreadEntries('thread-1'), [{ type: 'readFile', path, content: 'x' }]);
    });
  });

  it('reads bytes as base64, in parts', async () => {
    const path = '/ws/b.bin';
    const { agent } = connect({ [path]: 'häßlich' });
    const read = async (window: object) =>
      (await agent.ask('readBinaryFile', { ...inThread, path, ...window }))['result'];
    const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
    const bytes = new TextEncoder().encode('häßlich');
    assert.deepEqual(await read({}), { version: 1, content: base64('häßlich') });
    assert.deepEqual(await read({ byteOffset: 2, byteLimit: 2 }), { version: 1, content: base64(bytes.slice(2, 4)) });
    assert.deepEqual(await read({ byteOffset: 100 }), { version: 1, content: '' });
  });

  it('refuses to cut a large file in silence', async () => {
    const path = '/ws/large.bin';
    const { agent } = connect({ [path]: 'x'.repeat(16 * 1024 * 1024 + 1) });
    const answer = await agent.ask('readBinaryFile', { ...inThread, path });
    assert.match(JSON.stringify(answer['error']), /Read it in parts with byteOffset and byteLimit/);
    const part = await agent.ask('readBinaryFile', { ...inThread, path, byteOffset: 16 * 1024 * 1024 });
    assert.deepEqual(part['result'], { version: 1, content: Buffer.from('x').toString('base64') });
  });

  it('tells what is there, what is not, and what is none of the agent’s business', async () => {
    const { agent } = connect({ '/ws/src/a.ts': '', '/ws/.env': '' });
    const stat = (path: string) => agent.ask('stat', { ...inThread, path });
    assert.deepEqual((await stat('/ws/src/a.ts'))['result'], { exists: true, isDirectory: false });
    assert.deepEqual((await stat('/ws/src'))['result'], { exists: true, isDirectory: true });
    assert.deepEqual((await stat('/ws/none'))['result'], { exists: false, isDirectory: false });
    for (const [path, message] of [
      ['/etc/passwd', '"/etc/passwd" is outside the workspace. Open its folder in the editor.'],
      ['/ws/.env', '"/ws/.env" is on the exclude list (backline.exclude).'],
    ] as const) {
      assert.deepEqual((await stat(path))['error'], { code: -32603, message });
    }
  });

  it('finds files by glob, as absolute paths', async () => {
    const { agent } = connect({ '/ws/a.ts': '', '/ws/src/b.ts': '', '/ws/c.js': '' });
    const found = await agent.ask('globSearch', { ...inThread, pattern: '**/*.ts' });
    assert.deepEqual(found['result'], { matches: ['/ws/a.ts', '/ws/src/b.ts'] });
  });

  describe('fails', () => {
    it('with -32602 for params of the wrong shape', async () => {
      const { agent } = connect();
      const answer = await agent.ask('readTextFile', { ...inThread, path: '/ws/a', lineOffset: -1 });
      assert.match(
        JSON.stringify(answer['error']),
        /"code":-32602,"message":"Invalid params of 'readTextFile' - lineOffset/,
      );
    });

    it('with -32603 and the reason for what cannot be done', async () => {
      const { agent } = connect();
      const answer = await agent.ask('readTextFile', { ...inThread, path: '/ws/none' });
      assert.deepEqual(answer['error'], { code: -32603, message: '"/ws/none" does not exist.' });
      const other = await agent.ask('getThreadEntries', { threadId: 'none' });
      assert.match(JSON.stringify(other['error']), /"code":-32603/);
    });
  });

  describe('asks', () => {
    it('without a jsonrpc member, with ids from 0 and params that are there', async () => {
      const { agent, peer } = connect();
      agent.answers.set('createThread', () => ({ result: { threadId: 't' } }));
      await peer.call('createThread', null);
      await peer.call('createThread', null);
      assert.deepEqual(agent.requests, [
        { id: 0, method: 'createThread', params: null },
        { id: 1, method: 'createThread', params: null },
      ]);
    });

    it('each of the ten methods, and checks what comes back', async () => {
      const { agent, peer } = connect();
      agent.answers.set('stat', () => ({ result: { exists: 'yes' } }));
      await assert.rejects(peer.call('stat', { ...inThread, path: '/a' }), /The result of 'stat' is not valid: exists/);
      agent.answers.set('stat', () => ({ result: { exists: true, isDirectory: false } }));
      assert.deepEqual(await peer.call('stat', { ...inThread, path: '/a' }), { exists: true, isDirectory: false });
      agent.answers.set('globSearch', () => ({ error: { code: -32601, message: "Method not found - 'globSearch'" } }));
      await assert.rejects(
        peer.call('globSearch', { ...inThread, pattern: '*' }),
        (error) => error instanceof RpcError && error.code === -32601,
      );
    });

    it('and hears no answer any more when the agent is gone', async () => {
      const { agent, peer } = connect();
      const asked = peer.call('getThreads', null);
      await agent.take('getThreads');
      agent.close();
      await assert.rejects(asked, /connection is closed/);
    });
  });
});
