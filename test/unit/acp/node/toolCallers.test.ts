import assert from 'node:assert/strict';
import type { ToolCaller } from '../../../../src/session/common/toolCaller';
import { open, useBackends } from '../../../fake/backendHarness';
import { standingOf } from '../../../fake/fakePermissions';
import { basics } from '../../../fake/acp/scriptedAgent';

const { signal } = new AbortController();
const file = { path: '/ws/a.txt', before: 'one', after: 'two' };

describe('a session of an ACP agent that calls tools of the window', () => {
  const backendOf = useBackends();

  function callerOf(permissions?: unknown) {
    const callers: ToolCaller[] = [];
    const seen: string[] = [];
    const { backend } = backendOf((app) => basics(app), {
      standing: standingOf([], () => permissions),
      mcpServers: ({ toolCaller }) => {
        callers.push(toolCaller);
        return Promise.resolve([]);
      },
      writeObserver: {
        beforeWrite: ({ sessionId }, path) => Promise.resolve(void seen.push(`before ${sessionId} ${path}`)),
        afterWrite: ({ sessionId }, path) => Promise.resolve(void seen.push(`after ${sessionId} ${path}`)),
        afterFailedWrite: () => Promise.resolve(),
        beginCommand: () => () => undefined,
      },
    });
    return { backend, callers, seen };
  }

  it('changes files by the permissions of the session, and its writes are recorded as the session’s', async () => {
    const { backend, callers, seen } = callerOf();
    const { session } = await open(backend);
    const [caller] = callers;
    assert.ok(caller);
    assert.deepEqual(await caller.mayChangeFiles({ purpose: 'edit', files: [file] }, signal), { isGranted: true });
    const written = await caller.recordWrites(['/ws/b.txt', '/ws/a.txt'], () => Promise.resolve(seen.push('write')));
    assert.equal(written, 3);
    const around = (when: string): string[] =>
      ['/ws/a.txt', '/ws/b.txt'].map((path) => `${when} ${session.id} ${path}`);
    assert.deepEqual(seen, [...around('before'), 'write', ...around('after')]);
  });

  it('is told by which transports the agent takes servers: by stdio unless it says more', async () => {
    for (const http of [true, false, undefined]) {
      const seen: boolean[] = [];
      const agentCapabilities = http === undefined ? {} : { mcpCapabilities: { http } };
      const { backend } = backendOf((app) => basics(app, { agentCapabilities }), {
        mcpServers: ({ capabilities }) => {
          seen.push(capabilities.http);
          return Promise.resolve([]);
        },
      });
      await open(backend);
      assert.deepEqual(seen, [http === true]);
    }
  });

  it('asks in one approval for all files, and shows them', async () => {
    const { backend, callers } = callerOf({ demo: { edit: 'ask' } });
    const { follower, session } = await open(backend);
    const files = Array.from({ length: 30 }, (_, index) => ({ ...file, path: `/ws/${index}.txt` }));
    const asking = callers[0]?.mayChangeFiles({ purpose: 'rename `a` to `b`', warning: 'Others stay.', files }, signal);
    const approval = await follower.next('approval:required');
    assert.equal(approval.prompt, 'Demo wants to rename `a` to `b` in 30 files');
    const { content, paths, warnings } = approval.context ?? {};
    assert.ok(Array.isArray(content) && Array.isArray(paths));
    assert.deepEqual([content.length, paths.length], [20, 30]);
    assert.deepEqual(warnings, ['Others stay.', 'Only the changes of 20 of the 30 files are shown.']);
    await session.answerApproval(approval.approval_id, 'Allow once');
    assert.deepEqual(await asking, { isGranted: true });
    const denied = callers[0]?.mayChangeFiles({ purpose: 'edit', files: [file] }, signal);
    const second = await follower.next('approval:required', 2);
    assert.equal(second.prompt, 'Demo wants to edit a.txt');
    await session.answerApproval(second.approval_id, 'Deny');
    const answer = await denied;
    assert.match(answer?.isGranted === false ? answer.reason : '', /did not allow this/);
  });

  it('always asks for protected files, and offers no lasting answer', async () => {
    const { backend, callers } = callerOf({ '*': { edit: 'allow' } });
    const { follower, session } = await open(backend);
    const asking = callers[0]?.mayChangeFiles(
      { purpose: 'edit', files: [file, { ...file, path: '/ws/hook', protection: 'it runs' }] },
      signal,
    );
    const approval = await follower.next('approval:required');
    assert.deepEqual(approval.options, ['Allow once', 'Deny']);
    assert.deepEqual(approval.context?.['warnings'], ['hook is protected: it runs.']);
    await session.answerApproval(approval.approval_id, 'Allow once');
    assert.equal((await asking)?.isGranted, true);
  });

  it('asks before it runs a command, unless it is allowed', async () => {
    const { backend, callers } = callerOf();
    const { follower, session } = await open(backend);
    const asking = callers[0]?.mayRun({ argv: ['npm', 'test'], cwd: '/ws', env: {} }, signal);
    const approval = await follower.next('approval:required');
    assert.equal(approval.prompt, 'Demo wants to run npm test');
    await session.answerApproval(approval.approval_id, 'Deny');
    assert.equal((await asking)?.isGranted, false);
  });

  it('knows when the user stops its turn', async () => {
    const { backend, callers } = callerOf();
    const { session } = await open(backend);
    const stopSignal = () => callers[0]?.stopSignal;
    assert.equal(stopSignal(), undefined);
    await session.sendPrompt({ text: 'go' });
    const signalOfTurn = stopSignal();
    assert.equal(signalOfTurn?.aborted, false);
    await session.cancel();
    assert.ok(signalOfTurn.aborted);
  });

  it('may do nothing after the session has ended, and asks no more when the call is cancelled', async () => {
    const { backend, callers } = callerOf({ '*': { edit: 'ask' } });
    const { follower, session } = await open(backend);
    const [caller] = callers;
    assert.ok(caller);
    const cancelled = new AbortController();
    const asking = caller.mayChangeFiles({ purpose: 'edit', files: [file] }, cancelled.signal);
    await follower.next('approval:required');
    cancelled.abort();
    assert.equal((await asking).isGranted, false);
    await follower.next('approval:denied');
    await session.close();
    assert.ok(caller.endSignal.aborted);
    const late = await caller.mayChangeFiles({ purpose: 'edit', files: [file] }, signal);
    assert.match(late.isGranted ? '' : late.reason, /session has ended/);
  });
});
