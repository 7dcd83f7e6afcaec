import * as z from 'zod/mini';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import { unattendedOf, type OptionChoice, type OptionValue } from '../../../session/common/optionChoices';
import type { Memento } from '../../../base/common/memento';
import { OptionView, Unattended, type BackendView } from '../chatView';
import { shownOptions, wantedChoices, type OptionSources } from '../conversations/optionPrecedence';

const memoryName = 'chat.agentOptions';
const Values = z.record(z.string(), z.union([z.string(), z.boolean()]));
const KeptAgent = z.object({
  /** The command line that offered them. */
  about: z.string(),
  /** As the agent sets them by itself. */
  options: z.array(OptionView),
  /** The user's last choices. */
  chosen: Values,
  /** What it was seen to do without asking. */
  unattended: z.optional(Unattended),
});
type KeptAgent = z.infer<typeof KeptAgent>;
const Kept = z.record(z.string(), z.unknown());

/** Some agents list every model that there is. */
const maxKeptUnits = 200_000;

/**
 * What new conversations with agents begin with: what an agent offered last, and what the user has chosen for it, kept over
 * windows by the agent's id.
 */
export class AgentOptions {
  private readonly views = new Map<string, BackendView>();
  /** Of sessions that wait for their first prompt. */
  private readonly waiting = new Map<string, readonly OptionView[]>();
  /** What was offered when it was last heard of in this window. */
  private readonly learnt = new Map<string, readonly OptionView[]>();
  /** For the next conversation, by agent. */
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

  /** As a new conversation will have them. */
  of(agentId: string): OptionView[] {
    return shownOptions(this.offered(agentId), this.sources(agentId));
  }

  wanted(agentId: string): OptionChoice[] {
    return wantedChoices(this.offered(agentId), this.sources(agentId));
  }

  /** The user's choice for the next conversation; also for those after it. */
  pick(agentId: string, optionId: string, value: OptionValue): void {
    this.picked.set(agentId, { ...this.picked.get(agentId), [optionId]: value });
    this.remember(agentId, optionId, value);
  }

  /**
   * The user's choice in a conversation, for those that begin after it. One in which the agent asks less holds only there: who
   * lets go of the reins for one task has not done so for all.
   */
  pickedInside(agentId: string, option: OptionView | undefined, value: OptionValue): void {
    if (!option || unattendedOf(option, value) !== undefined) return;
    this.remember(agentId, option.id, value);
  }

  /** The conversation that was chosen for has begun. */
  begun(agentId: string): void {
    this.picked.delete(agentId);
    this.waiting.delete(agentId);
  }

  learn(agentId: string, options: readonly ConfigOption[]): void {
    const views = options.map((option) => OptionView.parse(option));
    this.learnt.set(agentId, views);
    const kept = this.kept(agentId);
    const isLarge = JSON.stringify(views).length > maxKeptUnits;
    this.keep(agentId, { ...kept, about: this.aboutOf(agentId), options: isLarge ? [] : views });
  }

  /** What it did without asking; undefined when it asked. Returns whether that is news. */
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
    if (options)
      this.waiting.set(
        agentId,
        options.map((option) => OptionView.parse(option)),
      );
    else this.waiting.delete(agentId);
  }

  /** Of a default in the settings; once in a window. */
  notOffered(agentId: string, { from, option, value }: OptionChoice): string | undefined {
    const key = JSON.stringify([agentId, option, value]);
    if (from !== 'settings' || this.told.has(key)) return undefined;
    this.told.add(key);
    const title = this.views.get(agentId)?.title ?? agentId;
    return `${title} does not offer ${option} "${String(value)}", so this default of backline.acp.agents was ignored.`;
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

  /** What another program offered under that name, and what was chosen for it, says nothing of this one. */
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
