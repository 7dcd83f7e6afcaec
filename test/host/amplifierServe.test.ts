import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import * as z from 'zod';
import { BackendError } from '../../src/amplifier/common/sessionBackend';
import { ServeFeature } from '../../src/amplifier/vscode/serveFeature';
import { toDisposable } from '../../src/base/common/disposable';
import { StatusBoard } from '../../src/base/common/feature';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { commandIds } from '../../src/manifest';
import { call } from '../unit/amplifier/server/support/serverHarness';
import { AdapterUnderTest } from './support/editorAdapter';

const noBackend = () => Promise.reject(new BackendError('notFound', 'There is none.'));
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

  it('takes another port than the window that serves already, and says so', async () => {
    const first = await serve();
    const board = new StatusBoard(assert.ifError);
    const editor = new AdapterUnderTest();
    const handlers: (() => unknown)[] = [];
    const other = await new ServeFeature({
      backends: { onDidChange: () => toDisposable(() => undefined), list: () => Promise.resolve([]), open: noBackend },
      editor: editor.adapter,
      log: nullLogger,
      status: board,
      commands: {
        handle: (_id, handler) => {
          handlers.push(handler);
          return toDisposable(() => undefined);
        },
      },
      clock: systemClock,
      version: '0.0.0',
    }).start();
    try {
      const second = Access.parse(await handlers[0]?.());
      assert.notEqual(second.url, first.url);
      assert.match(board.all[0]?.summary ?? '', /Port 8765 is taken, perhaps by another window that serves\./u);
      for (const [mine, theirs] of [
        [first, second],
        [second, first],
      ] as const) {
        const statusWith = async (token: string): Promise<number> =>
          (await call(mine.url, 'GET', '/health', { headers: { Authorization: `Bearer ${token}` } })).status;
        assert.deepEqual([await statusWith(mine.token), await statusWith(theirs.token)], [200, 401]);
      }
      await other.stop?.();
      assert.equal(board.all[0]?.state, 'off');
      const headers = { Authorization: `Bearer ${first.token}` };
      assert.equal((await call(first.url, 'GET', '/health', { headers })).status, 200);
    } finally {
      await other.stop?.();
      other.dispose();
      editor.dispose();
      board.dispose();
    }
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
