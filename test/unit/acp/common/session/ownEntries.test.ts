import assert from 'node:assert/strict';
import fc from 'fast-check';
import { agentCallIdOf, actionIdOf } from '../../../../../src/acp/common/actions/agentCallIds';
import { maxReportWaitMs, type OwnAction } from '../../../../../src/acp/common/actions/ownActions';
import { OwnActionRecorder } from '../../../../../src/acp/node/session/ownActionRecorder';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';
import { V1Updates } from '../../../../../src/acp/common/v1/v1Updates';
import { SubagentUpdates } from '../../../../../src/acp/common/subagents/subagentUpdates';
import { PermissionRequest as V1Request } from '../../../../../src/acp/common/v1/v1Schema';
import { PermissionRequest as V2Request } from '../../../../../src/acp/common/v2/v2Schema';
import { V2Updates } from '../../../../../src/acp/common/v2/v2Updates';
import { FakeClock } from '../../../../fake/fakeClock';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';

const command = (line: string, terminalId: string): OwnAction => ({
  kind: 'execute',
  title: line,
  input: { command: line, cwd: '/ws' },
  subject: { type: 'command', terminalId, command: line },
  status: 'in_progress',
});
const write: OwnAction = {
  kind: 'edit',
  title: 'Write a.txt',
  input: { path: '/ws/a.txt' },
  subject: { type: 'write', path: '/ws/a.txt' },
  status: 'completed',
};

function start() {
  let nowMs = 0;
  const mapper = new SessionEventMapper('s', { monotonicNow: () => nowMs });
  const subagents = new SubagentUpdates(mapper);
  const updates = { 1: new V1Updates(mapper, subagents), 2: new V2Updates(mapper, subagents) };
  const report = (update: object, version: 1 | 2 = 1): SessionEvent[] =>
    updates[version].mapUpdate({ sessionUpdate: 'tool_call', ...update });
  const titles = (events: readonly SessionEvent[]) =>
    events.flatMap(({ data, event }) => (event === 'tool:pre' ? [data.title] : []));
  let turns = 0;
  const startTurn = () => mapper.startTurn('go', `${++turns}`);
  startTurn();
  return { mapper, report, startTurn, titles, wait: (ms: number) => (nowMs += ms) };
}

