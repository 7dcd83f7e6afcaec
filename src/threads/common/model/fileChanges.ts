import { isRecord, asList } from './jsonValues';
import { toolKind } from './toolNames';

/** Whether any tool has changed a file, according to its name and result. */
export function hasChangedFiles(messages: readonly unknown[]): boolean {
  const changingCalls = new Set<unknown>();
  for (const message of messages) {
    if (!isRecord(message)) continue;
    for (const block of asList(message['content'])) {
      if (!isRecord(block)) continue;
      if (block['type'] === 'tool_use' && isChangingTool(block['normalizedName'] ?? block['name']))
        changingCalls.add(block['id']);
      if (block['type'] === 'tool_result' && isSuccessfulChange(block, changingCalls)) return true;
    }
  }
  return false;
}

function isChangingTool(name: unknown): boolean {
  return typeof name === 'string' && ['edit', 'delete'].includes(toolKind(name));
}

function isSuccessfulChange(result: Readonly<Record<string, unknown>>, calls: ReadonlySet<unknown>): boolean {
  const { run } = result;
  if (!isRecord(run)) return calls.has(result['tool_use_id'] ?? result['toolUseID']) && result['is_error'] !== true;
  if (run['status'] !== 'done') return false;
  return asList(run['trackFiles']).length > 0 || calls.has(result['toolUseID'] ?? result['tool_use_id']);
}
