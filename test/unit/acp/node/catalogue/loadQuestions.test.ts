import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { LoadQuestions, type LoadAnswer } from '../../../../../src/acp/node/catalogue/loadQuestions';
import { cwd, Follower, useBackends } from '../../../../fake/backendHarness';
import { basics, capabilities, type Script } from '../../../../fake/acp/scriptedAgent';
import { until } from '../../../../support/eventually';

describe('a session that its agent may lose when it is loaded', () => {
  const make = useBackends();
  let home = '';

  beforeEach(async () => {
    home = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-home-')));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  function gemini(answer: LoadAnswer) {
    const seen: string[] = [];
    const script: Script = (app) => {
      app.onRequest('session/load', () => (seen.push('load'), {}));
      app.onRequest('session/new', () => ({ sessionId: `s${seen.push('new')}` }));
      app.onRequest('session/prompt', ({ params: { prompt } }) => {
        seen.push(...prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [block.type])));
        return { stopReason: 'end_turn' };
      });
      const agentCapabilities = { ...capabilities, sessionCapabilities: {} };
      basics(app, { agentCapabilities, agentInfo: { name: 'gemini-cli', version: '0.61.0' } });
    };
    const questions = new LoadQuestions({
      ask: (title) => {
        seen.push(`ask ${title}`);
        return Promise.resolve(answer);
      },
    });
    const confirmLoad = (session: { sessionId: string; cwd: string }, signal?: AbortSignal) =>
      questions.mayLoad({ agentId: 'gemini', agentTitle: 'Gemini', ...session, env: { HOME: home } }, signal);
    return { seen, ...make(script, { confirmLoad }) };
  }

  async function setRetention(folder: string, enabled: boolean): Promise<void> {
    await mkdir(path.join(folder, '.gemini'), { recursive: true });
    const text = `{ // mine\n "general": { "sessionRetention": { "enabled": ${enabled} } } }`;
    await writeFile(path.join(folder, '.gemini', 'settings.json'), text);
  }

  it('is loaded only if the user wants that', async () => {
    const { backend, seen } = gemini('load');
    await backend.loadSession('old', { cwd });
    assert.deepEqual(seen, ['ask Gemini', 'load']);
  });

  it('is not loaded if the user prefers a summary, or closes the question', async () => {
    for (const [answer, code] of [
      ['summary', 'unsupported'],
      [undefined, 'cancelled'],
    ] as const) {
      const { backend, seen } = gemini(answer);
      await assert.rejects(backend.loadSession('old', { cwd }), { code });
      assert.deepEqual(seen, ['ask Gemini']);
    }
  });

  it('goes on with a summary in a new process, and the user is asked once', async () => {
    const { backend, seen } = gemini('summary');
    const session = await backend.createSession({ cwd });
    const follower = new Follower(session);
    for (const count of [1, 2]) {
      await backend.stop();
      const reminder = () => [{ type: 'text' as const, title: 'Earlier', text: 'the summary' }];
      await session.sendPrompt({ text: 'on', reminder });
      await follower.next('prompt:complete', count);
    }
    const [created, asked, ...rest] = seen;
    assert.deepEqual([created, asked], ['new', 'ask Gemini']);
    assert.equal(rest.filter((each) => each === 'load').length, 0);
    assert.equal(rest.filter((each) => each === 'new').length, 2);
  });

  it('is loaded without a question if Gemini keeps all sessions, by the settings of the user', async () => {
    await setRetention(home, false);
    const quiet = gemini(undefined);
    await quiet.backend.loadSession('old', { cwd });
    assert.deepEqual(quiet.seen, ['load']);
    await setRetention(path.join(home, 'project'), true);
    const asking = gemini('load');
    await asking.backend.loadSession('old', { cwd: path.join(home, 'project') });
    assert.deepEqual(asking.seen, ['ask Gemini', 'load']);
  });

  it('is not loaded without a question because the folder says so', async () => {
    await setRetention(path.join(home, 'project'), false);
    const asking = gemini('load');
    await asking.backend.loadSession('old', { cwd: path.join(home, 'project') });
    assert.deepEqual(asking.seen, ['ask Gemini', 'load']);
  });

  it('has one question for all who wait for it, which closes with the last of them', async () => {
    const open: { readonly signal: AbortSignal | undefined; readonly answer: (answer: LoadAnswer) => void }[] = [];
    const questions = new LoadQuestions({
      ask: (_, signal) => new Promise((resolve) => open.push({ signal, answer: resolve })),
    });
    const session = { agentId: 'gemini', agentTitle: 'Gemini', sessionId: 'old', cwd, env: { HOME: home } };
    const ask = (differences: Partial<typeof session> = {}, signal?: AbortSignal) =>
      questions.mayLoad({ ...session, ...differences }, signal);
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = [ask({}, first.signal), ask({}, second.signal)].map((each) => each.catch(() => 'canceled'));
    await until('the question', () => open.length > 0);
    first.abort();
    assert.equal(await asked[0], 'canceled');
    const isClosed = () => open.map(({ signal }) => signal?.aborted);
    assert.deepEqual(isClosed(), [false]);
    second.abort();
    assert.equal(await asked[1], 'canceled');
    assert.deepEqual(isClosed(), [true]);
    // Another agent, or another folder, has another session of that name.
    const others = [ask(), ask({ agentId: 'mine' }), ask({ cwd: '/other' })];
    await until('the questions', () => open.length === 4);
    for (const [index, answer] of (['load', 'summary', 'load'] as const).entries()) open[index + 1]?.answer(answer);
    assert.deepEqual((await Promise.all(others)).toSorted(), [false, true, true]);
    assert.deepEqual(await Promise.all([ask(), ask()]), [await others[0], await others[0]]);
    assert.equal(open.length, 4);
  });
});
