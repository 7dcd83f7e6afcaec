/**
 * How a program is started. On Windows `npm` and what else npm installs are batch files, which only cmd.exe runs; programs
 * are started as they are everywhere, so that no shell reads their arguments.
 * @param {string} command a name on PATH, or a path
 * @param {readonly string[]} args
 * @param {NodeJS.Platform} platform
 * @returns {{ file: string, args: string[], options: { windowsVerbatimArguments?: boolean } }}
 * @throws {Error} for an argument that cmd.exe would not hand on as it is
 */
export function startable(command, args, platform) {
  const isBatch = /\.(?:cmd|bat)$/i.test(command) || ['npm', 'npx'].includes(command);
  if (platform !== 'win32' || !isBatch) return { file: command, args: [...args], options: {} };
  const line = [command, ...args].map(quoted).join(' ');
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], options: { windowsVerbatimArguments: true } };
}

/**
 * Within quotes only these mean something: `%` and `!` to cmd.exe, a quote and a last backslash to the program.
 * @param {string} text
 */
function quoted(text) {
  if (/["%!\r\n]|\\$/.test(text)) throw new Error(`cmd.exe would change this argument: ${text}`);
  return `"${text}"`;
}
