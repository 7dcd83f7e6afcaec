import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { Usage } from '../../../transcript/common/entries';
import { asCount, isRecord, asList, asNonEmptyText, asTimeMs, type JsonRecord } from './jsonValues';

/**
 * Adds up the usage of a thread from the two places in which Amp stores it: the thread's ledger (until early 2026) and
 * each message. If a message is in the ledger, only its cache tokens are added.
 */
export function threadUsage(messages: readonly unknown[], ledger: readonly unknown[]): Usage | undefined {
  const events = ledger.filter(isRecord);
  const covered = new Set(events.map((event) => event['toMessageId']));
  covered.delete(undefined);
  covered.delete(null);
  // Old events do not name their messages. They include all messages until the last event.
  const coversAll = events.some((event) => event['operationType'] !== 'title-generation') && covered.size === 0;
  const coveredUntil = coversAll ? ledgerEnd(events) : undefined;
  return sumUsage([
    ...events.map(eventUsage),
    ...messages.map((message) => {
      const usage = messageUsage(message);
      const isCovered = coversAll
        ? !isAfter(message, coveredUntil)
        : isRecord(message) && covered.has(message['messageId']);
      return usage && isCovered ? cacheUsage(usage) : usage;
    }),
  ]);
}

/** Tolerance in milliseconds. An event and its message's usage are written together, in any order. */
const slackMs = 60_000;

/** Returns the time until which the ledger was written. Undefined if the ledger contains no times. */
function ledgerEnd(events: readonly JsonRecord[]): number | undefined {
  const times = events.flatMap((event) => asTimeMs(event['timestamp']) ?? []);
  return times.length === 0 ? undefined : times.reduce((last, time) => Math.max(last, time)) + slackMs;
}

function isAfter(message: unknown, end: number | undefined): boolean {
  const usage = isRecord(message) && isRecord(message['usage']) ? message['usage'] : {};
  return (asTimeMs(usage['timestamp']) ?? -Infinity) > (end ?? Infinity);
}

export function messageUsage(message: unknown): Usage | undefined {
  const usage = isRecord(message) ? message['usage'] : undefined;
  if (!isRecord(usage)) return undefined;
  const output = asCount(usage['outputTokens']);
  const cacheRead = asCount(usage['cacheReadInputTokens']);
  return usageOf({ ...promptTokens(usage), output, cacheRead }, usage['credits']);
}

export function messageModel(message: unknown): string | undefined {
  const usage = isRecord(message) ? message['usage'] : undefined;
  return isRecord(usage) ? asNonEmptyText(usage['model']) : undefined;
}

/** Adds up usages. Sums are limited to the largest safe integer. */
export function sumUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  let total: Usage | undefined;
  for (const usage of usages) {
    if (!usage) continue;
    total ??= {};
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
      const value = usage[key];
      if (value !== undefined) total[key] = Math.min((total[key] ?? 0) + value, Number.MAX_SAFE_INTEGER);
    }
    if (usage.cost) {
      const amount = (total.cost?.amount ?? 0) + usage.cost.amount;
      total.cost = { amount: Math.round(amount * 1e6) / 1e6, currency: usage.cost.currency };
    }
  }
  return total;
}

/** Returns the input tokens. For OpenAI, Amp reports uncached input as written to the cache, and input as 0. */
function promptTokens(usage: JsonRecord): { input: number | undefined; cacheWrite: number | undefined } {
  const input = asCount(usage['inputTokens']);
  const cacheWrite = asCount(usage['cacheCreationInputTokens']);
  const isInputInCache = (input ?? 0) === 0 && /^(?:openai\/)?gpt/i.test(asNonEmptyText(usage['model']) ?? '');
  return isInputInCache && cacheWrite !== undefined
    ? { input: cacheWrite, cacheWrite: undefined }
    : { input, cacheWrite };
}

function eventUsage(event: JsonRecord): Usage | undefined {
  const tokens = isRecord(event['tokens']) ? event['tokens'] : {};
  return usageOf({ input: asCount(tokens['input']), output: asCount(tokens['output']) }, event['credits']);
}

function cacheUsage({ cacheRead, cacheWrite }: Usage): Usage {
  return withoutUndefined({ cacheRead, cacheWrite });
}

type Tokens = Partial<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number | undefined>>;

function usageOf(tokens: Tokens, credits: unknown): Usage | undefined {
  const cost = isCredits(credits) ? { amount: credits, currency: 'credits' } : undefined;
  const usage: Usage = withoutUndefined({ ...tokens, cost });
  return Object.keys(usage).length > 0 ? usage : undefined;
}

function isCredits(credits: unknown): credits is number {
  return typeof credits === 'number' && credits > 0 && credits <= Number.MAX_SAFE_INTEGER;
}

export function usageLedgerEvents(document: { usageLedger?: { events?: unknown } | undefined }): readonly unknown[] {
  return asList(document.usageLedger?.events);
}
