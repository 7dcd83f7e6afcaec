import assert from 'node:assert/strict';
import {
  InitializeResult,
  PermissionRequest,
  PromptResult,
  SessionSetupResult,
  sessionUpdates,
  toTurnResult,
} from '../../../../../src/acp/common/v1/v1Schema';
import { SessionListResult } from '../../../../../src/acp/common/session/wireSchema';

const good = { id: 'a', name: 'A' };

describe('the usage in the result of a prompt', () => {
  const countsOf = (result: object) => toTurnResult(PromptResult.parse({ stopReason: 'end_turn', ...result })).counts;

  it('is read from the protocol’s member, and from the forms of Gemini and Grok', () => {
    const usage = { inputTokens: 10, outputTokens: 4, cachedReadTokens: 7, thoughtTokens: null };
    assert.deepEqual(countsOf({ usage }), { input: 10, output: 4, cacheRead: 7 });
    assert.deepEqual(countsOf({ _meta: { usage } }), { input: 10, output: 4, cacheRead: 7 });
    assert.deepEqual(countsOf({ _meta: { usage: { prompt_tokens: 3, completion_tokens: 2 } } }), {
      input: 3,
      output: 2,
    });
    assert.deepEqual(countsOf({ _meta: { usage: { input_tokens: 3, output_tokens: 2 } } }), { input: 3, output: 2 });
    const quota = { token_count: { input_tokens: 5, output_tokens: 6 } };
    assert.deepEqual(countsOf({ _meta: { quota } }), { input: 5, output: 6 });
    for (const none of [{}, { usage: {} }, { _meta: { usage: { total: 1 } } }, { _meta: {} }])
      assert.equal(countsOf(none), undefined);
  });
});

describe('what cannot be read of a list', () => {
  it('does not take the rest of it down', () => {
    const { plan, available_commands_update: commands, tool_call: call } = sessionUpdates;
    assert.equal(plan.parse({ entries: [{ content: 'one' }, { content: 7 }, null] }).entries.length, 1);
    assert.equal(commands.parse({ availableCommands: [{ name: 'go' }, {}] }).availableCommands.length, 1);
    assert.equal(call.parse({ toolCallId: 'c', locations: [{ path: '/a' }, { line: 1 }] }).locations?.length, 1);
    assert.equal(SessionListResult.parse({ sessions: [{ sessionId: 's' }, { id: 's' }] }).sessions.length, 1);
    assert.equal(InitializeResult.parse({ protocolVersion: 1, authMethods: [good, 3] }).authMethods?.length, 1);
    const modes = { currentModeId: 'a', availableModes: [good, 'b'] };
    assert.equal(SessionSetupResult.parse({ modes }).modes?.availableModes.length, 1);
    const option = { ...good, type: 'select', currentValue: 'a', options: [{ value: 'a', name: 'A' }, 1] };
    const [read] = SessionSetupResult.parse({ configOptions: [option] }).configOptions ?? [];
    assert.equal(read?.type === 'select' && read.options.length, 1);
  });

  it('leaves a question without options no question', () => {
    const request = { sessionId: 's', toolCall: { toolCallId: 'c' } };
    const option = { optionId: 'a', name: 'A', kind: 'allow_once' };
    assert.equal(PermissionRequest.parse({ ...request, options: [option, {}] }).options.length, 1);
    assert.equal(PermissionRequest.safeParse({ ...request, options: [{}] }).success, false);
  });

  it('counts in whole numbers what an agent counts in fractions', () => {
    assert.equal(sessionUpdates.usage_update.parse({ used: 1.5, size: 10 }).used, 2);
  });
});

describe('the end of a turn of ACP v1', () => {
  it('keeps a reason that is not known beside a normal end', () => {
    const endOf = (result: object) => toTurnResult(PromptResult.parse(result));
    assert.deepEqual(endOf({ stopReason: '_budget' }), { stopReason: 'end_turn', unknownReason: '_budget' });
    assert.deepEqual(endOf({ stopReason: 'x'.repeat(500) }).unknownReason?.length, 100);
    for (const result of [{}, { stopReason: null }, { stopReason: 7 }, { stopReason: 'end_turn' }]) {
      assert.deepEqual(endOf(result), { stopReason: 'end_turn' });
    }
  });
});
