import { withoutUndefined } from '../../../base/common/withoutUndefined';
import * as z from 'zod/mini';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import type { ConfigOption, UnattendedAction } from '../../../session/common/sessionEvents';
import type { RequestedOption, OptionValue } from '../../../session/common/optionChoices';
import type { BackendSession, ProfileAndModel } from '../../../session/common/sessionBackend';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';
import { CommandView, toCommandViews, type BackendView, type OptionView } from '../chatView';
import type { NewSessionOptionsPort } from '../conversations/newSessionOptionsPort';
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

/** Options (a server's profile, an agent's mode) and slash commands for new conversations, for all windows. */
export class NewSessionOptions implements NewSessionOptionsPort, Disposable {
  private readonly emitter = new Emitter<void>((error) => this.ports.onError(error));
  readonly onDidChange = this.emitter.event;
  private readonly backendViews = new Map<string, BackendView>();
  private readonly serverOptions = new Map<string, readonly OptionView[]>();
  private readonly currentCommands = new Map<string, readonly CommandView[]>();
  /** Number of requests for each backend. Only the response to the newest request is used. */
  private readonly requestCounts = new Map<string, number>();
  private readonly agentOptions: AgentOptions;

  constructor(private readonly ports: NewOptionsPorts) {
    this.agentOptions = new AgentOptions(ports.memento, ports.onError);
  }

  /** Sets the known backends. Drops the options of a server whose address has changed. */
  setBackends(views: readonly BackendView[]): void {
    for (const view of views) {
      if (this.backendViews.get(view.id)?.description !== view.description) this.serverOptions.delete(view.id);
      this.backendViews.set(view.id, view);
      this.agentOptions.updateBackendView(view);
    }
  }

  /** Returns the known options with the user's choices applied. */
  optionsFor(backendId: string | undefined): OptionView[] {
    if (backendId === undefined) return [];
    if (!this.isServer(backendId)) return this.agentOptions.optionsFor(backendId);
    const chosen = this.storedChoicesFor(backendId);
    return (this.serverOptions.get(backendId) ?? []).map((option) => {
      if (option.type !== 'select') return option;
      const value = chosen[option.id];
      if (value === undefined || value === option.value) return option;
      const isListed = option.choices.some((choice) => choice.value === value);
      // The problem referred to the backend's own value.
      return isListed || option.custom ? { ...option, value, problem: undefined } : option;
    });
  }

  serverChoices(backendId: string): ProfileAndModel {
    if (!this.isServer(backendId)) return {};
    const options = this.optionsFor(backendId);
    const { profile: chosenProfile, model: chosenModel } = this.storedChoicesFor(backendId);
    const valueOf = (id: string, chosen: string | undefined): string => {
      const value = options.find((option) => option.id === id)?.value;
      // Without the options of the server, the stored choice is used.
      return typeof value === 'string' ? value : ((options.length === 0 ? chosen : undefined) ?? '');
    };
    const profile = valueOf('profile', chosenProfile);
    const model = valueOf('model', chosenModel);
    return { ...(profile === '' ? {} : { profile }), ...(model === '' ? {} : { model }) };
  }

  choicesForNewSession(backendId: string): readonly RequestedOption[] {
    return this.isServer(backendId) ? [] : this.agentOptions.choicesForNewSession(backendId);
  }

  recordOfferedOptions(backendId: string, options: readonly ConfigOption[]): void {
    if (this.isServer(backendId)) return;
    this.agentOptions.recordOfferedOptions(backendId, options);
    this.emitter.fire();
  }

  setPreparedSession(backendId: string, session: Pick<BackendSession, 'config' | 'commands'> | undefined): void {
    this.agentOptions.setPreparedOptions(backendId, session?.config);
    if (session) this.rememberCommands(backendId, toCommandViews(session.commands));
    this.emitter.fire();
  }

  recordUnattendedAction(backendId: string, unattended: UnattendedAction | undefined): void {
    if (this.isServer(backendId) || !this.agentOptions.recordObservedAction(backendId, unattended)) return;
    this.emitter.fire();
  }

