import * as z from 'zod/mini';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { OptionValue } from '../../../session/common/optionChoices';
import type { ProfileAndModel } from '../../../session/common/sessionBackend';
import type { BackendView, OptionView } from '../chatView';
import type { BackendOptions } from '../conversations/newSessionOptionsPort';
import type { OptionsPorts } from './agentOptions';

const memoryName = 'chat.newOptions';
const Choices = z.record(z.string(), z.record(z.string(), z.string()));

/** The profile and model for new conversations with an Amplifier server. The choices are stored for its address. */
export class ServerOptions implements BackendOptions {
  private view: BackendView | undefined;
  private offered: readonly OptionView[] = [];
  /** Only the response to the newest request is used. */
  private requestCount = 0;

  constructor(
    private readonly serverId: string,
    private readonly ports: OptionsPorts,
  ) {}

  /** Drops the options if the address of the server has changed. */
  setView(view: BackendView): void {
    if (view.description !== this.view?.description) this.offered = [];
    this.view = view;
  }

  get options(): OptionView[] {
    const chosen = this.storedChoices;
    return this.offered.map((option) => {
      if (option.type !== 'select') return option;
      const value = chosen[option.id];
      if (value === undefined || value === option.value) return option;
      const isListed = option.choices.some((choice) => choice.value === value);
      // The problem referred to the backend's own value.
      return isListed || option.custom ? { ...option, value, problem: undefined } : option;
    });
  }

  get profileAndModel(): ProfileAndModel {
    const { options, storedChoices } = this;
    const valueOf = (id: 'profile' | 'model'): string | undefined => {
      const value = options.find((option) => option.id === id)?.value;
      // Without the options of the server, the stored choice is used.
      const known = typeof value === 'string' ? value : options.length === 0 ? storedChoices[id] : undefined;
      return known === '' ? undefined : known;
    };
    return withoutUndefined({ profile: valueOf('profile'), model: valueOf('model') });
  }

  choose(optionId: string, value: OptionValue): void {
    if (typeof value !== 'string') return;
    const { model, ...others } = this.storedChoices;
    // A chosen model is dropped with the profile, because the profile determines the models.
    const before = optionId === 'profile' || model === undefined ? others : { ...others, model };
    const updated = { ...this.allStoredChoices, [this.storageKey]: { ...before, [optionId]: value } };
    this.ports.memento.update(memoryName, updated).then(undefined, this.ports.onError);
    this.ports.onChange();
    void this.refresh();
  }

  async refresh(): Promise<void> {
    if (!this.view || this.view.state === 'unavailable') return;
    const request = ++this.requestCount;
    const { profile, model } = this.storedChoices;
    let options: readonly OptionView[] = [];
    try {
      const backend = await this.ports.backends.open(this.serverId);
      options = (await backend.sessionOptions?.(withoutUndefined({ profile, model }))) ?? [];
    } catch {
      // Errors are ignored, because the backend picker shows what is wrong with the server.
    }
    if (request !== this.requestCount) return;
    this.offered = options;
    this.ports.onChange();
  }

  private get storageKey(): string {
    return `${this.serverId} ${this.view?.description ?? ''}`;
  }

  private get storedChoices(): Readonly<Record<string, string>> {
    return this.allStoredChoices[this.storageKey] ?? {};
  }

  private get allStoredChoices(): z.infer<typeof Choices> {
    return z.safeParse(Choices, this.ports.memento.get(memoryName)).data ?? {};
  }
}
