import type { Usage } from '../../transcript/common/entries';
import { countOf, isRecord, listOf, textOf, type JsonRecord } from './json';

/** What a thread has used, by the two ledgers that Amp has kept: one of the thread until early 2026, one of each message. */

/** Undefined when neither says anything. Events of the ledger count once: their messages add only what they do not know. */
export function threadUsage(messages: readonly unknown[], ledger: readonly unknown[]): Usage | undefined {
  const events = ledger.filter(isRecord);
  const covered = new Set(events.map((event) => event['toMessageId']));
  covered.delete(undefined);
  // Old events do not say which message they paid for: then they paid for all.
  const coversAll = events.some((event) => event['operationType'] !== 'title-generation') && covered.size === 0;
  return sumUsage([
    ...events.map(eventUsage),
    ...messages.map((message) => {
      const usage = messageUsage(message);
      const isCovered = coversAll || (isRecord(message) && covered.has(message['messageId']));
      return usage && isCovered ? cacheOf(usage) : usage;
    }),
  ]);
}

/** What one message says of itself. */
export function messageUsage(message: unknown): Usage | undefined {
  const usage = isRecord(message) ? message['usage'] : undefined;
  if (!isRecord(usage)) return undefined;
  const { input, cacheWrite } = promptTokens(usage);
  return usageOf({
    input,
    output: countOf(usage['outputTokens']),
    cacheRead: countOf(usage['cacheReadInputTokens']),
    cacheWrite,
    credits: usage['credits'],
  });
}

export function messageModel(message: unknown): string | undefined {
  const usage = isRecord(message) ? message['usage'] : undefined;
  return isRecord(usage) ? textOf(usage['model']) : undefined;
}

export function sumUsage(all: readonly (Usage | undefined)[]): Usage | undefined {
  let total: Usage | undefined;
  for (const one of all) {
    if (!one) continue;
    total ??= {};
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
      const value = one[key];
      if (value !== undefined) total[key] = (total[key] ?? 0) + value;
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
  return usageOf({
    input: countOf(tokens['input']),
    output: countOf(tokens['output']),
    cacheRead: undefined,
    cacheWrite: undefined,
    credits: event['credits'],
  });
}

function cacheOf({ cacheRead, cacheWrite }: Usage): Usage {
  return {
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

interface Told {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly credits: unknown;
}

function usageOf({ input, output, cacheRead, cacheWrite, credits }: Told): Usage | undefined {
  const usage: Usage = {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(typeof credits === 'number' && credits > 0 ? { cost: { amount: credits, currency: 'credits' } } : {}),
  };
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/** The events of the thread's own ledger. */
export function ledgerOf(document: { usageLedger?: { events?: unknown } | undefined }): readonly unknown[] {
  return listOf(document.usageLedger?.events);
}