  /** What the agent did without approval in earlier turns, if anything. */
  observedUnattendedAction(backendId: string | undefined): UnattendedAction | undefined {
    if (backendId === undefined || this.isServer(backendId)) return undefined;
    return this.agentOptions.observedUnattendedAction(backendId);
  }

  noticeForUnofferedChoice(backendId: string, choice: RequestedOption): string | undefined {
    return this.agentOptions.noticeForUnofferedChoice(backendId, choice);
  }

  clearOneTimeChoices(backendId: string): void {
    this.agentOptions.clearOneTimeChoices(backendId);
    this.emitter.fire();
  }

  /** Stores a choice made in a conversation as the default for later ones. `options`: those of the conversation. */
  rememberChoice(backendId: string, options: readonly OptionView[], optionId: string, value: OptionValue): void {
    if (this.isServer(backendId)) return;
    const option = options.find(({ id }) => id === optionId);
    this.agentOptions.rememberChoice(backendId, option, value);
    this.emitter.fire();
  }

  choose(backendId: string, optionId: string, value: OptionValue): void {
    if (!this.isServer(backendId)) {
      this.agentOptions.choose(backendId, optionId, value);
      this.emitter.fire();
      return;
    }
    if (typeof value === 'string') this.chooseForServer(backendId, optionId, value);
  }

  private chooseForServer(backendId: string, optionId: string, value: string): void {
    const { model, ...others } = this.storedChoicesFor(backendId);
    // A chosen model is dropped with the profile, because the profile determines the models.
    const before = optionId === 'profile' || model === undefined ? others : { ...others, model };
    const updated = { ...this.storedChoices, [this.storageKeyOf(backendId)]: { ...before, [optionId]: value } };
    this.ports.memento.update(memoryName, updated).then(undefined, this.ports.onError);
    this.emitter.fire();
    void this.refresh(backendId);
  }

  /** Returns the commands of the last session with the backend: agents announce them after a session starts. */
  commandsFor(backendId: string | undefined): readonly CommandView[] {
    if (backendId === undefined) return [];
    return this.currentCommands.get(backendId) ?? this.storedCommands[backendId] ?? [];
  }

  rememberCommands(backendId: string, commands: readonly CommandView[]): void {
    if (commands.length === 0 || JSON.stringify(this.commandsFor(backendId)) === JSON.stringify(commands)) return;
    this.currentCommands.set(backendId, commands);
    const updated = { ...this.storedCommands, [backendId]: commands };
    this.ports.memento.update(commandsName, updated).then(undefined, this.ports.onError);
    this.emitter.fire();
  }

  /** Reloads the options of a server. Other backends have no options before a session starts. Never rejects. */
  async refresh(backendId: string): Promise<void> {
    const view = this.backendViews.get(backendId);
    if (view?.source !== 'server' || view.state === 'unavailable') return;
    const request = (this.requestCounts.get(backendId) ?? 0) + 1;
    this.requestCounts.set(backendId, request);
    let options: readonly OptionView[] | undefined;
    try {
      const { profile, model } = this.storedChoicesFor(backendId);
      const chosen = withoutUndefined({ profile, model });
      const backend = await this.ports.backends.open(backendId);
      options = (await backend.sessionOptions?.(chosen)) ?? [];
    } catch {
      // Errors are ignored, because the backend picker shows what is wrong with the server.
    }
    if (request !== this.requestCounts.get(backendId)) return;
    if (options) this.serverOptions.set(backendId, options);
    else this.serverOptions.delete(backendId);
    this.emitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private isServer(backendId: string): boolean {
    return this.backendViews.get(backendId)?.source === 'server';
  }

  private storedChoicesFor(backendId: string): Readonly<Record<string, string>> {
    return this.storedChoices[this.storageKeyOf(backendId)] ?? {};
  }

  private storageKeyOf(backendId: string): string {
    const view = this.backendViews.get(backendId);
    return view?.source === 'server' ? `${backendId} ${view.description}` : backendId;
  }

  private get storedCommands(): z.infer<typeof KeptCommands> {
    return z.safeParse(KeptCommands, this.ports.memento.get(commandsName)).data ?? {};
  }

  private get storedChoices(): Kept {
    return z.safeParse(Kept, this.ports.memento.get(memoryName)).data ?? {};
  }
}
