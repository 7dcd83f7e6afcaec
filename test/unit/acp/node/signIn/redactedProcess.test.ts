import assert from 'node:assert/strict';
import { redactedProcess } from '../../../../../src/acp/node/signIn/redactedProcess';
import { SecretRedactor } from '../../../../../src/session/common/redaction/secretRedactor';
import { ScriptedAgent } from '../../../../fake/acp/scriptedAgent';
import { until } from '../../../../support/eventually';

describe('the output of an agent whose key is the name of an LLM provider', () => {
  const listed = (key: string): object => {
    const current = { apiType: 'anthropic', baseUrl: 'https://llm.example.com', headers: { 'X-Key': key } };
    return { providers: [{ providerId: 'anthropic', supported: ['anthropic'], required: true, current }] };
  };

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
      { id: 1, result: listed('anthropic') },
      { id: 1, result: { text: 'anthropic' } },
      { id: 2, result: { apiType: 'anthropic' } },
      { id: 3, error: { message: 'anthropic' } },
    ];
    for (const message of messages) await agent.end.send(message);
    await until('all messages', () => received.length === messages.length);
    assert.deepEqual(received, [
      { id: 1, method: 'ask', params: { text: '[key]' } },
      { id: 1, result: listed('[key]') },
      { id: 1, result: { text: '[key]' } },
      { id: 2, result: { apiType: '[key]' } },
      { id: 3, error: { message: '[key]' } },
    ]);
  });
});
