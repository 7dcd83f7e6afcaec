import { quoteForPosixShell } from '../../../base/common/text/visibleText';

/** A command that starts the MCP bridge. */
export interface BridgeCommand {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How an MCP client is configured to use the tools of VS Code. */
export interface ClientConfiguration {
  readonly title: string;
  readonly text: string;
  /** What to do with the text. A sentence for the user. */
  readonly hint: string;
}

const name = 'backline';

/** Returns configurations of known MCP clients, and a general one last. `platform` decides how a shell quotes. */
export function clientConfigurations(bridge: BridgeCommand, platform: NodeJS.Platform): readonly ClientConfiguration[] {
  const { args, command, env } = bridge;
  const quote = platform === 'win32' ? quoteForWindows : quoteForPosixShell;
  const line = [command, ...args].map(quote).join(' ');
  const variables = (option: string): string =>
    Object.entries(env)
      .map(([key, value]) => `${option} ${quote(`${key}=${value}`)} `)
      .join('');
  const server = { command, ...(args.length > 0 ? { args } : {}), ...(Object.keys(env).length > 0 ? { env } : {}) };
  const json = (key: string): string => JSON.stringify({ [key]: { [name]: server } }, null, 2);
  const runHint = 'Run the copied command in a terminal.';
  return [
    {
      title: 'Claude Code',
      text: `claude mcp add --scope user ${name} ${variables('--env')}-- ${line}`,
      hint: runHint,
    },
    { title: 'Codex', text: `codex mcp add ${name} ${variables('--env')}-- ${line}`, hint: runHint },
    { title: 'Gemini CLI', text: json('mcpServers'), hint: 'Add the copied text to ~/.gemini/settings.json.' },
    { title: 'Amp CLI', text: json('amp.mcpServers'), hint: 'Add the copied text to ~/.config/amp/settings.json.' },
    {
      title: 'Another Client',
      text: json('mcpServers'),
      hint: 'Add the copied text to the client’s MCP configuration.',
    },
  ];
}

/** For cmd.exe and PowerShell. A path contains no quotation mark. */
function quoteForWindows(text: string): string {
  return /^[\w@+=:,./\\-]+$/.test(text) ? text : `"${text}"`;
}
