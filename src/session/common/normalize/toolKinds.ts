import type { ToolKind } from '../sessionEvents';

/** Kinds by words in tool names, for servers that do not report a kind. The first match wins. */
const kindWords: readonly (readonly [RegExp, ToolKind])[] = [
  // A subagent may do anything.
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

export function inferToolKind(name: string, operation: string): ToolKind {
  for (const text of [operation, name]) {
    const found = kindWords.find(([words]) => words.test(text));
    if (found) return found[1];
  }
  return 'other';
}
