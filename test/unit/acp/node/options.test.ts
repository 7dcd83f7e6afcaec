import assert from 'node:assert/strict';
import { RequestError, type AgentApp } from '@agentclientprotocol/sdk';
import type { BackendSession } from '../../../../src/session/common/sessionBackend';
import { cwd, Follower, useBackends } from '../../../fake/backendHarness';
import { capabilities, type Script } from '../../../fake/acp/scriptedAgent';

const modes = (currentModeId: string) => ({
  currentModeId,
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'plan', name: 'Plan' },
    { id: 'yolo', name: 'YOLO' },
  ],
});

/** An agent with modes, which begins in `ask`; what it is asked goes to `wire`. */
function moded(
  wire: string[],
  { resumes = false, resumesIn = 'ask', refuses = (nth: number): boolean => nth < 0 } = {},
): Script {
  return (app: AgentApp, _process, nth) => {
    const sessionCapabilities = resumes ? { resume: {}, close: {} } : { close: {} };
    app.onRequest('initialize', () => ({
      protocolVersion: 1,
      agentCapabilities: { ...capabilities, loadSession: false, sessionCapabilities },
    }));
    app.onRequest('session/new', () => {
      wire.push(`${nth} new`);
      return { sessionId: `s${nth}`, modes: modes('ask') };
    });
    app.onRequest('session/resume', () => {
      wire.push(`${nth} resume`);
      return { modes: modes(resumesIn) };
    });
    app.onRequest('session/close', () => ({}));
    app.onRequest('session/set_mode', ({ params }) => {
      wire.push(`${nth} set ${params.modeId}`);
      if (refuses(nth)) throw new Error('no');
      return {};
    });
    app.onRequest('session/prompt', () => {
      wire.push(`${nth} prompt`);
      return { stopReason: 'end_turn' };
    });
  };
}

const modeOf = ({ config }: BackendSession) => config.find(({ id }) => id === 'mode')?.value;

describe('the options of an ACP session', () => {
  const make = useBackends();
  let wire: string[];
  beforeEach(() => {
    wire = [];
  });

  async function crashed(script: Script, mode: string) {
    const { agents, backend } = make(script);
    const session = await backend.createSession({ cwd });
    const follower = new Follower(session);
    await session.setConfig('mode', mode);
    await session.sendPrompt({ text: 'one' });
    await follower.next('prompt:complete');
    wire.length = 0;
    agents.last.crash('');
    return { session, follower };
  }

  it('are set again before the next prompt when the agent has to begin anew', async () => {
    const { session, follower } = await crashed(moded(wire), 'plan');
    await session.sendPrompt({ text: 'two' });
    await follower.next('prompt:complete', 2);
    assert.deepEqual(wire, ['2 new', '2 set plan', '2 prompt']);
    assert.equal(modeOf(session), 'plan');
  });

  it('are what an agent reports that remembers the session, and another mode is told', async () => {
    const { session, follower } = await crashed(moded(wire, { resumes: true }), 'plan');
    await session.sendPrompt({ text: 'two' });
    await follower.next('prompt:complete', 2);
    assert.deepEqual(wire, ['2 resume', '2 prompt']);
    assert.equal(modeOf(session), 'ask');
    const { message } = await follower.next('notice');
    assert.match(message, /changed its mode from "Plan" to "Ask"/);
  });

  it('are set back where the session would come back in a mode that asks less', async () => {
    const { session, follower } = await crashed(moded(wire, { resumes: true, resumesIn: 'yolo' }), 'plan');
    await session.sendPrompt({ text: 'two' });
    await follower.next('prompt:complete', 2);
    assert.deepEqual(wire, ['2 resume', '2 set plan', '2 prompt']);
  });

  it('that cannot be set again stop the prompt once, and the next one goes out in the mode that is shown', async () => {
    const { session, follower } = await crashed(moded(wire, { refuses: (nth) => nth === 2 }), 'plan');
    await session.sendPrompt({ text: 'two' });
    const { code, error } = await follower.next('error');
    assert.equal(code, 'optionRefused');
    assert.match(error, /could not switch to Mode "Plan", so nothing was sent/);
    assert.deepEqual(wire, ['2 new', '2 set plan']);
    assert.equal(modeOf(session), 'ask');
    await session.sendPrompt({ text: 'again' });
    await follower.next('prompt:complete', 2);
    assert.deepEqual(wire.slice(2), ['2 prompt']);
  });
});

describe('a session that is made before its first prompt', () => {
  const make = useBackends();

  it('is one that the first prompt goes to', async () => {
    const wire: string[] = [];
    const { backend } = make(moded(wire));
    const session = await backend.prepareSession({ cwd });
    assert.ok(session);
    assert.equal(modeOf(session), 'ask');
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'one' });
    await follower.next('prompt:complete');
    assert.deepEqual(wire, ['1 new', '1 prompt']);
  });

  it('is not made where the start may have to download the agent first, until it has run', async () => {
    const { agents, backend } = make(moded([]), { mayDownload: true });
    assert.equal(await backend.prepareSession({ cwd }), undefined);
    assert.equal(agents.started.length, 0);
    await backend.createSession({ cwd });
    assert.ok(await backend.prepareSession({ cwd }));
  });

  it('is not waited for where the user has to sign in, nor requested again', async () => {
    let asked = 0;
    const { backend } = make((app) => {
      app.onRequest('initialize', () => ({
        protocolVersion: 1,
        agentCapabilities: capabilities,
        authMethods: [{ id: 'key', name: 'Key', description: null }],
      }));
      app.onRequest('session/new', () => {
        asked++;
        throw RequestError.authRequired();
      });
    });
    await assert.rejects(backend.prepareSession({ cwd }), { code: 'authRequired' });
    assert.equal(backend.state.kind, 'authRequired');
    assert.equal(await backend.prepareSession({ cwd }), undefined);
    assert.equal(asked, 1);
  });
});
