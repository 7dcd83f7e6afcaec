import assert from 'node:assert/strict';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';
import { SessionSetupResult, ToolCallUpdate } from '../../../../../src/acp/common/v1/v1Schema';
import { SubagentUpdates } from '../../../../../src/acp/common/subagents/subagentUpdates';
import { V1Updates } from '../../../../../src/acp/common/v1/v1Updates';

describe('what a call shows of an agent that does not ask', () => {
  const mapping = (modes: boolean): SessionEventMapper => {
    const made = new SessionEventMapper('s1', { monotonicNow: () => 0 });
    const availableModes = [{ id: 'auto', name: 'Auto' }];
    made.config.applySetup(SessionSetupResult.parse(modes ? { modes: { currentModeId: 'auto', availableModes } } : {}));
    return made;
  };
  const done = (of: SessionEventMapper, kind: string, id = kind) =>
    new V1Updates(of, new SubagentUpdates(of))
      .mapUpdate(
        Object.assign({ sessionUpdate: 'tool_call' }, { toolCallId: id, title: id, kind, status: 'completed' }),
      )
      .flatMap((event) => (event.event === 'tool:post' ? [event.data.unattended] : []))[0];

  it('is told with the call: edits, and commands', () => {
    const agent = mapping(false);
    agent.startTurn('go', 'r1');
    assert.deepEqual(
      ['edit', 'delete', 'move', 'execute', 'read', 'fetch'].map((kind) => done(agent, kind)),
      ['edits', 'edits', 'edits', 'runs', undefined, undefined],
    );
  });

  it('is nothing where a mode says it, where it is the past, and outside a turn', () => {
    const withModes = mapping(true);
    withModes.startTurn('go', 'r1');
    assert.equal(done(withModes, 'edit'), undefined);
    const idle = mapping(false);
    assert.equal(done(idle, 'edit'), undefined);
    idle.startReplay();
    assert.equal(done(idle, 'edit', 'past'), undefined);
  });

  it('is nothing once the agent has asked, and of commands once Backline stands before them', () => {
    const agent = mapping(false);
    agent.startTurn('go', 'r1');
    agent.setClientTerminal('t1', { output: '', truncated: false });
    assert.deepEqual([done(agent, 'execute'), done(agent, 'edit')], [undefined, 'edits']);
    const toolCall = ToolCallUpdate.parse({ toolCallId: 'asked', kind: 'edit' });
    agent.mapPermissionRequest({ subject: { kind: 'toolCall', toolCall } });
    assert.equal(done(agent, 'edit', 'again'), undefined);
  });
});
