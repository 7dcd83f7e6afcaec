import { withoutUndefined } from '../../../base/common/withoutUndefined';

/** How an agent wants to hear that a file it reads does not exist: some can create a file only when it reads as empty. */
export type MissingFile = 'error' | 'empty';

/** What to do otherwise for an agent than the protocol says. */
export interface AgentTraits {
  readonly missingFile: MissingFile;
  /** What the `usage` of a prompt's result counts: that turn, or all turns since this process took the session up. */
  readonly usageOf: 'turn' | 'session';
  /** The id of the known agent that it is. */
  readonly knownAs?: string;
}

export interface KnownAgent extends AgentTraits {
  /** Stable: names the agent in settings and stored sessions. */
  readonly id: string;
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The npm package that brings the command, for those that come from npm. */
  readonly npmPackage?: string;
  readonly cannotList?: true;
  /** The `agentInfo.name` of its answer to `initialize`, in lower case. */
  readonly infoName?: string;
}

/** Agents that are offered when their command is on PATH; best supported first. */
export const demoAgentId = 'demo-agent';

export const knownAgents: readonly KnownAgent[] = [
  agent('claude', 'Claude', 'claude-agent-acp', [], '@agentclientprotocol/claude-agent-acp'),
  agent('codex', 'Codex', 'codex-acp', [], '@agentclientprotocol/codex-acp'),
  {
    ...agent('gemini', 'Gemini', 'gemini', ['--acp'], '@google/gemini-cli'),
    infoName: 'gemini-cli',
    cannotList: true,
    missingFile: 'empty',
  },
  agent('opencode', 'OpenCode', 'opencode', ['acp'], 'opencode-ai'),
  {
    ...agent('copilot', 'GitHub Copilot', 'copilot', ['--acp'], '@github/copilot'),
    infoName: 'copilot',
    usageOf: 'session',
  },
  agent('qwen', 'Qwen Code', 'qwen', ['--acp'], '@qwen-code/qwen-code'),
  agent('cursor', 'Cursor', 'cursor-agent', ['acp']),
  { ...agent('cline', 'Cline', 'cline', ['--acp'], 'cline'), cannotList: true },
  agent('auggie', 'Auggie', 'auggie', ['--acp'], '@augmentcode/auggie'),
  agent('goose', 'goose', 'goose', ['acp']),
  agent('kimi', 'Kimi Code', 'kimi', ['acp']),
  agent('vibe', 'Mistral Vibe', 'vibe-acp', []),
  agent('pi', 'pi', 'pi-acp', [], 'pi-acp'),
  agent('amp', 'Amp', 'amp-acp', [], 'amp-acp'),
];

/**
 * The known agent that a command line starts: by the command's own name, by the name of the script that it runs, or by the
 * package that it takes from a registry or from `node_modules`.
 */
export function knownAgentOf(command: string, args: readonly string[]): KnownAgent | undefined {
  const name = programName(command);
  const script = runtimes.has(name) ? args.find((arg) => !arg.startsWith('-')) : undefined;
  const names = [name, ...(script === undefined ? [] : [programName(script)])];
  const paths = [command, ...args].map((word) => word.replaceAll('\\', '/'));
  return (
    knownAgents.find((known) => names.includes(known.command)) ??
    knownAgents.find(
      ({ npmPackage }) => npmPackage !== undefined && paths.some((word) => isFromPackage(word, npmPackage)),
    )
  );
}

/** The known agent that calls itself so in `agentInfo.name`, whatever command line has started it. */
export function knownAgentNamed(infoName: string | undefined): KnownAgent | undefined {
  const name = infoName?.toLowerCase();
  return name === undefined ? undefined : knownAgents.find((known) => known.infoName === name);
}

/** By what the agent calls itself; `missingFile` and `commandOf` (a known agent's id) are what its command line says. */
export function traitsOf(infoName: string | undefined, missingFile: MissingFile, commandOf?: string): AgentTraits {
  const known = knownAgentNamed(infoName);
  const isEmpty = known?.missingFile === 'empty' || missingFile === 'empty';
  return {
    missingFile: isEmpty ? 'empty' : 'error',
    usageOf: known?.usageOf ?? 'turn',
    ...withoutUndefined({ knownAs: known?.id ?? commandOf }),
  };
}

/** Programs whose first argument is the script to run. */
const runtimes: ReadonlySet<string> = new Set(['node', 'bun', 'deno', 'tsx', 'electron']);

function programName(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? '').replace(/\.(exe|cmd|bat|[cm]?js)$/i, '');
}

/** As `npx` takes it, with or without a version; or as a path into it. */
function isFromPackage(word: string, npmPackage: string): boolean {
  return word.replace(/(?<=.)@.*$/, '') === npmPackage || word.includes(`/node_modules/${npmPackage}/`);
}

function agent(id: string, title: string, command: string, args: readonly string[], npmPackage?: string): KnownAgent {
  const traits = { missingFile: 'error', usageOf: 'turn' } as const;
  return { id, title, command, args, ...traits, ...withoutUndefined({ npmPackage }) };
}
