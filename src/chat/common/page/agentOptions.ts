import * as z from 'zod/mini';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import {
  unattendedActionOfOption,
  type RequestedOption,
  type OptionValue,
} from '../../../session/common/optionChoices';
import type { Memento } from '../../../base/common/memento';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import { OptionView, toOptionViews, UnattendedAction, type BackendView } from '../chatView';
import type { BackendOptions } from '../conversations/newSessionOptionsPort';
import { optionsOfNewSession, choicesForNewSession, type OptionSources } from '../conversations/optionPrecedence';

const memoryName = 'chat.agentOptions';
const Values = z.record(z.string(), z.union([z.string(), z.boolean()]));
const AgentRecord = z.object({
  /** Command line of the agent that has offered these options. */
  about: z.string(),
  /** The options with the agent's own default values. */
  options: z.array(OptionView),
  chosen: Values,
  /** What the agent was observed to do without approval. */
  unattended: z.optional(UnattendedAction),
});
type AgentRecord = z.infer<typeof AgentRecord>;
const AgentRecords = z.record(z.string(), z.unknown());

/** Maximum size of the option lists that are stored, in UTF-16 units, because some agents list every existing model. */
const maxKeptUnits = 200_000;

export interface OptionsPorts {
  readonly backends: Pick<BackendRegistry, 'open'>;
  readonly memento: Memento;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Options for new conversations with an ACP agent: the options that it has offered last, and the user's choices. Stored for
 * all windows.
 */
export class AgentOptions implements BackendOptions {
  private view: BackendView | undefined;
  private preparedOptions: readonly OptionView[] | undefined;
  /** The options that the agent has last offered in this window. */
  private offeredOptions: readonly OptionView[] | undefined;
  /** The user's choices for only the next conversation. */
  private oneTimeChoices: Readonly<Record<string, OptionValue>> = {};
  /** Choices for which `noticeForUnofferedChoice` has returned a notice in this window. */
  private readonly notifiedUnofferedChoices = new Set<string>();

  constructor(
    private readonly agentId: string,
    private readonly ports: Omit<OptionsPorts, 'backends'>,
  ) {}

  setView(view: BackendView): void {
    if (this.view && this.view.description !== view.description) this.offeredOptions = undefined;
    this.view = view;
  }

  get options(): OptionView[] {
    return optionsOfNewSession(this.currentOptions, this.optionSources);
  }

  get choicesForNewSession(): RequestedOption[] {
    return choicesForNewSession(this.currentOptions, this.optionSources);
  }

  choose(optionId: string, value: OptionValue): void {
    this.oneTimeChoices = { ...this.oneTimeChoices, [optionId]: value };
    this.storeChoice(optionId, value);
    this.ports.onChange();
  }

  chooseOnce(values: Readonly<Record<string, OptionValue>>): void {
    this.oneTimeChoices = values;
    this.ports.onChange();
  }

  rememberChoice(option: OptionView | undefined, value: OptionValue): void {
    if (!option || unattendedActionOfOption(option, value) !== undefined) return;
    this.storeChoice(option.id, value);
    this.ports.onChange();
  }

  clearOneTimeChoices(): void {
    this.oneTimeChoices = {};
    this.setPreparedOptions(undefined);
  }

  recordOfferedOptions(options: readonly ConfigOption[]): void {
    const views = toOptionViews(options);
    this.offeredOptions = views;
    const isLarge = JSON.stringify(views).length > maxKeptUnits;
    this.storeRecord({ ...this.storedRecord, options: isLarge ? [] : views });
    this.ports.onChange();
  }

  recordUnattendedAction(unattended: UnattendedAction | undefined): void {
    const { unattended: before, ...record } = this.storedRecord;
    const now = unattended && before === 'runs' ? before : unattended;
    if (now === before) return;
    this.storeRecord({ ...record, ...withoutUndefined({ unattended: now }) });
    this.ports.onChange();
  }

  get observedUnattendedAction(): UnattendedAction | undefined {
    return this.storedRecord.unattended;
  }

  setPreparedOptions(options: readonly ConfigOption[] | undefined): void {
    this.preparedOptions = options && toOptionViews(options);
    this.ports.onChange();
  }

  /** Returns a notice about a configured default, once per window. */
  noticeForUnofferedChoice({ from, option, value }: RequestedOption): string | undefined {
    const key = JSON.stringify([option, value]);
    if (from !== 'settings' || this.notifiedUnofferedChoices.has(key)) return undefined;
    this.notifiedUnofferedChoices.add(key);
    const title = this.view?.title ?? this.agentId;
    return `${title} doesn’t offer ${option} "${String(value)}". This default in backline.acp.agents was ignored.`;
  }

  private get currentOptions(): readonly OptionView[] {
    return this.preparedOptions ?? this.offeredOptions ?? this.storedRecord.options;
  }

  private get optionSources(): OptionSources {
    return {
      user: this.oneTimeChoices,
      settings: this.view?.defaults ?? {},
      remembered: this.storedRecord.chosen,
    };
  }

  private storeChoice(optionId: string, value: OptionValue): void {
    const record = this.storedRecord;
    this.storeRecord({ ...record, chosen: { ...record.chosen, [optionId]: value } });
  }

  /** The stored record, unless it belongs to another program with the same id. */
  private get storedRecord(): AgentRecord {
    const record = z.safeParse(AgentRecord, this.storedRecords[this.agentId]).data;
    if (!record) return { about: '', options: [], chosen: {} };
    if (!this.view) return { ...record, options: [] };
    return record.about === this.view.description ? record : { about: record.about, options: [], chosen: {} };
  }

  private storeRecord(changed: Omit<AgentRecord, 'about'>): void {
    const { memento, onError } = this.ports;
    const record = { ...changed, about: this.view?.description ?? '' };
    if (JSON.stringify(this.storedRecords[this.agentId]) === JSON.stringify(record)) return;
    memento.update(memoryName, { ...this.storedRecords, [this.agentId]: record }).then(undefined, onError);
  }

  private get storedRecords(): z.infer<typeof AgentRecords> {
    return z.safeParse(AgentRecords, this.ports.memento.get(memoryName)).data ?? {};
  }
}
