import * as z from 'zod/mini';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import { unattendedOf, type OptionChoice, type OptionValue } from '../../../session/common/optionChoices';
import type { Memento } from '../../../base/common/memento';
import { OptionView, optionViews, Unattended, type BackendView } from '../chatView';
import { shownOptions, wantedChoices, type OptionSources } from '../conversations/optionPrecedence';

const memoryName = 'chat.agentOptions';
const Values = z.record(z.string(), z.union([z.string(), z.boolean()]));
const KeptAgent = z.object({
  /** Command line of the agent that offered these options. */
  about: z.string(),
  /** With the agent's own default values. */
  options: z.array(OptionView),
  /** The user's last choices. */
  chosen: Values,
  /** What the agent was seen doing without asking. */
  unattended: z.optional(Unattended),
});
type KeptAgent = z.infer<typeof KeptAgent>;
const Kept = z.record(z.string(), z.unknown());

/** Larger option lists are not stored: some agents list every existing model. */
const maxKeptUnits = 200_000;

/** Options for new conversations with ACP agents: what each offered last, and the user's choices. Stored across windows. */
export class AgentOptions {
  private readonly views = new Map<string, BackendView>();
  /** Options of prepared sessions, by agent. */
  private readonly waiting = new Map<string, readonly OptionView[]>();
  /** Options last offered in this window, by agent. */
  private readonly learnt = new Map<string, readonly OptionView[]>();
  /** The user's choices for the next conversation, by agent. */
  private readonly picked = new Map<string, Readonly<Record<string, OptionValue>>>();
  private readonly told = new Set<string>();

  constructor(
    private readonly memento: Memento,
    private readonly onError: (error: unknown) => void,
  ) {}

  know(view: BackendView): void {
    const isOther = this.views.has(view.id) && this.views.get(view.id)?.description !== view.description;
    if (isOther) this.learnt.delete(view.id);
    this.views.set(view.id, view);
  }

  /** Returns the options with the values that a new conversation will have. */
  of(agentId: string): OptionView[] {
    return shownOptions(this.offered(agentId), this.sources(agentId));
  }

  wanted(agentId: string): OptionChoice[] {
    return wantedChoices(this.offered(agentId), this.sources(agentId));
  }

  /** Sets the user's choice for the next conversation and remembers it for later ones. */
  pick(agentId: string, optionId: string, value: OptionValue): void {
    this.picked.set(agentId, { ...this.picked.get(agentId), [optionId]: value });
    this.remember(agentId, optionId, value);
  }

  /**
   * Remembers a choice made inside a conversation for later ones. Values that let the agent act unattended are not remembered:
   * allowing that for one task doesn't allow it for all.
   */
  pickedInside(agentId: string, option: OptionView | undefined, value: OptionValue): void {
    if (!option || unattendedOf(option, value) !== undefined) return;
    this.remember(agentId, option.id, value);
  }

  /** Clears the choices for one conversation, which has begun. */
  begun(agentId: string): void {
    this.picked.delete(agentId);
    this.waiting.delete(agentId);
  }

  learn(agentId: string, options: readonly ConfigOption[]): void {
    const views = optionViews(options);
    this.learnt.set(agentId, views);
    const kept = this.kept(agentId);
    const isLarge = JSON.stringify(views).length > maxKeptUnits;
    this.keep(agentId, { ...kept, about: this.aboutOf(agentId), options: isLarge ? [] : views });
  }

  /** Records what the agent did without asking; undefined if it asked. Returns whether this changed anything. */
  saw(agentId: string, unattended: Unattended | undefined): boolean {
    const { unattended: before, ...kept } = this.kept(agentId);
    const now = unattended && before === 'runs' ? before : unattended;
    if (now === before) return false;
    this.keep(agentId, { ...kept, about: this.aboutOf(agentId), ...(now === undefined ? {} : { unattended: now }) });
    return true;
  }

  seen(agentId: string): Unattended | undefined {
    return this.kept(agentId).unattended;
  }

  showWaiting(agentId: string, options: readonly ConfigOption[] | undefined): void {
    if (options) this.waiting.set(agentId, optionViews(options));
    else this.waiting.delete(agentId);
  }

  /** Returns a notice, once per window, about a default in the settings that the agent doesn't offer. */
  notOffered(agentId: string, { from, option, value }: OptionChoice): string | undefined {
    const key = JSON.stringify([agentId, option, value]);
    if (from !== 'settings' || this.told.has(key)) return undefined;
    this.told.add(key);
    const title = this.views.get(agentId)?.title ?? agentId;
    return `${title} doesn’t offer ${option} "${String(value)}". This default in backline.acp.agents was ignored.`;
  }

  private offered(agentId: string): readonly OptionView[] {
    return this.waiting.get(agentId) ?? this.learnt.get(agentId) ?? this.kept(agentId).options;
  }

  private sources(agentId: string): OptionSources {
    return {
      user: this.picked.get(agentId) ?? {},
      settings: this.views.get(agentId)?.defaults ?? {},
      remembered: this.kept(agentId).chosen,
    };
  }

  private remember(agentId: string, optionId: string, value: OptionValue): void {
    const kept = this.kept(agentId);
    this.keep(agentId, { ...kept, about: this.aboutOf(agentId), chosen: { ...kept.chosen, [optionId]: value } });
  }

  private aboutOf(agentId: string): string {
    return this.views.get(agentId)?.description ?? '';
  }

  /** Returns the stored record, unless it belongs to another program with the same id. */
  private kept(agentId: string): KeptAgent {
    const kept = z.safeParse(KeptAgent, this.all[agentId]).data;
    if (!kept) return { about: '', options: [], chosen: {} };
    const view = this.views.get(agentId);
    if (!view) return { ...kept, options: [] };
    return kept.about === view.description ? kept : { about: kept.about, options: [], chosen: {} };
  }

  private keep(agentId: string, kept: KeptAgent): void {
    if (JSON.stringify(this.all[agentId]) === JSON.stringify(kept)) return;
    this.memento.update(memoryName, { ...this.all, [agentId]: kept }).then(undefined, this.onError);
  }

  private get all(): z.infer<typeof Kept> {
    return z.safeParse(Kept, this.memento.get(memoryName)).data ?? {};
  }
}
