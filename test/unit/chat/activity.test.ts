import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { activeRowState, activityOf, type ActivityFacts } from '../../../src/chat/common/conversation/activity';
import type { Activity } from '../../../src/chat/common/chatView';
import { describeActivity, silentAfterMs } from '../../../src/chat/common/page/workingLine';

const quiet: ActivityFacts = {
  status: 'busy',
  phase: 'sent',
  backend: { kind: 'ready' },
  isActing: false,
  isAskingToSave: false,
  isSavingCheckpoint: false,
  pendingApprovals: 0,
  step: undefined,
  statusText: undefined,
  turnStartedAt: 1_000,
};
const of = (facts: Partial<ActivityFacts>) => activityOf({ ...quiet, ...facts });

describe('the state of a conversation in lists and marks', () => {
  it('needs input wherever only the user can go on', () => {
    assert.equal(activeRowState({ status: 'busy', activity: { kind: 'waiting' } }, 1), 'waiting');
    assert.equal(activeRowState({ status: 'starting', activity: { kind: 'askingToSave' } }, 0), 'waiting');
    assert.equal(activeRowState({ status: 'signIn' }, 0), 'waiting');
    assert.equal(activeRowState({ status: 'reconnecting' }, 1), 'waiting');
  });

  it('is busy with any other activity, and as stored without one', () => {
    assert.equal(activeRowState({ status: 'busy', activity: { kind: 'thinking' } }, 0), 'busy');
    assert.equal(activeRowState({ status: 'stopping', activity: { kind: 'stopping' } }, 1), 'busy');
    assert.equal(activeRowState({ status: 'reconnecting' }, 0), 'busy');
    for (const status of ['idle', 'readonly', 'failed'] as const)
      assert.equal(activeRowState({ status }, 0), undefined);
  });
});

describe('what a conversation is doing', () => {
  it('is nothing between turns, and where a banner tells the user what to do', () => {
    for (const status of ['idle', 'reconnecting', 'readonly', 'signIn', 'failed'] as const) {
      assert.equal(of({ status, step: { kind: 'thinking', since: 1 }, pendingApprovals: 1 }), undefined, status);
    }
  });

  it('is what the agent does without a prompt', () => {
    const idle = { status: 'idle', isActing: true } as const;
    assert.deepEqual(of(idle), { kind: 'working', since: 1_000 });
    assert.deepEqual(of({ ...idle, pendingApprovals: 2 }), { kind: 'waiting', count: 2 });
    assert.equal(of({ ...idle, status: 'failed' }), undefined);
  });

  it('follows a prompt from its preparation to the agent', () => {
    const starting = { status: 'starting', phase: 'connecting' } as const;
    assert.deepEqual(of({ ...starting, isAskingToSave: true }), { kind: 'askingToSave' });
    const backend = { kind: 'starting', message: 'Starting Claude…' } as const;
    assert.deepEqual(of({ ...starting, backend }), { kind: 'starting', title: 'Starting Claude…', since: 1_000 });
    assert.deepEqual(of({ ...starting, isSavingCheckpoint: true }), { kind: 'savingCheckpoint', since: 1_000 });
    assert.deepEqual(of(starting), { kind: 'connecting', since: 1_000 });
    assert.deepEqual(of({ ...starting, phase: 'sent' }), { kind: 'working', since: 1_000 });
  });

  it('names what the agent does, else what it says of itself', () => {
    assert.deepEqual(of({}), { kind: 'working', since: 1_000 });
    assert.deepEqual(of({ statusText: 'Indexing…' }), { kind: 'working', title: 'Indexing…', since: 1_000 });
    const step = { kind: 'running', title: 'npm test', since: 5, isCommand: true } as const;
    assert.deepEqual(of({ step, statusText: 'Indexing…' }), step);
    assert.deepEqual(of({ step: { kind: 'thinking', since: undefined } }), { kind: 'thinking' });
  });

  it('puts the user first, and Stop before the work', () => {
    const step = { kind: 'thinking', since: 5 } as const;
    assert.deepEqual(of({ step, pendingApprovals: 2 }), { kind: 'waiting', count: 2 });
    assert.deepEqual(of({ step, pendingApprovals: 2, status: 'stopping' }), { kind: 'stopping' });
  });
});

