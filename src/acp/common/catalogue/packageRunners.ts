const downloadingCommands: readonly (readonly [string, ...string[]])[] = [
  ['npx'],
  ['npm', 'exec'],
  ['npm', 'x'],
  ['pnpx'],
  ['pnpm', 'dlx'],
  ['yarn', 'dlx'],
  ['bunx'],
  ['bun', 'x'],
  ['uvx'],
  ['uv', 'tool'],
  ['pipx', 'run'],
  ['docker', 'run'],
  ['podman', 'run'],
];

export function mayDownloadPackage(command: string, args: readonly string[]): boolean {
  const program = (command.split(/[\\/]/).at(-1) ?? '').replace(/\.(exe|cmd|bat)$/i, '');
  const first = args.find((arg) => !arg.startsWith('-'));
  return downloadingCommands.some(([name, word]) => name === program && (word === undefined || word === first));
}
