import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import * as z from 'zod';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { ServeFeature } from '../../../src/amplifier/vscode/serveFeature';
import { toDisposable } from '../../../src/base/common/disposable';
import { StatusBoard, type FeatureStatus, type RunningFeature } from '../../../src/base/common/feature';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { commandIds } from '../../../src/manifest';
import { eventually } from '../../support/eventually';
import { call } from '../../unit/amplifier/server/support/serverHarness';
import { AdapterUnderTest } from '../support/editorAdapter';

const noBackend = () => Promise.reject(new BackendError('notFound', 'There is none.'));
const Access = z.object({ url: z.url(), token: z.string().min(32) });

const OpenAccess = z.object({ url: z.url(), token: z.undefined() });

/** The feature as in another window. */
class OtherWindow {
  readonly board = new StatusBoard(assert.ifError);
  /** What the user was asked: whether something is served already. */
  readonly questions: boolean[] = [];
  /** What the user says to doing without a token. */
  isWilling = false;
  private readonly editor = new AdapterUnderTest();
  private readonly handlers: ((argument?: unknown) => unknown)[] = [];
  private running: RunningFeature | undefined;

  async start(): Promise<void> {
    this.running = await new ServeFeature({
      backends: { onDidChange: () => toDisposable(() => undefined), list: () => Promise.resolve([]), open: noBackend },
      observeSession: () => undefined,
      editor: this.editor.adapter,
      log: nullLogger,
      status: this.board,
      commands: {
        setHandler: (_id, handler) => {
          this.handlers.push(handler);
          return toDisposable(() => undefined);
        },
      },
      clock: systemClock,
      version: '0.0.0',
      confirmNoToken: (isServing) => {
        this.questions.push(isServing);
        return Promise.resolve(this.isWilling);
      },
    }).start();
  }

  status(): Pick<FeatureStatus, 'state' | 'summary'> {
    const [status] = this.board.featureStatuses;
    assert.ok(status);
    return status;
  }

  /** The command of the feature. */
  serve(argument?: unknown): Promise<unknown> {
    return Promise.resolve(this.handlers[0]?.(argument));
  }

  async stop(): Promise<void> {
    await this.running?.stop?.();
  }

  async dispose(): Promise<void> {
    await this.stop();
    this.running?.dispose();
    this.editor.dispose();
    this.board.dispose();
  }
}

const healthOf = async (url: string, token?: string): Promise<number> =>
  (await call(url, 'GET', '/health', token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }))
    .status;

describe('serving the agents of the window to Amplifier clients', () => {
  const serve = async () => Access.parse(await vscode.commands.executeCommand(commandIds.amplifierServe));
  let other: OtherWindow;

  beforeEach(async () => {
    other = new OtherWindow();
    await other.start();
  });
  afterEach(() => other.dispose());

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
    const second = Access.parse(await other.serve());
    assert.notEqual(second.url, first.url);
    assert.match(other.status().summary, /Port 8765 is already in use, possibly by another window\./u);
    assert.deepEqual([await healthOf(first.url, first.token), await healthOf(first.url, second.token)], [200, 401]);
    assert.deepEqual([await healthOf(second.url, second.token), await healthOf(second.url, first.token)], [200, 401]);
    await other.stop();
    assert.equal(other.status().state, 'off');
    assert.equal(await healthOf(first.url, first.token), 200);
  });

  it('does without the token only when the user says yes to that, each time', async () => {
    assert.equal(await other.serve('withoutToken'), undefined);
    assert.equal(other.status().state, 'off');
    other.isWilling = true;
    const { url } = OpenAccess.parse(await other.serve('withoutToken'));
    assert.equal(await healthOf(url), 200);
    assert.equal(other.status().state, 'attention');
    assert.match(other.status().summary, /without a token\. Any program on this machine/u);
    assert.deepEqual(other.questions, [false, false]);
    assert.deepEqual(await other.serve(), { url, token: undefined }, 'it says what it does');
    await other.stop();
    const again = Access.parse(await other.serve());
    assert.equal(await healthOf(again.url), 401, 'the answer is not remembered');
    assert.equal(other.status().state, 'ready');
    assert.deepEqual(other.questions, [false, false]);
  });

  it('asks before the token of what is served already is done without, and keeps it otherwise', async () => {
    const first = Access.parse(await other.serve());
    assert.equal(await other.serve('withoutToken'), undefined);
    assert.deepEqual([await healthOf(first.url), await healthOf(first.url, first.token)], [401, 200]);
    other.isWilling = true;
    const { url } = OpenAccess.parse(await other.serve('withoutToken'));
    assert.equal(await healthOf(url), 200);
    assert.deepEqual(other.questions, [true, true]);
  });

  it('takes no other argument for a wish to do without the token', async () => {
    other.isWilling = true;
    for (const argument of [{ token: false }, 'off', null]) {
      const { url } = Access.parse(await other.serve(argument));
      assert.equal(await healthOf(url), 401);
    }
    assert.deepEqual(other.questions, []);
  });

  it('answers a prompt by the demo agent', async () => {
    const { url, token } = await serve();
    const headers = { Authorization: `Bearer ${token}` };
    const created = await call(url, 'POST', '/sessions', { headers, body: { profile: 'demo-agent' } });
    assert.equal(created.status, 201, created.text);
    const { session_id: id } = z.object({ session_id: z.uuid() }).parse(created.json);
    await call(url, 'POST', `/sessions/${id}/prompt`, { headers, body: { prompt: '/help' } });
    const status = async () => (await call(url, 'GET', `/sessions/${id}`, { headers })).text;
    await eventually('the answer', async () => assert.match(await status(), /"message_count":2/u));
    await call(url, 'DELETE', `/sessions/${id}`, { headers });
  });
});
