import { PlanEntries, type EventData, type EventOf } from '../../../session/common/sessionEvents';
import type { EntryOf, TodoItem } from '../../../transcript/common/entries';
import { truncateEntry } from '../../../transcript/common/truncateEntry';
import type { EntryWriter } from './entryWriter';

type Plan = EventData<'plan:update'>['entries'];

/**
 * The plan of the current turn. While steps are open and the turn runs, only `openItems` has it, so that it is shown in one
 * place. It becomes an entry of the transcript when all steps are done or the turn has ended: one entry in each turn.
 */
export class TurnPlan {
  private items: readonly TodoItem[] = [];
  /** `items` with long texts shortened. */
  private shortItems: readonly TodoItem[] = [];
  private entry: EntryOf<'todos'> | undefined;

  constructor(
    private readonly writer: EntryWriter,
    /** Whether a turn with a prompt is open. Not all agents tell the end of others, so their plans are entries at once. */
    private readonly isTurnOpen: () => boolean,
  ) {}

  /** The plan while it runs; empty if there is none, or if nothing is left to do. Long texts are shortened. */
  get openItems(): readonly TodoItem[] {
    return this.isTurnOpen() && this.hasOpenStep ? this.shortItems : [];
  }

  startTurn(): void {
    this.items = [];
    this.shortItems = [];
    this.entry = undefined;
  }

  /** A plan alone begins no turn: one that is the first event after the end of a turn belongs to that turn. */
  update(entries: Plan): void {
    this.items = entries.map(({ content, priority, status }) => ({ text: content, priority, status }));
    const shown = truncateEntry({ kind: 'todos', id: '', turn: 0, items: [...this.items] });
    this.shortItems = shown.kind === 'todos' ? shown.items : [];
    if (this.openItems.length === 0) this.putEntry();
  }

  /** Call before the turn ends. */
  endTurn(): void {
    if (this.openItems.length > 0) this.putEntry();
  }

  /** Call after a turn is open again that was recorded as ended but is still running. */
  reopenTurn(): void {
    if (!this.entry || this.openItems.length === 0) return;
    this.writer.remove(this.entry.id);
    this.entry = undefined;
  }

  private get hasOpenStep(): boolean {
    return this.items.some(({ status }) => status === 'pending' || status === 'in_progress');
  }

  private putEntry(): void {
    if (this.items.length === 0) return;
    this.entry = { kind: 'todos', ...(this.entry ?? this.writer.createBase()), items: [...this.items] };
    this.writer.put(this.entry);
  }
}

/** Returns the plan that a call of a todo tool writes: so an Amplifier server sends it. Undefined for other and subagents' calls. */
export function planOfCall({ data }: EventOf<'tool:pre'>): Plan | undefined {
  const { input, parent_call_id, tool_name: name } = data;
  if (parent_call_id !== undefined || !/^todo(_?write)?$/i.test(name)) return undefined;
  return PlanEntries.safeParse(input['todos']).data;
}
