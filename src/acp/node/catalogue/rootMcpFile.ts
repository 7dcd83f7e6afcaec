/** Agents that read `.mcp.json` in the workspace folder themselves, by the names of their programs: Claude Code and Copilot. */
const isReader = (name: string): boolean =>
  /^(?:claude-(?:agent|code)-acp|claude|copilot(?:-language-server)?)(?:$|[@.])/i.test(name);

/** Names of packages, also in the path of a script. Folders may have short names such as `claude` for other reasons. */
const readerPackages =
  /(?:^|[\\/])(?:claude-(?:agent|code)-acp|copilot-language-server|@github[\\/]copilot)(?:$|[\\/@.])/i;

/** Programs whose first argument that is no option names the program that they start. */
const launchers = /^(?:bunx|cmd|npx|pnpx|wsl)(?:\.exe|\.cmd)?$/i;

interface AgentCommand {
  readonly id: string;
  /** Missing for an agent on another machine. */
  readonly command?: string;
  readonly args?: readonly string[];
}

/** Whether an agent reads `.mcp.json` itself, by its id and its command line. */
export function readsRootMcpFile({ args = [], command, id }: AgentCommand): boolean {
  const program = command?.split(/[\\/]/).at(-1) ?? '';
  const started = launchers.test(program) ? args.find((word) => !/^-|^\/[a-z]$/i.test(word)) : undefined;
  const names = [id, program, started ?? ''];
  return names.some(isReader) || [command ?? '', ...args].some((word) => readerPackages.test(word));
}
