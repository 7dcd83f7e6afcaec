import * as z from 'zod';

/** A stored conversation that contains everything needed to replay it when a client loads the session. */
/** The old text of a diff is null if the file is new. */
const ToolContent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('diff'), path: z.string(), oldText: z.string().nullable(), newText: z.string() }),
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
    kind: z.enum(['read', 'edit', 'execute', 'search']),
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
export type ToolHistoryItem = Extract<HistoryItem, { type: 'tool' }>;

/** Adds an item. A text extends the last item if that has the same kind. A plan replaces the previous plan. */
export function addToHistory(history: HistoryItem[], item: HistoryItem): void {
  const last = history.at(-1);
  if (last && 'text' in last && 'text' in item && last.type === item.type && item.type !== 'user') {
    history[history.length - 1] = { type: last.type, text: last.text + item.text };
  } else if (last?.type === 'plan' && item.type === 'plan') {
    history[history.length - 1] = item;
  } else {
    history.push(item);
  }
}

export function countLastAnswerWords(history: readonly HistoryItem[]): number {
  const prompt = history.findLastIndex(({ type }) => type === 'user');
  return countWords(history.slice(prompt + 1).filter(({ type }) => type === 'agent'));
}

/** Counts the words of a conversation, as a substitute for tokens. */
export function countWords(history: readonly HistoryItem[]): number {
  return history.reduce((sum, item) => sum + ('text' in item ? item.text.split(/\s+/).filter(Boolean).length : 0), 0);
}
