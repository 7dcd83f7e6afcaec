import { isRecord, listOf } from '../json';

/** What tools gave back, wherever in the thread it is, by the call it belongs to. */
export interface Results {
  readonly byCall: ReadonlyMap<string, readonly unknown[]>;
  hasCall(id: string): boolean;
}

const callTypes: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'program']);

/** Of all messages of a thread. */
export function resultsOf(messages: readonly unknown[]): Results {
  const byCall = new Map<string, unknown[]>();
  const calls = new Set<string>();
  for (const message of messages) {
    if (!isRecord(message)) continue;
    for (const block of listOf(message['content'])) {
      if (!isRecord(block)) continue;
      if (callTypes.has(block['type'])) calls.add(callId(block));
      if (!isResultBlock(block)) continue;
      const id = resultId(block);
      const known = byCall.get(id);
      if (known) known.push(block);
      else byCall.set(id, [block]);
    }
  }
  return { byCall, hasCall: (id) => calls.has(id) };
}

/** In the order of the thread; a later one tells how a command that runs has gone on. */
export function resultsFor({ byCall }: Results, id: string): readonly unknown[] {
  return byCall.get(id) ?? [];
}

export function isResultBlock(block: unknown): boolean {
  if (!isRecord(block) || typeof block['type'] !== 'string') return false;
  return block['type'] === 'program_output' || block['type'].endsWith('tool_result');
}

/** The id that results name a block of a call by. */
export function callId(block: Readonly<Record<string, unknown>>): string {
  const id = block['type'] === 'program' ? (block['call_id'] ?? block['id']) : block['id'];
  return asId(id);
}

function resultId(block: Readonly<Record<string, unknown>>): string {
  return asId(block['toolUseID'] ?? block['tool_use_id'] ?? block['call_id']);
}

function asId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
