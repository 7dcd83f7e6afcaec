import assert from 'node:assert/strict';
import { startAgentProcess } from '../../../../../src/acp/node/process/agentProcess';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { nullLogger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { backendOf, open } from '../../../../fake/backendHarness';

/** An agent that tells all of a turn in batches, and puts what comes back into its answer. */
const agent = `
const say = (line) => console.log(JSON.stringify(line));
const update = (update) => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } });
const text = (text) => update({ sessionUpdate: 'agent_message_chunk', messageId: 'a', content: { type: 'text', text } });
const ask = (id) => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: { sessionId: 's', title: id, options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }] },
});
const answers = {
  initialize: { protocolVersion: 2, info: { name: 'batches', version: '1' }, capabilities: { session: {} } },
  'session/new': { sessionId: 's' },
  'session/prompt': { messageId: 'u' },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (Array.isArray(message)) {
    say([text(message.map(({ id }) => id).sort().join(' and ')), update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' })]);
    return;
  }
  const { id, method } = message;
  if (method in answers) say({ jsonrpc: '2.0', id, result: answers[method] });
  if (method === 'session/prompt')
    say([update({ sessionUpdate: 'state_update', state: 'running' }), text('got '), ask('one'), ask('two')]);
});`;

describe('an agent of ACP v2 that sends JSON-RPC batches', () => {
  let backend: AcpBackend | undefined;
  afterEach(() => backend?.stop());

  it('is understood message by message, and gets its answers in one array', async () => {
    const command = { command: process.execPath, args: ['-e', agent], env: {}, cwd: process.cwd() };
    const startAgent = () => startAgentProcess(command, { clock: systemClock, log: nullLogger });
    ({ backend } = backendOf(() => undefined, { startAgent }));
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    for (const nth of [1, 2]) {
      const { approval_id, options } = await follower.next('approval:required', nth);
      await session.answerApproval(approval_id, options[0] ?? '');
    }
    assert.match((await follower.next('prompt:complete')).response, /^got\s+one and two$/);
  });
});
