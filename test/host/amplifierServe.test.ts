import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import * as z from 'zod';
import { commandIds } from '../../src/manifest';
import { call } from '../unit/amplifier/server/support/serverHarness';

const Access = z.object({ url: z.url(), token: z.string().min(32) });

describe('serving the agents of the window to Amplifier clients', () => {
  const serve = async () => Access.parse(await vscode.commands.executeCommand(commandIds.amplifierServe));

  it('starts at the command, for who has the token, and says the same when asked again', async () => {
    const { url, token } = await serve();
    assert.equal((await call(url, 'GET', '/health')).status, 401);
    const headers = { Authorization: `Bearer ${token}` };
    assert.equal((await call(url, 'GET', '/health', { headers })).status, 200);
    assert.match((await call(url, 'GET', '/profiles', { headers })).text, /"name":"demo-agent"/u);
    assert.deepEqual(await serve(), { url, token });
  });

  it('answers a prompt by the demo agent', async () => {
    const { url, token } = await serve();
    const headers = { Authorization: `Bearer ${token}` };
    const created = await call(url, 'POST', '/sessions', { headers, body: { profile: 'demo-agent' } });
    assert.equal(created.status, 201, created.text);
    const { session_id: id } = z.object({ session_id: z.uuid() }).parse(created.json);
    await call(url, 'POST', `/sessions/${id}/prompt`, { headers, body: { prompt: '/help' } });
    const status = async () => (await call(url, 'GET', `/sessions/${id}`, { headers })).text;
    const deadline = Date.now() + 8000;
    while (!(await status()).includes('"message_count":2')) assert.ok(Date.now() < deadline, await status());
    await call(url, 'DELETE', `/sessions/${id}`, { headers });
  });
});
