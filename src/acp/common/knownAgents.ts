/** How an agent wants to hear that a file it reads does not exist: some can create a file only when it reads as empty. */
export type MissingFile = 'error' | 'empty';

export interface KnownAgent {
  /** Stable: names the agent in settings and stored sessions. */
  readonly id: string;
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The npm package that brings the command, for those that come from npm. */
  readonly npmPackage?: string;
  readonly missingFile: MissingFile;
}

/** Agents that are offered when their command is on PATH; best supported first. */
export const knownAgents: readonly KnownAgent[] = [
  agent('claude', 'Claude', 'claude-agent-acp', [], '@agentclientprotocol/claude-agent-acp'),
  agent('codex', 'Codex', 'codex-acp', [], '@agentclientprotocol/codex-acp'),
  { ...agent('gemini', 'Gemini', 'gemini', ['--acp'], '@google/gemini-cli'), missingFile: 'empty' },
  agent('opencode', 'OpenCode', 'opencode', ['acp'], 'opencode-ai'),
  agent('copilot', 'GitHub Copilot', 'copilot', ['--acp'], '@github/copilot'),
  agent('qwen', 'Qwen Code', 'qwen', ['--acp'], '@qwen-code/qwen-code'),
  agent('cursor', 'Cursor', 'cursor-agent', ['acp']),
  agent('cline', 'Cline', 'cline', ['--acp'], 'cline'),
  agent('auggie', 'Auggie', 'auggie', ['--acp'], '@augmentcode/auggie'),
  agent('goose', 'goose', 'goose', ['acp']),
  agent('kimi', 'Kimi Code', 'kimi', ['acp']),
  agent('vibe', 'Mistral Vibe', 'vibe-acp', []),
  agent('pi', 'pi', 'pi-acp', [], 'pi-acp'),
  agent('amp', 'Amp', 'amp-acp', [], 'amp-acp'),
];

/** The known agent that a command line starts: by the command's own name, or by its package run through npx. */
export function knownAgentOf(command: string, args: readonly string[]): KnownAgent | undefined {
  const name = (command.split(/[\\/]/).at(-1) ?? '').replace(/\.(exe|cmd|bat)$/i, '');
  return knownAgents.find(
    (known) => known.command === name || args.some((arg) => arg.replace(/(?<=.)@.*$/, '') === known.npmPackage),
  );
}

function agent(id: string, title: string, command: string, args: readonly string[], npmPackage?: string): KnownAgent {
  return { id, title, command, args, missingFile: 'error', ...(npmPackage === undefined ? {} : { npmPackage }) };
}
