import { withoutUndefined } from '../../../base/common/withoutUndefined';
import * as z from 'zod/mini';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import type { ConfigOption, Unattended } from '../../../session/common/sessionEvents';
import type { OptionChoice, OptionValue } from '../../../session/common/optionChoices';
import type { BackendSession, SessionChoices } from '../../../session/common/sessionBackend';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';
import { CommandView, commandViews, type BackendView, type OptionView } from '../chatView';
import type { SessionStarts } from '../conversations/sessionStarts';
import { AgentOptions } from './agentOptions';

interface NewOptionsPorts {
  readonly backends: BackendRegistry;
  readonly memento: Memento;
  readonly onError: (error: unknown) => void;
}

const memoryName = 'chat.newOptions';
const commandsName = 'chat.commands';
const KeptCommands = z.record(z.string(), z.array(CommandView));
const Kept = z.record(z.string(), z.record(z.string(), z.string()));
type Kept = z.infer<typeof Kept>;

/** Options (a server's profile, an agent's mode) and slash commands for new conversations. Remembers choices across windows. */
export class NewOptions implements SessionStarts, Disposable {
  private readonly emitter = new Emitter<void>((error) => this.ports.onError(error));
  readonly onDidChange = this.emitter.event;
  private readonly views = new Map<string, BackendView>();
  private readonly known = new Map<string, readonly OptionView[]>();
  private readonly commands = new Map<string, readonly CommandView[]>();
  /** Number of requests by backend: only the newest response is used. */
  private readonly asked = new Map<string, number>();
  private readonly agents: AgentOptions;

  constructor(private readonly ports: NewOptionsPorts) {
    this.agents = new AgentOptions(ports.memento, ports.onError);
  }

  /** Sets the known backends. Choices for a server are remembered by its address. */
  setBackends(views: readonly BackendView[]): void {
    for (const view of views) {
      // The options of a server at another address are unknown.
      if (this.views.get(view.id)?.description !== view.description) this.known.delete(view.id);
      this.views.set(view.id, view);
      this.agents.know(view);
    }
  }

  /** Returns the known options with the user's choices applied. */
  of(backendId: string | undefined): OptionView[] {
    if (backendId === undefined) return [];
    if (!this.isServer(backendId)) return this.agents.of(backendId);
    const chosen = this.chosenFor(backendId);
    return (this.known.get(backendId) ?? []).map((option) => {
      if (option.type !== 'select') return option;
      const value = chosen[option.id];
      if (value === undefined || value === option.value) return option;
      const isListed = option.choices.some((choice) => choice.value === value);
      // `problem` was about the backend's own value.
      return isListed || option.custom ? { ...option, value, problem: undefined } : option;
    });
  }

  choices(backendId: string): SessionChoices {
    if (!this.isServer(backendId)) return {};
    const options = this.of(backendId);
    const { profile: chosenProfile, model: chosenModel } = this.chosenFor(backendId);
    const valueOf = (id: string, chosen: string | undefined): string => {
      const value = options.find((option) => option.id === id)?.value;
      // If the server's options are unknown, use the stored choice.
      return typeof value === 'string' ? value : ((options.length === 0 ? chosen : undefined) ?? '');
    };
    const profile = valueOf('profile', chosenProfile);
    const model = valueOf('model', chosenModel);
    return { ...(profile === '' ? {} : { profile }), ...(model === '' ? {} : { model }) };
  }

  wanted(backendId: string): readonly OptionChoice[] {
    return this.isServer(backendId) ? [] : this.agents.wanted(backendId);
  }

  learn(backendId: string, options: readonly ConfigOption[]): void {
    if (this.isServer(backendId)) return;
    this.agents.learn(backendId, options);
    this.emitter.fire();
  }

  showWaiting(backendId: string, session: Pick<BackendSession, 'config' | 'commands'> | undefined): void {
    this.agents.showWaiting(backendId, session?.config);
    if (session) this.keepCommands(backendId, commandViews(session.commands));
    this.emitter.fire();
  }

