import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod';
import { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { storedEntries } from '../../../../src/chat/common/log/storedEntries';
import { SessionEventMapper } from '../../../../src/acp/common/session/sessionEventMapper';
import { TurnUsage } from '../../../../src/acp/common/session/turnUsage';
import { PromptResult, SessionSetupResult, ToolCallUpdate, toTurnResult } from '../../../../src/acp/common/v1/v1Schema';
import { V1Updates } from '../../../../src/acp/common/v1/v1Updates';
import { SubagentUpdates } from '../../../../src/acp/common/subagents/subagentUpdates';
import { normalized } from '../../../support/normalized';

/** One step of a recorded conversation; `flush` is the moment at which waiting terminal output is told. */
const Step = z.union([
  z.strictObject({ setup: SessionSetupResult }),
  z.strictObject({ prompt: z.string() }),
  z.strictObject({ update: z.looseObject({ sessionUpdate: z.string() }) }),
  z.strictObject({ permission: ToolCallUpdate }),
  z.strictObject({ flush: z.literal(true) }),
  z.strictObject({ replay: z.boolean() }),
  z.strictObject({ answer: PromptResult }),
]);

const folder = path.join(process.cwd(), 'test/fixtures/acp');
const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

function run(mapping: SessionEventMapper, step: z.infer<typeof Step>): SessionEvent[] {
  if ('setup' in step) {
    mapping.config.applySetup(step.setup);
    return [mapping.configEvent()];
  }
  if ('prompt' in step) return mapping.startTurn(step.prompt, 'r1');
  if ('update' in step) return new V1Updates(mapping, new SubagentUpdates(mapping)).mapUpdate(step.update);
  if ('permission' in step)
    return mapping.mapPermissionRequest({ subject: { kind: 'toolCall', toolCall: step.permission } });
  if ('flush' in step) return mapping.takeTerminalUpdates();
  if ('answer' in step) {
    const { counts, stopReason } = toTurnResult(step.answer);
    const usage = counts && new TurnUsage().usageOfTurn(counts, 'turn');
    return mapping.endTurn({ stopReason, ...(usage ? { usage } : {}) });
  }
  if (!step.replay) return mapping.endReplay();
  mapping.startReplay();
  return [];
}

function play(name: string): { events: SessionEvent[]; mapping: SessionEventMapper } {
  const mapping = new SessionEventMapper('s1', { monotonicNow: () => 0 });
  const steps = read(`${name}.jsonl`)
    .trimEnd()
    .split('\n')
    .map((line) => Step.parse(JSON.parse(line)));
  const [, ...events] = normalized(steps.flatMap((step) => run(mapping, step)));
  return { events, mapping };
}

/** A line an event, its name first, so that a difference is easy to see. */
const lines = (events: readonly SessionEvent[]): string =>
  events.map(({ event, data }) => `${event} ${JSON.stringify(data)}`).join('\n');

describe('the mapping of ACP v1 to Amplifier’s events', () => {
  for (const name of ['opencode', 'claude', 'gemini', 'codex', 'copilot', 'loadedHistory', 'codexHistory']) {
    it(`tells a conversation as ${name} has it`, () => {
      assert.equal(lines(play(name).events), read(`${name}.events.txt`).trimEnd());
    });

    it(`tells ${name}'s conversation in events of the vocabulary`, () => {
      for (const event of play(name).events) assert.deepEqual(SessionEvent.parse(event), event);
    });
  }

  it('counts unknown updates and continues', () => {
    assert.deepEqual([...play('claude').mapping.ignoredUpdateCounts], [['future_update', 1]]);
    assert.deepEqual(
      [...play('copilot').mapping.ignoredUpdateCounts],
      [
        ['agent_message_chunk (not understood)', 1],
        ['plan (not understood)', 1],
      ],
    );
  });

  it('knows a call of the last turn again, and forgets those of long ago', () => {
    const mapping = new SessionEventMapper('s1', { monotonicNow: () => 0 });
    const tell = (toolCallId: string) => {
      const update = { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' };
      return new V1Updates(mapping, new SubagentUpdates(mapping)).mapUpdate(update);
    };
    mapping.startTurn('hello', 'r1');
    for (let count = 0; count <= 200; count++) tell(`c${count}`);
    mapping.endTurn({ stopReason: 'cancelled' });
    assert.equal(
      tell('c200').some(({ event }) => event === 'tool:pre'),
      false,
    );
    assert.equal(mapping.describeCall('c0'), undefined);
  });

  for (const first of ['completed', 'in_progress', undefined])
    for (const second of ['completed', 'in_progress', undefined])
      it(`takes an id of an earlier turn for another call if it is announced again (${first}, ${second})`, () => {
        const mapping = new SessionEventMapper('s1', { monotonicNow: () => 0 });
        const reader = new V1Updates(mapping, new SubagentUpdates(mapping));
        const tell = (update: { sessionUpdate: string } & Record<string, unknown>) => reader.mapUpdate(update);
        const call = { sessionUpdate: 'tool_call', toolCallId: '1', kind: 'execute' };
        const events = [first, second].flatMap((status, turn) => [
          ...mapping.startTurn(`Prompt ${turn}`, `r${turn}`),
          ...tell({ ...call, title: `run ${turn}`, ...(status === undefined ? {} : { status }) }),
          ...tell({ ...call, sessionUpdate: 'tool_call_update', locations: [{ path: `/ws/${turn}` }] }),
          ...mapping.endTurn({ stopReason: 'end_turn' }),
        ]);
        const records = normalized(events).map((event) => ({ type: 'event' as const, at: 1, event }));
        const shown = storedEntries(records, 'One').flatMap((entry) => (entry.kind === 'tool' ? [entry] : []));
        assert.deepEqual(
          shown.map(({ title, turn }) => [title, turn]),
          [
            ['run 0', 1],
            ['run 1', 2],
          ],
        );
        assert.deepEqual(
          shown.map(({ locations }) => locations?.map(({ path: place }) => place)),
          [['/ws/0'], ['/ws/1']],
        );
        assert.equal(shown[1]?.state, second === 'completed' ? 'done' : 'stale');
      });

  it('ends a turn once only', () => {
    const mapping = new SessionEventMapper('s1', { monotonicNow: () => 0 });
    mapping.startTurn('hello', 'r1');
    assert.equal(mapping.failTurn('broken', 'backend').length, 1);
    assert.deepEqual(mapping.endTurn({ stopReason: 'end_turn' }), []);
  });

  it('leaves no thought and no tool call of a turn that fails open', () => {
    const mapping = new SessionEventMapper('s1', { monotonicNow: () => 0 });
    const chunk = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } };
    const events = normalized([
      ...mapping.startTurn('hello', 'r1'),
      ...mapping.mapToolCall(ToolCallUpdate.parse({ toolCallId: 'c1', title: 'Work' })),
      ...new V1Updates(mapping, new SubagentUpdates(mapping)).mapUpdate(chunk),
      ...mapping.failTurn('broken', 'backend', 'last words'),
    ]);
    assert.deepEqual(
      events.slice(-3).map(({ event }) => event),
      ['thinking:final', 'tool:error', 'error'],
    );
  });

  it('keeps the newest output of a terminal, cut at a whole character', () => {
    const mapping = new SessionEventMapper('s1', { monotonicNow: () => 0 });
    mapping.mapToolCall(ToolCallUpdate.parse({ toolCallId: 'c1', title: 'Run' }));
    const output = `${'😀'.repeat(100_000)}x`;
    const update = {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1',
      _meta: { terminal_output: { data: output } },
    };
    new V1Updates(mapping, new SubagentUpdates(mapping)).mapUpdate(update);
    const [event] = mapping.takeTerminalUpdates();
    assert.equal(event?.event, 'tool:update');
    const [content] = event.data.content ?? [];
    assert.equal(content?.type, 'terminal');
    assert.equal(content.truncated, true);
    assert.ok(content.output.length <= 128 * 1024);
    assert.ok(output.endsWith(content.output) && content.output.isWellFormed());
  });

  it('counts updates of unknown calls that have nothing to show, until one has', () => {
    const mapping = new SessionEventMapper('s1', { monotonicNow: () => 0 });
    const updates = new V1Updates(mapping, new SubagentUpdates(mapping));
    mapping.startTurn('hello', 'r1');
    const update = (toolCallId: string, members: object) => {
      const named = { sessionUpdate: 'tool_call_update', toolCallId };
      return updates.mapUpdate({ ...named, ...members });
    };
    for (let index = 0; index < 300; index++) {
      const status = index % 2 === 0 ? 'failed' : 'completed';
      assert.deepEqual(update(`unknown-${index}`, { status, kind: 'other', content: [], title: ' ' }), []);
    }
    assert.deepEqual([...mapping.ignoredUpdateCounts.values()], [300]);
    const shown = normalized(update('unknown-1', { rawOutput: 'done', status: 'completed' }));
    assert.ok(shown.some(({ event }) => event === 'tool:post'));
  });
});
