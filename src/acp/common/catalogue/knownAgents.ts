import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { UsageScope } from '../session/turnUsage';

/** The response to a read of a missing file. Some agents can only create a file if reading it returns an empty text. */
export type MissingFileResult = 'error' | 'empty';

/** How an agent deviates from the protocol. */
export interface AgentTraits {
  readonly missingFileReadsAs: MissingFileResult;
  /** The scope of `usage` in a prompt's result: `session` are all turns since this process loaded the session. */
  readonly usageScope: UsageScope;
  /** Whether the agent may delete its copy of a session that was loaded. Then the user is asked before. */
  readonly losesLoadedSessions: boolean;
  readonly knownAs?: string;
}

export interface KnownAgent extends AgentTraits {
  /** Identifies the agent in settings and stored sessions. Must never change. */
  readonly id: string;
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly npmPackage?: string;
  /** Where its program can be downloaded: the repository, or the folder on the server. */
  readonly downloads?: readonly string[];
  readonly cannotList?: true;
  /** The version of the protocol to use unless the user sets one. For agents that lack something in a higher version. */
  readonly protocol?: '1';
  /** The program that the agent names for signing in although that is another agent. Its own program does the same. */
  readonly misnamesItself?: string;
  /** The value of `agentInfo.name` in the agent's `initialize` result, in lower case. */
  readonly infoName?: string;
}

export const demoAgentId = 'demo-agent';

/** Agents offered if their command is on PATH, best supported first. */
export const knownAgents: readonly KnownAgent[] = [
  {
    ...defineAgent('claude', 'Claude', 'claude-agent-acp', [], '@agentclientprotocol/claude-agent-acp'),
    // Over version 2, claude-agent-acp 0.101.0 takes no prompts into a turn that runs.
    protocol: '1',
  },
  {
    ...defineAgent('codex', 'Codex', 'codex-acp', [], '@agentclientprotocol/codex-acp'),
    // Over version 2, codex-acp 2.6.0 cannot request permission for MCP tools and treats that as a denial.
    protocol: '1',
  },
  {
    ...defineAgent('gemini', 'Gemini', 'gemini', ['--acp'], '@google/gemini-cli'),
    infoName: 'gemini-cli',
    cannotList: true,
    missingFileReadsAs: 'empty',
    losesLoadedSessions: true,
  },
  {
    ...defineAgent('opencode', 'OpenCode', 'opencode', ['acp'], 'opencode-ai'),
    infoName: 'opencode',
    usageScope: 'request',
    downloads: ['https://github.com/anomalyco/opencode', 'https://github.com/sst/opencode'],
  },
  {
    ...defineAgent('copilot', 'GitHub Copilot', 'copilot', ['--acp'], '@github/copilot'),
    infoName: 'copilot',
    usageScope: 'session',
  },
  defineAgent('qwen', 'Qwen Code', 'qwen', ['--acp'], '@qwen-code/qwen-code'),
  {
    ...defineAgent('kilo', 'Kilo Code', 'kilo', ['acp'], '@kilocode/cli'),
    infoName: 'kilo',
    misnamesItself: 'opencode',
    usageScope: 'request',
  },
  { ...defineAgent('cursor', 'Cursor', 'cursor-agent', ['acp']), downloads: ['https://downloads.cursor.com/lab'] },
  { ...defineAgent('cline', 'Cline', 'cline', ['--acp'], 'cline'), cannotList: true },
  defineAgent('auggie', 'Auggie', 'auggie', ['--acp'], '@augmentcode/auggie'),
  { ...defineAgent('goose', 'goose', 'goose', ['acp']), downloads: ['https://github.com/block/goose'] },
  { ...defineAgent('kimi', 'Kimi Code', 'kimi', ['acp']), downloads: ['https://github.com/moonshotai/kimi-cli'] },
  {
    ...defineAgent('vibe', 'Mistral Vibe', 'vibe-acp', []),
    downloads: ['https://github.com/mistralai/mistral-vibe'],
  },
  defineAgent('pi', 'pi', 'pi-acp', [], 'pi-acp'),
  {
    ...defineAgent('amp-acp', 'Amp', 'amp-acp', []),
    downloads: ['https://github.com/tao12345666333/amp-acp'],
  },
];

