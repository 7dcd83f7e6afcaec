import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import type { CatalogueEntry } from '../../../../../src/acp/node/catalogue/agentCatalogue';
import { AgentLauncher } from '../../../../../src/acp/node/catalogue/agentLauncher';
import type { Logger } from '../../../../../src/base/common/log';
import type { AgentBackend } from '../../../../../src/acp/common/agentBackend';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { TrafficLog } from '../../../../../src/wire/common/traffic';
import { answeringConsent } from '../../../../fake/answeringConsent';
import { Follower } from '../../../../fake/backendHarness';
import { FakeEditor } from '../../../../fake/fakeEditor';
import { standingOf } from '../../../../fake/fakePermissions';
import { OutgoingHttp } from '../../../../../src/wire/node/outgoingHttp';

const script = path.resolve('test/fixtures/agents/tellsKey.mjs');
const entry: CatalogueEntry = {
  id: 'own',
  title: 'Own',
  command: process.execPath,
  args: [script],
  env: {},
  dialect: 'v1',
  mcpServers: {},
  missingFile: 'error',
  source: 'configured',
};

/** Everything that the log, the traffic view, errors and events got. */
class Overheard {
  readonly texts: string[] = [];
  readonly traffic = new TrafficLog(
    () => 0,
    1000,
    () => undefined,
  );
  private readonly recording = this.traffic.startRecording();

  log(): Logger {
    const line = (message: string, error?: unknown): void => {
      this.texts.push(message, error instanceof Error ? `${error.message} ${error.stack}` : String(error));
    };
    return { trace: line, debug: line, info: line, warn: line, error: line, child: () => this.log() };
  }

  end(): string {
    this.texts.push(JSON.stringify(this.traffic.recordedEntries));
    this.recording.dispose();
    return this.texts.join('\n');
  }
}

function launcherOf(overheard: Overheard, keys: Readonly<Record<string, string>>, asked: string[] = []): AgentLauncher {
  return new AgentLauncher({
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    editor: new FakeEditor({}, [tmpdir()]),
    clock: systemClock,
    http: new OutgoingHttp(),
    log: overheard.log(),
    tap: overheard.traffic,
    standing: standingOf(),
    environment: { PATH: process.env['PATH'] ?? '' },
    defaultFolder: () => tmpdir(),
    isTrusted: () => true,
    agentConsent: { consent: answeringConsent('allowed'), places: () => ({ cwd: tmpdir(), folders: [] }) },
    createId: () => 'id',
    random: () => 0,
    elicit: () => Promise.resolve({ action: 'decline' }),
    runInTerminal: ({ args, env }) => {
      overheard.texts.push(JSON.stringify([args, env]));
      return Promise.resolve(true);
    },
    keysOf: (id) => {
      asked.push(id);
      return Promise.resolve(keys);
    },
  });
}

async function withBackend(launcher: AgentLauncher, work: (backend: AgentBackend) => Promise<void>): Promise<void> {
  const backend = launcher.createBackend(entry);
  try {
    await work(backend);
  } finally {
    await backend.stop();
    backend.dispose();
  }
}

describe('the key of an agent', () => {
  it('is in the environment of its process, and of no terminal that it runs through Backline', async () => {
    const overheard = new Overheard();
    const keys = { OWN_API_KEY: 'sk-own-1234567890' };
    const asked: string[] = [];
    await withBackend(launcherOf(overheard, keys, asked), async (backend) => {
      const session = await backend.createSession({ cwd: tmpdir() });
      const follower = new Follower(session);
      await session.sendPrompt({ text: 'terminal' });
      const { approval_id: id, options } = await follower.next('approval:required');
      await session.answerApproval(id, options[0] ?? '');
      const { response } = await follower.next('prompt:complete');
      assert.equal(response, 'has key: true, own: undefined, given: 5 characters');
      await backend.authenticate?.('shell');
    });
    assert.deepEqual(new Set(asked), new Set(['own']));
    assert.ok(!overheard.end().includes('1234567890'));
  });

  it('is not given to an agent that the workspace defines', async () => {
    const overheard = new Overheard();
    const asked: string[] = [];
    const launcher = launcherOf(overheard, { OWN_API_KEY: 'sk-own-1234567890' }, asked);
    const setting = { command: process.execPath, args: [script], env: {}, dialect: 'v1' as const, mcpServers: {} };
    const backend = launcher.createBackend({
      ...entry,
      workspaceDefinition: { name: 'own', setting, file: undefined },
    });
    const methods = await backend.signInMethods?.(new AbortController().signal);
    assert.equal(methods?.isSignedIn, false);
    await backend.stop();
    backend.dispose();
    assert.deepEqual(asked, []);
  });

  it('never appears in the log, the traffic, an error or an event, whatever the agent says', async () => {
    const keyText = fc
      .string({ minLength: 8, maxLength: 40, unit: 'binary' })
      .filter(
        (key) => key.trim() === key && !/\p{Cc}|\p{Cs}/u.test(key) && !'abcdefghijklmnopqrstuvwxyz '.includes(key),
      );
    await fc.assert(
      fc.asyncProperty(keyText, async (key) => {
        const overheard = new Overheard();
        await withBackend(launcherOf(overheard, { OWN_API_KEY: key }), async (backend) => {
          const session = await backend.createSession({ cwd: tmpdir() });
          const follower = new Follower(session);
          await session.sendPrompt({ text: 'pieces' });
          await follower.next('prompt:complete');
          for (const [nth, fault] of ['error', 'noise', 'crash'].entries()) {
            await session.sendPrompt({ text: fault });
            await follower.next('error', nth + 1);
          }
          overheard.texts.push(JSON.stringify(follower.events), JSON.stringify(backend.state));
        });
        const all = overheard.end();
        const [shown, escaped] = [key, JSON.stringify(key).slice(1, -1)];
        assert.ok(!all.includes(shown) && !all.includes(escaped), `${key} in ${all}`);
      }),
      { numRuns: 4 },
    );
  });
});
