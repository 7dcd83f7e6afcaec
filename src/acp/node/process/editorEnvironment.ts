/**
 * The environment of VS Code, for other programs. VS Code gives its extensions the environment of the user's login shell, or
 * that of the terminal in which it was started. Variables that would make a Node.js or Electron program start as a part of VS
 * Code are left out.
 */
export function editorEnvironment(
  processEnv: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(processEnv).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(ELECTRON_|VSCODE_)/.test(entry[0]),
  );
  return Object.fromEntries(entries);
}
