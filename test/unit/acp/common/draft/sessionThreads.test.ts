import assert from 'node:assert/strict';
import { SessionThreads } from '../../../../../src/acp/common/draft/sessionThreads';
import { MemoryThreads } from '../../../../../src/acp/common/draft/draftThreads';
import { EventLog } from '../../../../../src/session/common/eventLog';
import type { BackendSession } from '../../../../../src/session/common/sessionBackend';
import { toDisposable } from '../../../../../src/base/common/disposable';
import { nullLogger } from '../../../../../src/base/common/log';
import { FakeClock } from '../../../../fake/fakeClock';

function sessionOf(id: string, log: EventLog): BackendSession {
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    id,
    turn: 'none',
    onDidChangeTurn: () => toDisposable(() => undefined),
    config: [],
    commands: [],
    events: (options) => log.read(options),
    sendPrompt: () => Promise.resolve({ requestId: 'r' }),
    cancel: nothing,
    answerApproval: nothing,
    setConfig: nothing,
    close: nothing,
    dispose: () => undefined,
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the sessions of the window as threads of the draft', () => {
  const clock = new FakeClock();

  async function followed(id: string): Promise<SessionThreads> {
    const log = new EventLog(turn);
    const threads = new SessionThreads(clock, nullLogger);
    threads.recordEventsOf(sessionOf(id, log));
    assert.deepEqual(await threads.getThreads(), []);
    log.append({ event: 'prompt:submit', data: { session_id: id, prompt: 'What is this?' } });
    log.append({ event: 'prompt:complete', data: { session_id: id, response: 'A file.' } });
    await turn();
    return threads;
  }

  it('contains the messages', async () => {
    const threads = await followed('s1');
    assert.deepEqual(await threads.getThreads(), [
      { id: 's1', title: 'What is this?', modifiedAt: '1970-01-01T00:00:00.000Z' },
    ]);
    assert.deepEqual(await threads.getThreadEntries('s1'), [
      { type: 'message', role: 'user', chunks: [{ type: 'text', chunk: 'What is this?' }] },
      { type: 'message', role: 'assistant', chunks: [{ type: 'text', chunk: 'A file.' }] },
    ]);
    assert.equal(await threads.getThreadEntries('s2'), undefined);
  });

  it('is not told twice of a thread that the draft backend keeps itself', async () => {
    const source = await followed('s1');
    const kept = new MemoryThreads({ now: () => 0, createId: () => 's9', sources: [source] });
    assert.equal((await kept.getThreads()).length, 1);
    kept.add('s1');
    assert.equal((await kept.getThreads()).length, 1);
  });
});
