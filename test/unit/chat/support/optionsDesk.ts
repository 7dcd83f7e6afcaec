import assert from 'node:assert/strict';
import { RequestError, type AgentApp } from '@agentclientprotocol/sdk';
import type { AcpBackend } from '../../../../src/acp/node/session/acpBackend';
import type { BackendEntry, BackendRegistry } from '../../../../src/session/common/backendRegistry';
import { BackendError } from '../../../../src/session/common/sessionBackend';
import { toDisposable } from '../../../../src/base/common/disposable';
import { backendView } from '../../../../src/chat/common/conversations/backendView';
import { NewSessionOptions } from '../../../../src/chat/common/page/newSessionOptions';
import { backendOf } from '../../../fake/backendHarness';
import type { FakeClock } from '../../../fake/fakeClock';
import { MemoryMemento } from '../../../fake/memoryMemento';
import type { ScriptedAgents } from '../../../fake/acp/scriptedAgent';
import { capabilities, type Script } from '../../../fake/acp/scriptedAgent';
import { until } from '../../../support/eventually';
import { draft, outline, Window } from './window';

/** What the agents do, and what they were asked. */
export interface Agent {
  /** What the agent was asked, in order. */
  readonly wire: string[];
  own: string;
  offers: string[];
  refuses: boolean;
  needsSignIn: boolean;
  loads: boolean;
}

/** An agent with modes and a model, each as an option that is declared. */
function scripted(agent: Agent): Script {
  const { wire } = agent;
  return (app: AgentApp, _process, nth) => {
    let sessions = 0;
    let mode = '';
    let model = 'small';
    const select = (id: string, currentValue: string, values: string[]) => ({
      type: 'select' as const,
      id,
      name: id,
      category: id,
      currentValue,
      options: values.map((value) => ({ value, name: `The ${value}` })),
    });
    const configOptions = () => [select('mode', mode, agent.offers), select('model', model, ['small', 'large'])];
    app.onRequest('initialize', () => ({
      protocolVersion: 1,
      agentCapabilities: {
        ...capabilities,
        loadSession: agent.loads,
        sessionCapabilities: { close: {}, list: {}, ...(agent.loads ? { resume: {} } : {}) },
      },
      authMethods: [{ id: 'key', name: 'Key', description: null }],
    }));
    app.onRequest('session/new', () => {
      if (agent.needsSignIn) throw RequestError.authRequired();
      wire.push('new');
      mode = agent.own;
      return { sessionId: `s${nth}.${++sessions}`, configOptions: configOptions() };
    });
    app.onRequest('session/load', () => {
      wire.push('load');
      mode = agent.own;
      return { configOptions: configOptions() };
    });
    app.onRequest('session/list', () => ({
      sessions: Array.from({ length: sessions }, (_, at) => ({ sessionId: `s${nth}.${at + 1}`, cwd: '/ws' })),
    }));
    app.onRequest('session/close', ({ params }) => {
      wire.push(`close ${params.sessionId}`);
      return {};
    });
    app.onRequest('session/set_config_option', ({ params }) => {
      wire.push(`${params.configId}=${String(params.value)}`);
      if (agent.refuses) throw RequestError.invalidParams({}, 'Not now.');
      if (params.configId === 'mode') mode = String(params.value);
      else model = String(params.value);
      return { configOptions: configOptions() };
    });
    app.onRequest('session/prompt', () => {
      wire.push(`prompt in ${mode} with ${model}`);
      return { stopReason: 'end_turn' };
    });
  };
}

/** A window with the agents `one` and `two`. */
export class OptionsDesk {
  private constructor(
    readonly window: Window,
    readonly options: NewSessionOptions,
    readonly backends: readonly AcpBackend[],
    readonly agents: readonly ScriptedAgents[],
    private readonly entries: readonly BackendEntry[],
  ) {}

  static async open(
    agent: Agent,
    more: {
      defaults?: BackendEntry['defaults'];
      memento?: MemoryMemento;
      folder?: string;
      fails?: boolean;
      clock?: FakeClock;
    } = {},
  ): Promise<OptionsDesk> {
    const { memento = new MemoryMemento() } = more;
    const made = ['one', 'two'].map((id) =>
      backendOf(scripted(agent), {
        id,
        title: id.toUpperCase(),
        ...(more.fails ? { startAgent: () => Promise.reject(new Error('It is broken.')) } : {}),
      }),
    );
    const backends = made.map(({ backend }) => backend);
    const entries = backends.map(({ id, title }): BackendEntry => ({
      id,
      title,
      source: 'configured',
      description: id,
      defaults: more.defaults,
    }));
    const registry: BackendRegistry = {
      onDidChange: () => toDisposable(() => undefined),
      list: () => Promise.resolve(entries),
      open: (id) => {
        const backend = backends.find((one) => one.id === id);
        return backend ? Promise.resolve(backend) : Promise.reject(new BackendError('notFound', 'None.'));
      },
    };
    const options = new NewSessionOptions({ backends: registry, memento, onError: assert.ifError });
    const { clock, folder } = more;
    const window = await Window.open({
      backends: registry,
      memento,
      starts: options,
      ...(folder ? { folder } : {}),
      ...(clock ? { clock } : {}),
    });
    const desk = new OptionsDesk(
      window,
      options,
      backends,
      made.map(({ agents }) => agents),
      entries,
    );
    desk.look();
    return desk;
  }

  look(): void {
    this.options.setBackends(this.entries.map((entry) => backendView(entry, undefined)));
  }

  shown(option: 'mode' | 'model' = 'mode', id = 'one') {
    return this.options.of(id).options.find((one) => one.id === option)?.value;
  }

  /** The first keys of a prompt. */
  async type(id = 'one'): Promise<void> {
    this.window.chats.prepare(id);
    await until('the options are known', () => this.options.of(id).options.length > 0);
  }

  pick(option: 'mode' | 'model', value: string): void {
    this.options.of('one').choose(option, value);
    this.window.chats.prepare('one');
  }

  async say(text: string) {
    const chat = await this.window.chats.create('one');
    await chat.send(draft(text));
    this.options.of('one').clearOneTimeChoices?.();
    await until('the end', () => outline(chat).some((line) => line.startsWith('end:')));
    return chat;
  }

  async close(): Promise<void> {
    await this.window.remove();
    this.leave();
  }

  leave(): void {
    for (const backend of this.backends) backend.dispose();
    this.options.dispose();
  }
}
