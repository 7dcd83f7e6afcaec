import * as z from 'zod/mini';
import type { BackendSession } from '../../../session/common/sessionBackend';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import { CommandView, toCommandViews, type BackendView } from '../chatView';
import type { BackendOptions, NewSessionOptionsPort } from '../conversations/newSessionOptionsPort';
import type { PresetOfConversation } from '../chatView';
import type { Presets } from '../prompts/presets';
import { AgentOptions, type OptionsPorts } from './agentOptions';
import { ServerOptions } from './serverOptions';

const commandsName = 'chat.commands';
const KeptCommands = z.record(z.string(), z.array(CommandView));

/** Options (a server's profile, an agent's mode) and slash commands for new conversations, for all windows. */
export class NewSessionOptions implements NewSessionOptionsPort, Disposable {
  private readonly emitter = new Emitter<void>((error) => this.ports.onError(error));
  readonly onDidChange = this.emitter.event;
  private readonly optionsByBackend = new Map<string, AgentOptions | ServerOptions>();
  private readonly currentCommands = new Map<string, readonly CommandView[]>();
  private readonly optionsPorts: OptionsPorts;

  constructor(
    private readonly ports: Omit<OptionsPorts, 'onChange'> & {
      readonly presets?: Pick<Presets, 'instructionsFor' | 'presetFor'>;
    },
  ) {
    this.optionsPorts = { ...ports, onChange: () => this.emitter.fire() };
  }

  /** Sets the known backends. */
  setBackends(views: readonly BackendView[]): void {
    for (const view of views) {
      const Options = view.source === 'server' ? ServerOptions : AgentOptions;
      const known = this.optionsByBackend.get(view.id);
      const options = known instanceof Options ? known : new Options(view.id, this.optionsPorts);
      options.setView(view);
      this.optionsByBackend.set(view.id, options);
    }
  }

  of(backendId: string): BackendOptions {
    let options = this.optionsByBackend.get(backendId);
    if (!options) this.optionsByBackend.set(backendId, (options = new AgentOptions(backendId, this.optionsPorts)));
    return options;
  }

  instructionsFor(preset: PresetOfConversation | undefined): string {
    return this.ports.presets?.instructionsFor(preset) ?? '';
  }

  presetFor(backendId: string): PresetOfConversation | undefined {
    return this.ports.presets?.presetFor(backendId);
  }

  setPreparedSession(backendId: string, session: Pick<BackendSession, 'config' | 'commands'> | undefined): void {
    const options = this.of(backendId);
    if (options instanceof AgentOptions) options.setPreparedOptions(session?.config);
    if (session) this.rememberCommands(backendId, toCommandViews(session.commands));
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

  dispose(): void {
    this.emitter.dispose();
  }

  private get storedCommands(): z.infer<typeof KeptCommands> {
    return z.safeParse(KeptCommands, this.ports.memento.get(commandsName)).data ?? {};
  }
}
