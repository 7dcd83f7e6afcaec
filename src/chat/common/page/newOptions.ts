import * as z from 'zod/mini';
import type { BackendRegistry } from '../../../amplifier/common/backendRegistry';
import type { CreateSessionOptions } from '../../../amplifier/common/sessionBackend';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';
import { CommandView, type BackendView, type OptionView } from '../chatView';

export interface NewOptionsPorts {
  readonly backends: BackendRegistry;
  readonly memento: Memento;
  readonly onError: (error: unknown) => void;
}

const memoryName = 'chat.newOptions';
const commandsName = 'chat.commands';
const KeptCommands = z.record(z.string(), z.array(CommandView));
const Kept = z.record(z.string(), z.record(z.string(), z.string()));
type Kept = z.infer<typeof Kept>;

/** What there is to choose before a conversation begins: a server's profile, and the commands its agent had last. Kept. */
export class NewOptions implements Disposable {
  private readonly emitter: Emitter<void>;
  private readonly known = new Map<string, readonly OptionView[]>();
  private readonly commands = new Map<string, readonly CommandView[]>();

  constructor(private readonly ports: NewOptionsPorts) {
    this.emitter = new Emitter(ports.onError);
  }

  get onDidChange(): Event<void> {
    return this.emitter.event;
  }

  /** As they are known now, with what the user chose. */
  of(backendId: string | undefined): OptionView[] {
    if (backendId === undefined) return [];
    const chosen = this.kept[backendId] ?? {};
    return (this.known.get(backendId) ?? []).map((option) => {
      const value = chosen[option.id];
      const isListed = option.type === 'select' && option.choices.some((choice) => choice.value === value);
      return option.type === 'select' && isListed && value !== undefined ? { ...option, value } : option;
    });
  }

  /** For `POST /sessions`. */
  choices(backendId: string): Pick<CreateSessionOptions, 'profile'> {
    const profile = this.of(backendId).find(({ id }) => id === 'profile')?.value;
    return typeof profile === 'string' ? { profile } : {};
  }

  set(backendId: string, optionId: string, value: string): void {
    const kept = { ...this.kept, [backendId]: { ...this.kept[backendId], [optionId]: value } };
    this.ports.memento.update(memoryName, kept).then(undefined, this.ports.onError);
    this.emitter.fire();
  }

  /** Those of the last conversation with it: agents tell of theirs when one has begun. */
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

  /** Asks a server; agents have no options before their session. A server that does not answer has none. Never rejects. */
  async refresh({ id, source, state }: BackendView): Promise<void> {
    if (source !== 'server' || state === 'unavailable') return;
    try {
      const backend = await this.ports.backends.open(id);
      this.known.set(id, (await backend.sessionOptions?.()) ?? []);
    } catch {
      // What is wrong with the server is told where it is chosen.
      this.known.delete(id);
    }
    this.emitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private get keptCommands(): z.infer<typeof KeptCommands> {
    return z.safeParse(KeptCommands, this.ports.memento.get(commandsName)).data ?? {};
  }

  private get kept(): Kept {
    return z.safeParse(Kept, this.ports.memento.get(memoryName)).data ?? {};
  }
}
