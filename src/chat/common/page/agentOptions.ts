import * as z from 'zod/mini';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import {
  unattendedActionOfOption,
  type RequestedOption,
  type OptionValue,
} from '../../../session/common/optionChoices';
import type { Memento } from '../../../base/common/memento';
import { OptionView, toOptionViews, UnattendedAction, type BackendView } from '../chatView';
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

/**
 * Options for new conversations with ACP agents: the options that each agent has offered last, and the user's choices.
 * Stored for all windows.
 */
export class AgentOptions {
  private readonly backendViews = new Map<string, BackendView>();
  private readonly preparedOptions = new Map<string, readonly OptionView[]>();
  /** The options that agents have last offered in this window, by agent id. */
  private readonly offeredOptions = new Map<string, readonly OptionView[]>();
  /** The user's choices for only the next conversation, by agent id. */
  private readonly oneTimeChoices = new Map<string, Readonly<Record<string, OptionValue>>>();
  /** Choices for which `noticeForUnofferedChoice` has returned a notice in this window. */
  private readonly notifiedUnofferedChoices = new Set<string>();

  constructor(
    private readonly memento: Memento,
    private readonly onError: (error: unknown) => void,
  ) {}

  updateBackendView(view: BackendView): void {
    const isOther = this.backendViews.has(view.id) && this.backendViews.get(view.id)?.description !== view.description;
    if (isOther) this.offeredOptions.delete(view.id);
    this.backendViews.set(view.id, view);
  }

  optionsFor(agentId: string): OptionView[] {
    return optionsOfNewSession(this.currentOptions(agentId), this.optionSources(agentId));
  }

  choicesForNewSession(agentId: string): RequestedOption[] {
    return choicesForNewSession(this.currentOptions(agentId), this.optionSources(agentId));
  }

  /** Sets the user's choice for the next conversation and stores it for later ones. */
  choose(agentId: string, optionId: string, value: OptionValue): void {
    this.oneTimeChoices.set(agentId, { ...this.oneTimeChoices.get(agentId), [optionId]: value });
    this.storeChoice(agentId, optionId, value);
  }

  /**
   * Stores a choice that was made inside a conversation, as the default for later conversations. Values with which the
   * agent acts without approval are not stored, because the user may want that for only one task.
   */
  rememberChoice(agentId: string, option: OptionView | undefined, value: OptionValue): void {
    if (!option || unattendedActionOfOption(option, value) !== undefined) return;
    this.storeChoice(agentId, option.id, value);
  }

  /** Clears the choices for a conversation that has now started. */
  clearOneTimeChoices(agentId: string): void {
    this.oneTimeChoices.delete(agentId);
    this.preparedOptions.delete(agentId);
  }

  recordOfferedOptions(agentId: string, options: readonly ConfigOption[]): void {
    const views = toOptionViews(options);
    this.offeredOptions.set(agentId, views);
    const record = this.storedRecord(agentId);
    const isLarge = JSON.stringify(views).length > maxKeptUnits;
    this.storeRecord(agentId, { ...record, options: isLarge ? [] : views });
  }

  /** Records what the agent did without approval; undefined if it asked. Returns whether this changed anything. */
  recordObservedAction(agentId: string, unattendedAction: UnattendedAction | undefined): boolean {
    const { unattended: before, ...record } = this.storedRecord(agentId);
    const now = unattendedAction && before === 'runs' ? before : unattendedAction;
    if (now === before) return false;
    this.storeRecord(agentId, { ...record, ...withoutUndefined({ unattended: now }) });
    return true;
  }

  observedUnattendedAction(agentId: string): UnattendedAction | undefined {
    return this.storedRecord(agentId).unattended;
  }

  setPreparedOptions(agentId: string, options: readonly ConfigOption[] | undefined): void {
    if (options) this.preparedOptions.set(agentId, toOptionViews(options));
    else this.preparedOptions.delete(agentId);
  }

  /** Returns a notice about a configured default that the agent does not offer, once per window. */
  noticeForUnofferedChoice(agentId: string, { from, option, value }: RequestedOption): string | undefined {
    const key = JSON.stringify([agentId, option, value]);
    if (from !== 'settings' || this.notifiedUnofferedChoices.has(key)) return undefined;
    this.notifiedUnofferedChoices.add(key);
    const title = this.backendViews.get(agentId)?.title ?? agentId;
    return `${title} doesn’t offer ${option} "${String(value)}". This default in backline.acp.agents was ignored.`;
  }

  private currentOptions(agentId: string): readonly OptionView[] {
    return this.preparedOptions.get(agentId) ?? this.offeredOptions.get(agentId) ?? this.storedRecord(agentId).options;
  }

  private optionSources(agentId: string): OptionSources {
    return {
      user: this.oneTimeChoices.get(agentId) ?? {},
      settings: this.backendViews.get(agentId)?.defaults ?? {},
      remembered: this.storedRecord(agentId).chosen,
    };
  }

  private storeChoice(agentId: string, optionId: string, value: OptionValue): void {
    const record = this.storedRecord(agentId);
    this.storeRecord(agentId, { ...record, chosen: { ...record.chosen, [optionId]: value } });
  }

  /** Returns the stored record, unless it belongs to another program with the same id. */
  private storedRecord(agentId: string): AgentRecord {
    const record = z.safeParse(AgentRecord, this.storedRecords[agentId]).data;
    if (!record) return { about: '', options: [], chosen: {} };
    const view = this.backendViews.get(agentId);
    if (!view) return { ...record, options: [] };
    return record.about === view.description ? record : { about: record.about, options: [], chosen: {} };
  }

  private storeRecord(agentId: string, changed: Omit<AgentRecord, 'about'>): void {
    const record = { ...changed, about: this.backendViews.get(agentId)?.description ?? '' };
    if (JSON.stringify(this.storedRecords[agentId]) === JSON.stringify(record)) return;
    this.memento.update(memoryName, { ...this.storedRecords, [agentId]: record }).then(undefined, this.onError);
  }

  private get storedRecords(): z.infer<typeof AgentRecords> {
    return z.safeParse(AgentRecords, this.memento.get(memoryName)).data ?? {};
  }
}
