import type { EventData, ToolKind } from '../sessionEvents';

/** Words in tool names and the kinds they suggest, for servers that do not report a kind. The first match wins. */
const kindWords: readonly (readonly [RegExp, ToolKind])[] = [
  // A subagent can perform any kind of action.
  [/sub.?agent|delegate|^task$/i, 'other'],
  [/bash|shell|exec|command|terminal|^run/i, 'execute'],
  [/delete|remove|unlink/i, 'delete'],
  [/move|rename/i, 'move'],
  [/edit|write|patch|create|replace|insert/i, 'edit'],
  [/grep|glob|search|find/i, 'search'],
  [/fetch|web|http|url/i, 'fetch'],
  [/read|view|cat$|list|ls$/i, 'read'],
  [/think|plan/i, 'think'],
];

export function inferToolKind({
  operation,
  tool_name,
}: Pick<EventData<'tool:pre'>, 'operation' | 'tool_name'>): ToolKind {
  const matchOf = (text: string): ToolKind | undefined => kindWords.find(([words]) => words.test(text))?.[1];
  return matchOf(operation) ?? matchOf(tool_name) ?? 'other';
}
