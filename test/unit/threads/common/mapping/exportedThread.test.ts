import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { exportTranscript } from '../../../../../src/transcript/common/export/exportTranscript';
import { exportMetadata } from '../../../../../src/threads/common/heads/exportedHead';
import { headOf } from '../../../../../src/threads/common/heads/heads';
import { mapThreadJson } from '../../../../../src/threads/common/mapping/mapThreadJson';
import type { ThreadWithEntries } from '../../../../../src/threads/common/threadPorts';
import { titleOf } from '../../../../../src/threads/common/tree/threadRow';

const folder = path.join(process.cwd(), 'test/fixtures/threads');
const names = readdirSync(folder).filter((name) => name.endsWith('.thread.json'));
const from = { source: 'file', mtimeMs: 1_769_000_100_000, nowMs: 1_769_000_100_000 } as const;

function exported(thread: ThreadWithEntries): unknown {
  const { head, entries } = thread;
  const about = {
    title: titleOf(head),
    agentName: 'Amp',
    ...(head.createdAt === undefined ? {} : { createdAt: head.createdAt }),
    updatedAt: head.lastPromptAt,
    thread: exportMetadata(thread),
  };
  return JSON.parse(exportTranscript(about, entries, 'json'));
}

describe('a thread that was exported as JSON', () => {
  assert.ok(names.length > 20);

  for (const name of names) {
    it(`opens again as it was: ${name}`, () => {
      const thread = mapThreadJson(JSON.parse(readFileSync(path.join(folder, name), 'utf8')), from);
      const again = mapThreadJson(exported(thread), from);
      assert.deepEqual(again.entries, JSON.parse(JSON.stringify(thread.entries)));
      assert.deepEqual(again.facts, thread.facts);
      for (const note of thread.notes) assert.ok(again.notes.includes(note));
      const { title, state, ...head } = thread.head;
      assert.deepEqual(again.head, { ...head, title: titleOf(thread.head), state: 'idle' }, title ?? state);
      assert.deepEqual(headOf(exported(thread), from), again.head);
    });
  }

  it('is the same when it is exported once more', () => {
    const thread = mapThreadJson(JSON.parse(readFileSync(path.join(folder, '01-normal.thread.json'), 'utf8')), from);
    const once = mapThreadJson(exported(thread), from);
    const twice = mapThreadJson(exported(once), from, once);
    assert.deepEqual([twice.head, twice.facts, twice.notes], [once.head, once.facts, once.notes]);
    assert.ok(twice.entries.every((entry, index) => entry === once.entries[index]));
  });

  it('of a chat, without anything of a thread, opens too', () => {
    const entries = [{ kind: 'prompt' as const, id: '1', turn: 1, text: 'Hello' }];
    const chat: unknown = JSON.parse(exportTranscript({ title: 'Chat', agentName: 'Agent' }, entries, 'json'));
    const { head, entries: shown } = mapThreadJson(chat, { ...from, path: '/home/me/chat.json' });
    assert.deepEqual([head.title, head.id, head.messageCount], ['Chat', '/home/me/chat.json', 1]);
    assert.deepEqual(shown, entries);
  });

  it('shows invalid entries as JSON, and keeps ids unique', () => {
    const prompt = { kind: 'prompt', id: '1', turn: 1, text: 'Hello' };
    const file = { format: 'backline-transcript', version: 1, entries: [prompt, prompt, { kind: 'song' }, null] };
    const thread = mapThreadJson(file, from);
    const { entries } = thread;
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['prompt', 'prompt', 'raw', 'raw'],
    );
    assert.equal(new Set(entries.map(({ id }) => id)).size, 4);
    assert.ok(thread.rawJsonOf(entries[2]?.id ?? '')?.includes('song'));
  });

  it('in a version of another day is not taken for a thread', () => {
    assert.throws(() => mapThreadJson({ format: 'backline-transcript', version: 2, entries: [] }, from));
  });
});
