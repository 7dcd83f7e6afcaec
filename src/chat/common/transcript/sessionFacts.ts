import type {
  ConfigOption,
  EventData,
  SessionEvent,
  SlashCommand,
  TokenUsage,
} from '../../../session/common/sessionEvents';
import type { Usage } from '../../../transcript/common/entries';

/** What the backend last said about its session, independent of turns. */
export class SessionFacts {
  readonly usage = new UsageTotals();
  options: readonly ConfigOption[] = [];
  commands: readonly SlashCommand[] = [];
  /** The agent's own description of its current activity. */
  statusText: string | undefined;

  applyEvent(event: SessionEvent): void {
    switch (event.event) {
      case 'config:update':
        this.options = event.data.options;
        return;
      case 'commands:update':
        this.commands = event.data.commands;
        return;
      case 'usage:update':
        this.usage.update(event.data);
        return;
      case 'status:update':
        this.statusText = event.data.message ?? event.data.status;
        return;
      default:
    }
  }
}

/** Usage of a conversation. Backends report tokens per turn, and the cost of the whole session. */
class UsageTotals {
  context: { readonly used: number; readonly size: number } | undefined;
  private tokenCounts: Usage = {};
  private cost: Usage['cost'];
  private costAtTurnStart = 0;
  /** What the turns have cost, in the currency of the last one. */
  spent: Usage['cost'];

  get total(): Usage | undefined {
    const total = { ...this.tokenCounts, ...(this.cost ? { cost: this.cost } : {}) };
    return Object.keys(total).length > 0 ? total : undefined;
  }

  startTurn(): void {
    this.costAtTurnStart = this.cost?.amount ?? 0;
  }

  update({ used, size, cost }: EventData<'usage:update'>): void {
    this.context = { used, size };
    if (cost) this.cost = { amount: cost.amount, currency: cost.currency };
  }

  endTurn(reported: TokenUsage | null | undefined): Usage | undefined {
    const turn: Usage = reported ? tokensOf(reported) : {};
    this.tokenCounts = sum(this.tokenCounts, turn);
    // If the total has decreased, the backend has reset it.
    const amount = this.cost ? this.cost.amount - this.costAtTurnStart : 0;
    const cost = amount < 0 ? (this.cost?.amount ?? 0) : amount;
    if (this.cost && cost > 0) turn.cost = rounded(cost, this.cost.currency);
    if (turn.cost) this.spent = addCost(this.spent, turn.cost);
    return Object.keys(turn).length > 0 ? turn : undefined;
  }
}

type Cost = NonNullable<Usage['cost']>;

/** Without the errors of binary fractions. */
function rounded(amount: number, currency: string): Cost {
  return { amount: Math.round(amount * 1e6) / 1e6, currency };
}

function addCost(sum: Cost | undefined, { amount, currency }: Cost): Cost {
  return sum?.currency === currency ? rounded(sum.amount + amount, currency) : { amount, currency };
}

/** Converts reported tokens. Zero input and output tokens mean that the backend does not count them. */
function tokensOf(reported: TokenUsage): Usage {
  if (reported.input_tokens === 0 && reported.output_tokens === 0) return {};
  const usage: Usage = { input: reported.input_tokens, output: reported.output_tokens };
  const cacheRead = validCount(reported['cache_read_tokens'] ?? reported['cache_read_input_tokens']);
  const cacheWrite = validCount(reported['cache_write_tokens'] ?? reported['cache_creation_input_tokens']);
  if (cacheRead !== undefined) usage.cacheRead = cacheRead;
  if (cacheWrite !== undefined) usage.cacheWrite = cacheWrite;
  return usage;
}

function sum(one: Usage, other: Usage): Usage {
  const total: Usage = { ...one };
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
    const value = other[key];
    if (value !== undefined) total[key] = (one[key] ?? 0) + value;
  }
  return total;
}

function validCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
