import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { EventData } from '../../../src/session/common/sessionEvents';
import type { BackendSession } from '../../../src/session/common/sessionBackend';
import { nullLogger, type Logger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import type { ProcessEntry } from '../../../src/acp/node/catalogue/agentCatalogue';
import { AgentLauncher, type AgentLauncherDeps } from '../../../src/acp/node/catalogue/agentLauncher';
import { AgentBackendRegistry } from '../../../src/acp/node/catalogue/agentBackendRegistry';
import { TrafficLog } from '../../../src/wire/common/traffic';
import { Follower } from '../../fake/backendHarness';
import { AdapterUnderTest } from './editorAdapter';
import { inExtension, inWorkspace } from './workspace';
import { standingOf } from '../../fake/fakePermissions';
import { answeringConsent } from '../../fake/answeringConsent';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

interface AgentsOptions {
  /** Agents that run in this Node.js, in place of the demo agents. */
  readonly entries: readonly Pick<ProcessEntry, 'id' | 'title' | 'args'>[];
  readonly keysOf: AgentLauncherDeps['keysOf'];
  readonly providersOf: NonNullable<AgentLauncherDeps['providersOf']>;
  readonly needsSignIn: (id: string) => boolean;
  readonly runInTerminal: AgentLauncherDeps['runInTerminal'];
  readonly windowMcpServers: NonNullable<AgentLauncherDeps['windowMcpServers']>;
}

/** The demo agent behind a registry and an editor of the test's own, in the real VS Code. Dispose it. */
export class AgentsUnderTest {
  isTrusted = true;
  readonly editor = new AdapterUnderTest();
  readonly pids: number[] = [];
  readonly traffic = new TrafficLog(
    () => Date.now(),
    1000,
    () => undefined,
  );
  readonly registry: AgentBackendRegistry;

  constructor(options: Partial<AgentsOptions> = {}) {
    const { entries, needsSignIn = () => false } = options;
    const log: Logger = {
      ...nullLogger,
      child: () => log,
      info: (message) => {
        const pid = /^Started as process (\d+)/.exec(message)?.[1];
        if (pid !== undefined) this.pids.push(Number(pid));
      },
    };
    const agentConsent = {
      consent: answeringConsent('denied'),
      places: () => ({ cwd: inWorkspace(), folders: [inWorkspace()] }),
    };
    const launcher = new AgentLauncher({
      clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
      editor: this.editor.adapter,
      clock: systemClock,
      http: new OutgoingHttp(),
      log,
      tap: this.traffic,
      standing: standingOf(),
      environment: { PATH: process.env['PATH'] ?? '' },
      defaultFolder: () => inWorkspace(),
      isTrusted: () => this.isTrusted,
      agentConsent,
      createId: randomUUID,
      random: Math.random,
      elicit: () => Promise.resolve({ action: 'decline' }),
      runInTerminal: options.runInTerminal ?? (() => Promise.resolve(false)),
      keysOf: options.keysOf ?? (() => Promise.resolve({})),
      ...(options.providersOf ? { providersOf: options.providersOf } : {}),
      ...(options.windowMcpServers ? { windowMcpServers: options.windowMcpServers } : {}),
    });
    const agents = entries?.map(entryOf) ?? [
      demo('v1', 'v1', [inExtension('dist', 'demo-agent.js')]),
      { ...demo('v2', 'v1', [inExtension('dist', 'demo-agent.js')]), protocol: '2' },
      demo('original', 'draft', [extendedDemoAgent(), '--draft']),
      demo('document', 'draft', [extendedDemoAgent(), '--draft=document']),
    ];
    this.registry = new AgentBackendRegistry({
      loadCatalogue: () => Promise.resolve({ agents, problems: [] }),
      createBackend: (entry) => Promise.resolve(launcher.createBackend(entry)),
      isTrusted: () => this.isTrusted,
      agentConsent,
      needsSignIn,
      isWorking: () => false,
      onDidPostpone: () => undefined,
      log,
    });
  }

  async chat(id: string): Promise<Chat> {
    const backend = await this.registry.open(id);
    return new Chat(await backend.createSession({ cwd: inWorkspace() }));
  }

  async dispose(): Promise<void> {
    await this.registry.stopAll();
    this.registry.dispose();
    this.editor.dispose();
  }
}

/** A conversation as a test leads it: prompt after prompt. */
export class Chat {
  readonly follower: Follower;
  private turns = 0;
  private approvals = 0;

  constructor(readonly session: BackendSession) {
    this.follower = new Follower(session, 45_000);
  }

  async prompt(text: string): Promise<void> {
    await this.session.sendPrompt({ text });
    this.turns++;
  }

  /** The next question, answered by the first of its options that allows or rejects. */
  async answer(how: 'allow_once' | 'reject_once'): Promise<EventData<'approval:required'>> {
    const question = await this.follower.next('approval:required', ++this.approvals);
    const option = question.options[(question.option_kinds ?? []).indexOf(how)];
    assert.ok(option !== undefined, `no ${how} among ${question.options.join(', ')}`);
    await this.session.answerApproval(question.approval_id, option);
    return question;
  }

  async answered(): Promise<EventData<'prompt:complete'>> {
    return await this.follower.next('prompt:complete', this.turns);
  }
}

function demo(id: string, dialect: ProcessEntry['dialect'], args: readonly string[]): ProcessEntry {
  return { ...entryOf({ id, title: `Demo ${id}`, args }), dialect };
}

/** The file of the demo agent with a sign-in, LLM providers and the draft protocol. */
export function extendedDemoAgent(): string {
  return inExtension('out', 'test', 'host', 'support', 'extendedDemoAgent.js');
}

function entryOf(agent: Pick<ProcessEntry, 'id' | 'title' | 'args'>): ProcessEntry {
  return {
    ...agent,
    command: process.execPath,
    env: { ELECTRON_RUN_AS_NODE: '1' },
    dialect: 'v1',
    mcpServers: {},
    missingFile: 'error',
    source: 'configured',
  };
}
