import * as z from 'zod';

/** What is kept of a conversation: enough to tell it again to a client that loads the session. */
const ToolContent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('diff'), path: z.string(), oldText: z.string(), newText: z.string() }),
]);

const PlanStep = z.object({
  content: z.string(),
  priority: z.enum(['high', 'medium', 'low']),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type PlanStep = Readonly<z.infer<typeof PlanStep>>;

export const HistoryItem = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['user', 'agent', 'thought']), text: z.string() }),
  z.object({
    type: z.literal('tool'),
    toolCallId: z.string(),
    title: z.string(),
    kind: z.enum(['read', 'edit', 'execute']),
    status: z.enum(['completed', 'failed']),
    content: z.array(ToolContent),
    path: z.string().optional(),
  }),
  z.object({
    type: z.literal('plan'),
    entries: z.array(PlanStep),
  }),
]);
export type HistoryItem = z.infer<typeof HistoryItem>;
export type ToolHistory = Extract<HistoryItem, { type: 'tool' }>;

/** Adds an item; text of the same kind goes on where the last item ended, and a plan replaces the one before it. */
export function remember(history: HistoryItem[], item: HistoryItem): void {
  const last = history.at(-1);
  if (last && 'text' in last && 'text' in item && last.type === item.type && item.type !== 'user') {
    history[history.length - 1] = { type: last.type, text: last.text + item.text };
  } else if (last?.type === 'plan' && item.type === 'plan') {
    history[history.length - 1] = item;
  } else {
    history.push(item);
  }
}

/** How many words of an answer came after the last prompt. */
export function wordsSaid(history: readonly HistoryItem[]): number {
  const prompt = history.findLastIndex(({ type }) => type === 'user');
  return wordsIn(history.slice(prompt + 1).filter(({ type }) => type === 'agent'));
}

/** How much the conversation says, in words: what stands in for tokens where there is no model. */
export function wordsIn(history: readonly HistoryItem[]): number {
  return history.reduce((sum, item) => sum + ('text' in item ? item.text.split(/\s+/).filter(Boolean).length : 0), 0);
}
