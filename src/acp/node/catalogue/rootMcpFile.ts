/** Agents that read `.mcp.json` in the workspace folder themselves: Claude Code and Copilot. */
const readers = /(?:^|[\\/@])(?:claude-(?:agent|code)-acp|claude|copilot(?:-language-server)?)(?:$|[\\/@.])/i;

/** Whether an agent reads `.mcp.json` itself, by the words of its id and its command line. */
export function readsRootMcpFile(words: readonly string[]): boolean {
  return words.some((word) => readers.test(word));
}