describe('the working line', () => {
  const line = (activity: Activity, ...[heardAt, now]: [number?, number?]) =>
    describeActivity({ activity, firstSeenAt: 0, agentTitle: 'Claude', heardAt, now: now ?? 1_000 });

  it('says each state in one sentence', () => {
    const texts = (activity: Activity) => line(activity).text;
    assert.equal(texts({ kind: 'askingToSave' }), 'Waiting for your answer about unsaved files');
    assert.equal(texts({ kind: 'savingCheckpoint' }), 'Saving a checkpoint');
    assert.equal(texts({ kind: 'starting' }), 'Starting Claude');
    assert.equal(texts({ kind: 'starting', title: 'Installing Claude…' }), 'Installing Claude');
    assert.equal(texts({ kind: 'connecting' }), 'Connecting to Claude');
    assert.equal(texts({ kind: 'working' }), 'Working');
    assert.equal(texts({ kind: 'working', title: '...' }), 'Working');
    assert.equal(texts({ kind: 'thinking' }), 'Thinking');
    assert.equal(texts({ kind: 'answering' }), 'Answering');
    assert.equal(texts({ kind: 'running', title: 'npm test', isCommand: true }), 'Running npm test');
    assert.equal(texts({ kind: 'running', title: 'Run npm test', isCommand: true }), 'Run npm test');
    assert.equal(texts({ kind: 'running', title: 'Read a.ts', count: 2 }), 'Read a.ts and 2 more calls');
    assert.equal(texts({ kind: 'running' }), 'Running a tool');
    assert.equal(texts({ kind: 'waiting', count: 1 }), 'Needs your approval');
    assert.equal(texts({ kind: 'waiting', count: 3 }), '3 approvals need your answer');
    assert.equal(texts({ kind: 'stopping' }), 'Stopping');
  });

  it('says that nothing was heard after 20 seconds, with the time since', () => {
    const silent = line({ kind: 'thinking', since: 100 }, 500, 500 + silentAfterMs);
    assert.deepEqual(silent, { text: 'The agent is silent', since: 500, tone: 'silent' });
    assert.equal(line({ kind: 'thinking', since: 100 }, 500, 499 + silentAfterMs).tone, 'working');
    assert.equal(line({ kind: 'thinking' }, undefined, silentAfterMs).tone, 'silent', 'since it was first seen');
  });

  it('does not count the silence before a prompt', () => {
    const hourAgo = 1_000;
    const since = 3_600_000;
    assert.equal(line({ kind: 'working', since }, hourAgo, since + 500).tone, 'working');
    const silent = line({ kind: 'working', since }, hourAgo, since + silentAfterMs);
    assert.deepEqual(silent, { text: 'The agent is silent', since, tone: 'silent' });
  });

  it('still says what is prepared, however long that takes', () => {
    const title = 'Starting Claude… The first start may take a few minutes because of a download.';
    const download = line({ kind: 'starting', title, since: 0 }, undefined, 10 * silentAfterMs);
    assert.deepEqual(download, { text: title, since: 0, tone: 'silent' });
    const checkpoint = line({ kind: 'savingCheckpoint', since: 0 }, undefined, 10 * silentAfterMs);
    assert.deepEqual(checkpoint, { text: 'Saving a checkpoint', since: 0, tone: 'silent' });
  });

  it('still names a command that is silent, and does not rush the user', () => {
    const run = line({ kind: 'running', title: 'npm test', isCommand: true, since: 7 }, 0, 10 * silentAfterMs);
    assert.deepEqual(run, { text: 'Running npm test', since: 7, tone: 'silent' });
    assert.equal(line({ kind: 'waiting', count: 1 }, 0, 10 * silentAfterMs).tone, 'attention');
    assert.equal(line({ kind: 'askingToSave' }, 0, 10 * silentAfterMs).tone, 'attention');
  });

  it('always says something, and the same as long as the state is the same', () => {
    const kinds: readonly Activity['kind'][] = [
      'askingToSave',
      'savingCheckpoint',
      'starting',
      'connecting',
      'working',
      'thinking',
      'answering',
    ];
    const kind = fc.constantFrom(...kinds, 'running', 'waiting', 'stopping');
    const title = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(kind, title, fc.nat(5), fc.nat(silentAfterMs - 1), (kind, title, count, now) => {
        const activity = { kind, count, ...(title !== undefined && { title }) };
        const { text } = line(activity, 0, now);
        assert.notEqual(text.trim(), '');
        assert.equal(line(activity, 0, 0).text, text);
      }),
    );
  });
});
