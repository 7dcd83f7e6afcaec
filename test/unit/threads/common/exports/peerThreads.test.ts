import assert from 'node:assert/strict';
import { PeerThreads, type ThreadAccessForPeers } from '../../../../../src/threads/common/exports/peerThreads';
import type { ThreadWithEntries } from '../../../../../src/threads/common/threadPorts';
import type { Entry } from '../../../../../src/transcript/common/entries';
import { head } from '../../support/threadHead';

const file = (id: string, path: string, location = path): Entry => ({
  kind: 'tool',
  id,
  turn: 1,
  name: 'Read',
  title: 'Read',
  toolKind: 'read',
  state: 'done',
  locations: [{ path: location }],
  parts: [{ type: 'file', path, text: `text of ${path}` }],
});

const thread: ThreadWithEntries = {
  head: head('T-1', { title: 'Tax' }),
  entries: [
    { kind: 'prompt', id: 'p1', turn: 1, text: 'Fix the tax' },
    file('t1', '/home/kim/shop/a.ts'),
    file('t2', '/home/kim/shop/.env'),
    file('t3', '/home/kim/shop/b.ts', '/home/kim/shop/.env'),
    file('t4', '\\\\evil\\share\\c.ts'),
    { kind: 'answer', id: 'a1', turn: 1, text: 'Done.' },
  ],
  facts: [],
  notes: [],
};

function peerThreads(part: Partial<ThreadAccessForPeers> = {}) {
  const heads = [thread.head, head('T-2', { problem: 'It is empty.' }), head('T-3', { folders: ['/home/kim/other'] })];
  const calls: string[] = [];
  const asked: string[] = [];
  const library = {
    heads,
    waitForFirstList: () => Promise.resolve(void calls.push('ready')),
    find: (id: string) => heads.find((one) => one.id === id),
    read: (id: string) => Promise.resolve((calls.push(`read ${id}`), thread)),
  };
  const threads = new PeerThreads(library, {
    isTrusted: () => true,
    workspaceFolders: () => Promise.resolve(['/home/kim/shop']),
    isDenied: (path) => Promise.resolve((asked.push(path), path.endsWith('.env'))),
    ...part,
  });
  return { threads, calls, asked };
}

describe('threads for peers of the draft', () => {
  it('are those of this workspace that can be read', async () => {
    assert.deepEqual(await peerThreads().threads.getThreads(), [
      { id: 'T-1', title: 'Tax', modifiedAt: '1970-01-01T00:00:01.000Z' },
    ]);
  });

  it('tell what was said, and of files only what the peer might read itself', async () => {
    const { threads, asked } = peerThreads();
    const path = '/home/kim/shop/a.ts';
    assert.deepEqual(await threads.getThreadEntries('T-1'), [
      { type: 'message', role: 'user', chunks: [{ type: 'text', chunk: 'Fix the tax' }] },
      { type: 'readFile', path, content: `text of ${path}` },
      { type: 'message', role: 'assistant', chunks: [{ type: 'text', chunk: 'Done.' }] },
    ]);
    assert.ok(!asked.some((one) => one.includes('evil')), 'another machine was asked');
  });

  it('are not read if they are missing or belong to another workspace', async () => {
    const { threads, calls } = peerThreads();
    assert.equal(await threads.getThreadEntries('T-9'), undefined);
    assert.equal(await threads.getThreadEntries('T-3'), undefined);
    assert.ok(!calls.some((call) => call.startsWith('read ')));
  });

  it('are none in a window without a folder', async () => {
    const { threads } = peerThreads({ workspaceFolders: () => Promise.resolve([]) });
    assert.deepEqual(await threads.getThreads(), []);
  });

  it('are none, and nothing is read, while the workspace is not trusted', async () => {
    const { threads, calls } = peerThreads({ isTrusted: () => false });
    assert.deepEqual(await threads.getThreads(), []);
    assert.equal(await threads.getThreadEntries('T-1'), undefined);
    assert.deepEqual(calls, []);
  });
});
