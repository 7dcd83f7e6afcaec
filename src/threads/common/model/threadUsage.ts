import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { Usage } from '../../../transcript/common/entries';
import { countOf, isRecord, listOf, textOf, timeOf, type JsonRecord } from './jsonValues';

/** What a thread has used, by the two ledgers that Amp has kept: one of the thread until early 2026, one of each message. */

/** Undefined when neither says anything. Events of the ledger count once: their messages add only what they do not know. */
export function threadUsage(messages: readonly unknown[], ledger: readonly unknown[]): Usage | undefined {
  const events = ledger.filter(isRecord);
  const covered = new Set(events.map((event) => event['toMessageId']));
  for (const nothing of [undefined, null]) covered.delete(nothing);
  // Old events do not say which message they paid for: then they paid for all of their time.
  const coversAll = events.some((event) => event['operationType'] !== 'title-generation') && covered.size === 0;
  const coveredUntil = coversAll ? endOf(events) : undefined;
  return sumUsage([
    ...events.map(eventUsage),
    ...messages.map((message) => {
      const usage = messageUsage(message);
      const isCovered = coversAll
        ? !isAfter(message, coveredUntil)
        : isRecord(message) && covered.has(message['messageId']);
      return usage && isCovered ? cacheOf(usage) : usage;
    }),
  ]);
}

/** An event and the usage of its message are written at almost the same time, in either order. */
const slackMs = 60_000;

/** When the ledger was dropped; undefined when nobody knows. */
function endOf(events: readonly JsonRecord[]): number | undefined {
  const times = events.flatMap((event) => timeOf(event['timestamp']) ?? []);
  return times.length === 0 ? undefined : times.reduce((last, time) => Math.max(last, time)) + slackMs;
}

function isAfter(message: unknown, end: number | undefined): boolean {
  const usage = isRecord(message) && isRecord(message['usage']) ? message['usage'] : {};
  return (timeOf(usage['timestamp']) ?? -Infinity) > (end ?? Infinity);
}

/** What one message says of itself. */
export function messageUsage(message: unknown): Usage | undefined {
  const usage = isRecord(message) ? message['usage'] : undefined;
  if (!isRecord(usage)) return undefined;
  const output = countOf(usage['outputTokens']);
  const cacheRead = countOf(usage['cacheReadInputTokens']);
  return usageOf({ ...promptTokens(usage), output, cacheRead }, usage['credits']);
}

export function messageModel(message: unknown): string | undefined {
  const usage = isRecord(message) ? message['usage'] : undefined;
  return isRecord(usage) ? textOf(usage['model']) : undefined;
}

/** Sums that are too large to be counted stay at the largest number that is. */
export function sumUsage(all: readonly (Usage | undefined)[]): Usage | undefined {
  let total: Usage | undefined;
  for (const one of all) {
    if (!one) continue;
    total ??= {};
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
      const value = one[key];
      if (value !== undefined) total[key] = Math.min((total[key] ?? 0) + value, Number.MAX_SAFE_INTEGER);
    }
    if (one.cost) {
      const amount = (total.cost?.amount ?? 0) + one.cost.amount;
      total.cost = { amount: Math.round(amount * 1e6) / 1e6, currency: one.cost.currency };
    }
  }
  return total;
}

/** For models of OpenAI the input is 0, and the prompt that no cache had is told as written to the cache. */
function promptTokens(usage: JsonRecord): { input: number | undefined; cacheWrite: number | undefined } {
  const input = countOf(usage['inputTokens']);
  const cacheWrite = countOf(usage['cacheCreationInputTokens']);
  const isFolded = (input ?? 0) === 0 && /^(?:openai\/)?gpt/i.test(textOf(usage['model']) ?? '');
  return isFolded && cacheWrite !== undefined ? { input: cacheWrite, cacheWrite: undefined } : { input, cacheWrite };
}

function eventUsage(event: JsonRecord): Usage | undefined {
  const tokens = isRecord(event['tokens']) ? event['tokens'] : {};
  return usageOf({ input: countOf(tokens['input']), output: countOf(tokens['output']) }, event['credits']);
}

function cacheOf({ cacheRead, cacheWrite }: Usage): Usage {
  return withoutUndefined({ cacheRead, cacheWrite });
}

type Tokens = Partial<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number | undefined>>;

function usageOf(tokens: Tokens, credits: unknown): Usage | undefined {
  const cost = isAmount(credits) ? { amount: credits, currency: 'credits' } : undefined;
  const usage: Usage = withoutUndefined({ ...tokens, cost });
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/** Nobody has paid more than can be counted. */
function isAmount(credits: unknown): credits is number {
  return typeof credits === 'number' && credits > 0 && credits <= Number.MAX_SAFE_INTEGER;
}

/** The events of the thread's own ledger. */
export function ledgerOf(document: { usageLedger?: { events?: unknown } | undefined }): readonly unknown[] {
  return listOf(document.usageLedger?.events);
}