  saw(backendId: string, unattended: Unattended | undefined): void {
    if (this.isServer(backendId) || !this.agents.saw(backendId, unattended)) return;
    this.emitter.fire();
  }

  /** What the agent did without asking in earlier turns, if anything. */
  seen(backendId: string | undefined): Unattended | undefined {
    return backendId === undefined || this.isServer(backendId) ? undefined : this.agents.seen(backendId);
  }

  notOffered(backendId: string, choice: OptionChoice): string | undefined {
    return this.agents.notOffered(backendId, choice);
  }

  /** Clears the choices for one conversation, which has begun. */
  begun(backendId: string): void {
    this.agents.begun(backendId);
    this.emitter.fire();
  }

  /** Remembers a choice made inside a conversation, as the default of later ones. `options` are those of the conversation. */
  chosenInside(backendId: string, options: readonly OptionView[], optionId: string, value: OptionValue): void {
    if (this.isServer(backendId)) return;
    const option = options.find(({ id }) => id === optionId);
    this.agents.pickedInside(backendId, option, value);
    this.emitter.fire();
  }

  set(backendId: string, optionId: string, value: OptionValue): void {
    if (!this.isServer(backendId)) {
      this.agents.pick(backendId, optionId, value);
      this.emitter.fire();
      return;
    }
    if (typeof value === 'string') this.setOfServer(backendId, optionId, value);
  }

  private setOfServer(backendId: string, optionId: string, value: string): void {
    const { model, ...others } = this.chosenFor(backendId);
    // Models depend on the profile.
    const before = optionId === 'profile' || model === undefined ? others : { ...others, model };
    const kept = { ...this.kept, [this.keyOf(backendId)]: { ...before, [optionId]: value } };
    this.ports.memento.update(memoryName, kept).then(undefined, this.ports.onError);
    this.emitter.fire();
    void this.refresh(backendId);
  }

  /** Commands from the last session with the backend: agents announce commands only after a session starts. */
  commandsOf(backendId: string | undefined): readonly CommandView[] {
    if (backendId === undefined) return [];
    return this.commands.get(backendId) ?? this.keptCommands[backendId] ?? [];
  }

  keepCommands(backendId: string, commands: readonly CommandView[]): void {
    if (commands.length === 0 || JSON.stringify(this.commandsOf(backendId)) === JSON.stringify(commands)) return;
    this.commands.set(backendId, commands);
    const kept = { ...this.keptCommands, [backendId]: commands };
    this.ports.memento.update(commandsName, kept).then(undefined, this.ports.onError);
    this.emitter.fire();
  }

  /** Reloads the options of a server; other backends have none before a session. Never rejects. */
  async refresh(backendId: string): Promise<void> {
    const view = this.views.get(backendId);
    if (view?.source !== 'server' || view.state === 'unavailable') return;
    const asked = (this.asked.get(backendId) ?? 0) + 1;
    this.asked.set(backendId, asked);
    let options: readonly OptionView[] | undefined;
    try {
      const { profile, model } = this.chosenFor(backendId);
      const chosen = withoutUndefined({ profile, model });
      const backend = await this.ports.backends.open(backendId);
      options = (await backend.sessionOptions?.(chosen)) ?? [];
    } catch {
      // The backend picker shows what is wrong with the server.
    }
    if (asked !== this.asked.get(backendId)) return;
    if (options) this.known.set(backendId, options);
    else this.known.delete(backendId);
    this.emitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private isServer(backendId: string): boolean {
    return this.views.get(backendId)?.source === 'server';
  }

  private chosenFor(backendId: string): Readonly<Record<string, string>> {
    return this.kept[this.keyOf(backendId)] ?? {};
  }

  private keyOf(backendId: string): string {
    const view = this.views.get(backendId);
    return view?.source === 'server' ? `${backendId} ${view.description}` : backendId;
  }

  private get keptCommands(): z.infer<typeof KeptCommands> {
    return z.safeParse(KeptCommands, this.ports.memento.get(commandsName)).data ?? {};
  }

  private get kept(): Kept {
    return z.safeParse(Kept, this.ports.memento.get(memoryName)).data ?? {};
  }
}
