import assert from 'node:assert/strict';
import { redactedProcess } from '../../../../../src/acp/node/signIn/redactedProcess';
import { SecretRedactor } from '../../../../../src/session/common/redaction/secretRedactor';
import { ScriptedAgent } from '../../../../fake/scriptedAgent';
import { until } from '../../../../support/eventually';

describe('the output of an agent whose key is the name of an LLM provider', () => {
  const listed = { providers: [{ providerId: 'anthropic', supported: ['anthropic'], required: true }] };

  it('keeps the ids and protocols of `providers/list`, and nothing else', async () => {
    const agent = new ScriptedAgent();
    const redactor = new SecretRedactor();
    redactor.addSecret('anthropic');
    const { stream } = redactedProcess(agent, redactor, (error) => assert.fail(String(error)));
    const received: unknown[] = [];
    stream.onMessage((message) => received.push(message));
    agent.end.onMessage(() => undefined);
    await stream.send({ jsonrpc: '2.0', id: 1, method: 'providers/list' });
    await stream.send({ jsonrpc: '2.0', id: 2, method: 'session/list' });
    await stream.send({ jsonrpc: '2.0', id: 3, method: 'providers/list' });
    const messages = [
      { id: 1, method: 'ask', params: { text: 'anthropic' } },
      { id: 1, result: listed, note: 'anthropic' },
      { id: 1, result: { text: 'anthropic' } },
      { id: 2, result: { text: 'anthropic' } },
      { id: 3, error: { message: 'anthropic' } },
    ];
    for (const message of messages) await agent.end.send(message);
    await until('all messages', () => received.length === messages.length);
    assert.deepEqual(received, [
      { id: 1, method: 'ask', params: { text: '[key]' } },
      { id: 1, result: listed, note: '[key]' },
      { id: 1, result: { text: '[key]' } },
      { id: 2, result: { text: '[key]' } },
      { id: 3, error: { message: '[key]' } },
    ]);
  });
});
