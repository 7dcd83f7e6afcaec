// An Amp plugin. Its tool `get_diagnostics` requests diagnostics from the VS Code window in which the file is open. It
// runs inside the Amp CLI (in Bun) and must be self-contained: Backline copies the file and adds a first line with its
// version.
import { readdir, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

export const description = 'Shows Amp the problems that VS Code knows, through the Backline extension.';

/** The part of Amp's plugin API that this plugin needs. */
interface Amp {
  /** The session's folder as a file URI. The plugin itself runs in the folder that contains its file. */
  readonly system: { readonly workspaceRoot: { toString(): string } | null };
  registerTool(tool: {
    name: string;
    title: string;
    description: string;
    inputSchema: { type: 'object'; properties: Record<string, object>; required: string[] };
    execute(input: Record<string, unknown>): Promise<string>;
  }): unknown;
}

interface Window {
  readonly port: number;
  readonly authToken: string;
  /** The folder as written in the lockfile, and with links resolved. */
  readonly folder: string;
  readonly realFolder: string;
}

interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly character: number;
  readonly severity: string;
  readonly description: string;
  readonly lineContent: string;
}

const timeoutMs = 2000;
const maxListed = 200;

export default function activate(amp: Amp): void {
  amp.registerTool({
    name: 'get_diagnostics',
    title: 'Problems in VS Code',
    description:
      'Get the errors, warnings and hints that VS Code shows now for a file, or for all files in a folder. ' +
      'It sees unsaved changes. Run it after editing files.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file or folder, absolute or relative to the workspace root.' },
      },
      required: ['path'],
    },
    execute: ({ path: asked }) => getDiagnostics(asked, workspaceOf(amp)),
  });
}

/** Returns the diagnostics, or an error, as text for the model. Never rejects. */
async function getDiagnostics(asked: unknown, workspace: string): Promise<string> {
  if (typeof asked !== 'string' || asked === '') return 'Give the path of a file or folder.';
  try {
    const target = await realpath(path.resolve(workspace, asked));
    const windows = await windowsFor(target);
    if (windows.length === 0) return noWindow(target);
    let failure = '';
    for (const window of windows) {
      try {
        const inWindow = path.join(window.folder, path.relative(window.realFolder, target));
        return describe(asked, await ask(window, inWindow), workspace);
      } catch (error) {
        failure = messageOf(error);
      }
    }
    return `VS Code did not answer: ${failure}. Run "Backline: Restart Amp Server" in VS Code.`;
  } catch (error) {
    return `There are no diagnostics for ${asked}: ${messageOf(error)}.`;
  }
}

function workspaceOf({ system }: Amp): string {
  return system.workspaceRoot === null ? process.cwd() : fileURLToPath(String(system.workspaceRoot));
}

function noWindow(target: string): string {
  return (
    `No VS Code window serves ${target}. Open its folder in VS Code with the Backline extension installed ` +
    'and the setting backline.amp.enabled on.'
  );
}

/** Returns the windows whose folders contain the target. The window with the closest folder comes first. */
async function windowsFor(target: string): Promise<Window[]> {
  const lockfileFolder = path.join(dataFolder(), 'amp', 'ide');
  const names = await readdir(lockfileFolder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => windowsOf(path.join(lockfileFolder, name), target)),
  );
  return found.flat().sort((a, b) => b.realFolder.length - a.realFolder.length);
}

function dataFolder(): string {
  const configured = process.platform === 'linux' ? (process.env['XDG_DATA_HOME'] ?? '') : '';
  // This must match `ampLockfileFolders`, which follows the XDG base directory specification.
  return path.isAbsolute(configured) ? configured : path.join(homedir(), '.local', 'share');
}

/** Returns the windows of a lockfile that contain the target. Empty for other editors, ended processes, bad files. */
async function windowsOf(lockfile: string, target: string): Promise<Window[]> {
  const content = await readFile(lockfile, 'utf8').then(parse, () => undefined);
  const { port, authToken, pid, ideName, workspaceFolders } = fieldsOf(content);
  if (ideName !== 'Visual Studio Code' || typeof port !== 'number' || typeof authToken !== 'string') return [];
  if (typeof pid !== 'number' || !isAlive(pid) || !Array.isArray(workspaceFolders)) return [];
  const windows: Window[] = [];
  for (const entry of workspaceFolders) {
    if (typeof entry !== 'string') continue;
    const folder = toPath(entry);
    const realFolder = await realpath(folder).catch(() => undefined);
    if (realFolder !== undefined && contains(realFolder, target)) windows.push({ port, authToken, folder, realFolder });
  }
  return windows;
}

/** Converts a folder to a path. Lockfiles of other versions may contain URIs. */
function toPath(folder: string): string {
  try {
    return folder.startsWith('file://') ? fileURLToPath(folder) : folder;
  } catch {
    return folder;
  }
}

function contains(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function ask({ port, authToken }: Window, target: string): Promise<Diagnostic[]> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/?auth=${encodeURIComponent(authToken)}`);
    const timer = setTimeout(() => end(() => reject(new Error(`no answer within ${timeoutMs} ms`))), timeoutMs);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      settle();
      socket.close();
    };
    socket.onopen = () => socket.send(JSON.stringify({ clientRequest: { id: '1', getDiagnostics: { path: target } } }));
    socket.onerror = () => end(() => reject(new Error('the connection failed')));
    socket.onclose = () => end(() => reject(new Error('the connection was closed')));
    socket.onmessage = ({ data }) => {
      const response = fieldsOf(fieldsOf(parse(String(data)))['serverResponse']);
      if (response['id'] !== '1') return;
      const { message } = fieldsOf(response['error']);
      if (typeof message === 'string') end(() => reject(new Error(message)));
      else end(() => resolve(diagnosticsOf(response['getDiagnostics'])));
    };
  });
}

function diagnosticsOf(result: unknown): Diagnostic[] {
  return listOf(fieldsOf(result)['entries']).flatMap((entry) => {
    const { uri, diagnostics } = fieldsOf(entry);
    if (typeof uri !== 'string') return [];
    return listOf(diagnostics).map((item) => {
      const { range, severity, description: text, lineContent } = fieldsOf(item);
      const { startLine, startCharacter } = fieldsOf(range);
      return {
        file: fileURLToPath(uri),
        line: Number(startLine),
        character: Number(startCharacter),
        severity: String(severity),
        description: String(text),
        lineContent: String(lineContent),
      };
    });
  });
}

/** Formats diagnostics as text. Positions are 1-based, as in the output of compilers. */
function describe(asked: string, diagnostics: readonly Diagnostic[], workspace: string): string {
  if (diagnostics.length === 0) return `VS Code shows no problems for ${asked}.`;
  const lines = diagnostics
    .slice(0, maxListed)
    .flatMap(({ file, line, character, severity, description: text, lineContent }) => [
      `${path.relative(workspace, file)}:${line + 1}:${character + 1} ${severity}: ${text}`,
      ...(lineContent.trim() === '' ? [] : [`    ${lineContent.trim()}`]),
    ]);
  const hidden = diagnostics.length - maxListed;
  if (hidden > 0) lines.push(`… and ${hidden} more. Ask for a single file.`);
  return [`${diagnostics.length} ${diagnostics.length === 1 ? 'problem' : 'problems'} in VS Code:`, ...lines].join(
    '\n',
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the value if it is an object, and otherwise an empty object. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