/** Finds the known agent that a command line starts, by command name, script name or npm package. */
export function findKnownAgentByCommand(command: string, args: readonly string[]): KnownAgent | undefined {
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

/**
 * Files with instructions that known agents read by themselves, as globs in a workspace folder. Of several in one list, the agent
 * reads only the first one that exists. Files in the user's home folder and in subfolders are left out.
 */
const instructionFiles: Readonly<Record<string, readonly (readonly string[])[]>> = {
  claude: [['CLAUDE.md'], ['.claude/CLAUDE.md'], ['CLAUDE.local.md'], ['.claude/rules/**/*.md']],
  codex: [['AGENTS.override.md', 'AGENTS.md']],
  gemini: [['GEMINI.md']],
  opencode: [['AGENTS.md', 'CLAUDE.md']],
  copilot: [
    ['.github/copilot-instructions.md'],
    ['.github/instructions/**/*.instructions.md'],
    ['AGENTS.md'],
    ['CLAUDE.md'],
    ['GEMINI.md'],
  ],
  qwen: [['QWEN.md']],
  kilo: [['AGENTS.md'], ['.kilocode/rules/**/*.md']],
  cursor: [['.cursor/rules/**/*.{md,mdc}'], ['AGENTS.md'], ['CLAUDE.md']],
  cline: [['.clinerules'], ['.clinerules/**/*.{md,txt}'], ['AGENTS.md']],
  auggie: [['.augment/rules/**/*.md'], ['.augment-guidelines'], ['AGENTS.md'], ['CLAUDE.md']],
  goose: [['.goosehints'], ['AGENTS.md']],
  kimi: [['AGENTS.md']],
  pi: [['AGENTS.md', 'CLAUDE.md']],
  'amp-acp': [['AGENTS.md', 'AGENT.md', 'CLAUDE.md']],
};

/** Returns the files that a known agent reads; see `BackendEntry.instructionFiles`. Undefined if that is not known. */
export function instructionFilesOf(id: string | undefined): readonly (readonly string[])[] | undefined {
  return id === undefined ? undefined : instructionFiles[id];
}

export function findKnownAgentById(id: string | undefined): KnownAgent | undefined {
  return id === undefined ? undefined : knownAgents.find((known) => known.id === id);
}

/** Finds the known agent by the `agentInfo.name` that it reports. */
export function findKnownAgentByName(infoName: string | undefined): KnownAgent | undefined {
  const name = infoName?.toLowerCase();
  return name === undefined ? undefined : knownAgents.find((known) => known.infoName === name);
}

/**
 * Combines the traits that follow from the reported name (`infoName`) with those of the command line. What is known about
 * an agent's modes and keys never follows from a name that the agent reports itself.
 */
export function agentTraitsFrom(
  infoName: string | undefined,
  missingFile: MissingFileResult,
  commandAgentId?: string,
): AgentTraits {
  const known = findKnownAgentByName(infoName) ?? findKnownAgentById(commandAgentId);
  const isEmpty = known?.missingFileReadsAs === 'empty' || missingFile === 'empty';
  return {
    missingFileReadsAs: isEmpty ? 'empty' : 'error',
    usageScope: known?.usageScope ?? 'turn',
    losesLoadedSessions: known?.losesLoadedSessions === true,
    ...withoutUndefined({ knownAs: commandAgentId }),
  };
}

/**
 * Returns the arguments that come first if the agent's own program runs its sign-in command `program`. Undefined for
 * another program.
 */
export function ownSignInArgs(
  known: KnownAgent | undefined,
  program: string | undefined,
  agentArgs: readonly string[],
): readonly string[] | undefined {
  if (program === undefined) return agentArgs;
  if (known?.misnamesItself !== program) return undefined;
  return agentArgs.at(-1) === known.args.at(-1) ? agentArgs.slice(0, -known.args.length) : agentArgs;
}

const runtimes: ReadonlySet<string> = new Set(['node', 'bun', 'deno', 'tsx', 'electron']);

function programName(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? '').replace(/\.(exe|cmd|bat|[cm]?js)$/i, '');
}

/** Matches a package name with optional version, or a path into the package. */
function isFromPackage(word: string, npmPackage: string): boolean {
  return word.replace(/(?<=.)@.*$/, '') === npmPackage || word.includes(`/node_modules/${npmPackage}/`);
}

function defineAgent(
  id: string,
  title: string,
  command: string,
  args: readonly string[],
  npmPackage?: string,
): KnownAgent {
  const traits = { missingFileReadsAs: 'error', usageScope: 'turn', losesLoadedSessions: false } as const;
  return { id, title, command, args, ...traits, ...withoutUndefined({ npmPackage }) };
}