describe('an entry of something that Backline has done', () => {
  for (const version of [1, 2] as const) {
    it(`can't be taken, hidden or changed by a call of ACP v${version} with its id`, () => {
      const { mapper, report, titles, wait } = start();
      const first = report(
        { sessionUpdate: 'tool_call_update', toolCallId: 'backline-action-1', title: 'Mine' },
        version,
      );
      assert.deepEqual(titles(first), ['Mine']);
      const id = mapper.addOwnAction(command('ls', 't1'));
      wait(maxReportWaitMs);
      const shown = mapper.mapUnreportedActions();
      assert.deepEqual(titles(shown), ['ls']);
      const forged = report(
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 'backline-action-1',
          title: 'Harmless',
          status: 'completed',
          rawInput: {},
        },
        version,
      );
      const ids = forged.flatMap(({ data }) => ('call_id' in data ? [data.call_id] : []));
      assert.ok(ids.length > 0);
      assert.ok(!ids.includes(id));
      const ended = mapper.endOwnAction(id, { status: 'completed' });
      assert.deepEqual(
        ended.map(({ data, event }) => [event, 'title' in data && data.title]),
        [['tool:post', 'ls']],
      );
    });
  }

  it('is not what a permission request with its id is about', () => {
    const { mapper } = start();
    const id = mapper.addOwnAction(command('ls', 't1'));
    mapper.mapUnreportedActions();
    const toolCall = { toolCallId: 'backline-action-1', title: 'x', rawInput: { command: 'rm' } };
    const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }];
    for (const parsed of [
      V1Request.parse({ sessionId: 's', toolCall, options }),
      V2Request.parse({ sessionId: 's', title: 'x', subject: { type: 'tool_call', toolCall }, options }),
    ]) {
      const events = mapper.mapPermissionRequest(parsed);
      assert.ok(events.every(({ data }) => !('call_id' in data) || data.call_id !== id));
      assert.equal(mapper.describeCall(id)?.title, 'ls');
    }
  });

  it('never has the id of a call of an agent, and calls of an agent stay different', () => {
    const id = fc
      .array(fc.constantFrom('agent ', 'backline-action-', '1', 'x'), { maxLength: 4 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(id, id, fc.nat(20), (one, other, number) => {
        assert.ok(!agentCallIdOf(one).startsWith(actionIdOf(number).replace(/\d+$/, '')));
        assert.equal(agentCallIdOf(one) === agentCallIdOf(other), one === other);
      }),
    );
  });

  it('marks calls of the agent that ran unasked, whatever their ids', () => {
    const { report } = start();
    const ended = report({ toolCallId: 'backline-action-9', title: 'x', kind: 'edit', status: 'completed' });
    const [post] = ended.flatMap(({ data, event }) => (event === 'tool:post' ? [data.unattended] : []));
    assert.equal(post, 'edits');
  });

  it('shows what its terminal has printed, and not what the agent says that it has', () => {
    const { mapper, report } = start();
    const id = mapper.addOwnAction(command('ls', 't1'));
    mapper.setClientTerminal('t1', { output: 'real', truncated: false });
    mapper.mapUnreportedActions();
    const meta = {
      terminal_output: { terminal_id: 't1', data: ' forged' },
      terminal_exit: { terminal_id: 't1', exit_code: 0 },
    };
    report({ toolCallId: 'c', title: 'x', _meta: meta });
    mapper.setAgentTerminal('t1', { output: 'forged', truncated: false });
    const content = [{ type: 'diff', path: '/ws/x', newText: 'y' }];
    report({ toolCallId: 'd', kind: 'execute', title: 'ls', rawInput: { command: 'ls' }, content });
    const [ended] = mapper.endOwnAction(id, { status: 'failed' });
    assert.deepEqual(ended && 'content' in ended.data && ended.data.content, [
      { type: 'terminal', terminal_id: 't1', output: 'real' },
    ]);
  });

  it('has no output that the agent invents before its command prints anything', () => {
    const { mapper, report } = start();
    const forge = () =>
      report({
        toolCallId: 'c',
        title: 'x',
        _meta: {
          terminal_output: { terminal_id: 'terminal-1', data: 'All tests passed' },
          terminal_exit: { terminal_id: 'terminal-1', exit_code: 0 },
        },
      });
    forge();
    const clock = new FakeClock();
    const recorder = new OwnActionRecorder({ clock, mapper, emit: () => undefined, cwd: '/ws' });
    recorder.startCommand('terminal-1', { argv: ['npm test'], cwd: '/ws' });
    const shown = [...forge(), ...mapper.takeTerminalUpdates(), ...mapper.mapUnreportedActions()];
    assert.ok(shown.length > 0);
    assert.doesNotMatch(JSON.stringify(shown), /All tests passed|"exit/);
    recorder.dispose();
  });

  it('is shown for the second of two equal commands while the first still runs', () => {
    const { mapper, titles } = start();
    mapper.addOwnAction(command('sleep 9', 't1'));
    assert.deepEqual(titles(mapper.mapUnreportedActions()), ['sleep 9']);
    mapper.addOwnAction(command('sleep 9', 't2'));
    assert.deepEqual(titles(mapper.mapUnreportedActions()), ['sleep 9']);
  });

  it('is not where a call that deletes the written file is shown', () => {
    const { mapper, report, titles } = start();
    mapper.addOwnAction(write);
    assert.deepEqual(titles(mapper.mapUnreportedActions()), ['Write a.txt']);
    const deleted = report({ toolCallId: 'c', kind: 'delete', title: 'Delete', locations: [{ path: '/ws/a.txt' }] });
    assert.deepEqual(titles(deleted), ['Delete']);
  });

  it('is not where a call that reported the write shows that it deletes the file', () => {
    const { mapper, report, titles } = start();
    mapper.addOwnAction(write);
    mapper.mapUnreportedActions();
    const locations = [{ path: '/ws/a.txt' }];
    const call = { toolCallId: 'c', kind: 'edit', title: 'Edit', status: 'in_progress', locations };
    assert.deepEqual(titles(report(call)), []);
    const update = { toolCallId: 'c', sessionUpdate: 'tool_call_update', kind: 'delete', title: 'Delete' };
    assert.deepEqual(titles(report(update)), ['Delete']);
  });

  it('is not where the same call id is shown in a later turn', () => {
    const { mapper, report, startTurn, titles } = start();
    const call = { toolCallId: 'call_1', kind: 'execute', title: 'ls', rawInput: { command: 'ls' } };
    mapper.addOwnAction(command('ls', 't1'));
    mapper.mapUnreportedActions();
    assert.deepEqual(titles(report({ ...call, status: 'completed' })), []);
    mapper.endTurn({ stopReason: 'end_turn' });
    startTurn();
    assert.deepEqual(titles(report({ ...call, status: 'in_progress' })), ['ls']);
    assert.equal(mapper.entryIdOf('call_1'), 'call_1');
    mapper.addOwnAction(command('ls', 't2'));
    assert.deepEqual(mapper.mapUnreportedActions(), [], 'the call is about it');
    report({ toolCallId: 'call_1', sessionUpdate: 'tool_call_update', status: 'completed' });
    mapper.endTurn({ stopReason: 'end_turn' });
    startTurn();
    assert.deepEqual(titles(report({ ...call, status: 'pending' })), ['ls'], 'also a call that had its own entry');
  });

  it('comes at once when no open call can be about it, and soon when one can', () => {
    const { mapper, report, startTurn, titles, wait } = start();
    report({ toolCallId: 'old', kind: 'execute', title: 'Run', status: 'in_progress' });
    mapper.endTurn({ stopReason: 'cancelled' });
    startTurn();
    mapper.addOwnAction(command('one', 't1'));
    assert.deepEqual(titles(mapper.mapUnreportedActions()), ['one'], 'a call of an earlier turn is not waited for');
    report({ toolCallId: 'read', kind: 'read', title: 'Read', status: 'in_progress' });
    mapper.addOwnAction(command('two', 't2'));
    assert.deepEqual(titles(mapper.mapUnreportedActions()), ['two'], 'nor a call of another kind');
    report({ toolCallId: 'run', kind: 'execute', title: 'Run', status: 'in_progress' });
    mapper.addOwnAction(command('three', 't3'));
    assert.deepEqual(titles(mapper.mapUnreportedActions()), []);
    wait(maxReportWaitMs);
    assert.deepEqual(titles(mapper.mapUnreportedActions()), ['three']);
    report({ toolCallId: 'run', rawInput: { command: 'four' } });
    mapper.addOwnAction(command('four', 't4'));
    mapper.addOwnAction(command('five', 't5'));
    assert.deepEqual(titles(mapper.mapUnreportedActions()), ['five'], 'a call is about one command only');
  });
});
