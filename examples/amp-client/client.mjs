// A minimal client of the documented Amp IDE protocol: finds a lockfile, connects and sends a request.
// `node examples/amp-client/client.mjs --help` shows the usage.
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';

const help = `Usage: node client.mjs [--port PORT] COMMAND

  readFile PATH               print a file as the editor has it, unsaved changes included
  diagnostics                 print errors and warnings of the project
  open URI                    show a file in the editor, for example file:///path/to/file.ts#L12
  edit PATH START END TEXT    replace the bytes from START up to END with TEXT
  watch                       print selections and visible files until Ctrl+C

Paths may be relative to the folder that is open in the editor.
PORT chooses an editor when several are open. Lockfiles are in ~/.local/share/amp/ide and, when XDG_DATA_HOME is set,
in $XDG_DATA_HOME/amp/ide.`;

const timeoutMs = 10_000;
const xdgDataHome = process.env['XDG_DATA_HOME'] ?? '';
const dataFolders = [...(path.isAbsolute(xdgDataHome) ? [xdgDataHome] : []), path.join(homedir(), '.local', 'share')];
const folders = [...new Set(dataFolders)].map((dataFolder) => path.join(dataFolder, 'amp', 'ide'));

/**
 * A message from an editor: an answer or a notification.
 * @typedef {{
 *   serverResponse?: { id: string, result?: unknown, error?: { message: string } },
 *   serverNotification?: { method: object },
 * }} Message
 */

class AmpClient {
  /** @type {Map<string, { resolve: (result: unknown) => void, reject: (error: Error) => void }>} */
  pending = new Map();
  lastId = 0;

  /**
   * @param {string} url
   * @param {(notification: object) => void} onNotification
   */
  constructor(url, onNotification) {
    this.onNotification = onNotification;
    this.socket = new WebSocket(url, { handshakeTimeout: timeoutMs });
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('open', resolve);
      this.socket.once('error', reject);
    });
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.on('message', (/** @type {Buffer} */ data) => {
      this.receive(/** @type {Message} */ (parseJson(data.toString())));
    });
    this.socket.on('close', () => {
      for (const { reject } of this.pending.values()) reject(new Error('The editor closed the connection.'));
    });
  }

  /** @param {Message} message */
  receive({ serverResponse, serverNotification }) {
    if (serverNotification) this.onNotification(serverNotification.method);
    if (!serverResponse) return;
    const { id, result, error } = serverResponse;
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<unknown>}
   */
  request(method, params) {
    const id = `req-${++this.lastId}`;
    this.socket.send(JSON.stringify({ clientRequest: { id, method: { [method]: params } } }));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new Error(`The editor did not answer ${method} within ${timeoutMs / 1000} seconds.`));
      }, timeoutMs);
      this.pending.set(id, {
        resolve: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function parseJson(text) {
  return JSON.parse(text);
}

/** Returns the lockfiles, sorted by port. */
async function lockfiles() {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch(() => []);
      return names.filter((name) => name.endsWith('.json')).map((name) => path.join(folder, name));
    }),
  );
  return found.flat().sort((a, b) => Number.parseInt(path.basename(a)) - Number.parseInt(path.basename(b)));
}

/**
 * Connects to the first editor that answers. A lockfile can belong to an editor that no longer runs.
 * @param {string | undefined} wantedPort
 * @param {(notification: object) => void} onNotification
 */
async function connect(wantedPort, onNotification) {
  for (const file of await lockfiles()) {
    if (wantedPort !== undefined && path.basename(file) !== `${wantedPort}.json`) continue;
    try {
      const lockfile = /** @type {{ port: number, authToken: string, ideName: string, workspaceFolders: string[] }} */ (
        parseJson(await readFile(file, 'utf8'))
      );
      const client = new AmpClient(`ws://127.0.0.1:${lockfile.port}?auth=${lockfile.authToken}`, onNotification);
      await client.opened;
      // Not among the answers, which may be read by a program.
      console.error(
        `Connected to ${lockfile.ideName} at port ${lockfile.port}: ${lockfile.workspaceFolders.join(', ')}`,
      );
      return client;
    } catch (error) {
      console.error(`No editor behind ${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const wanted = wantedPort === undefined ? '' : ` at port ${wantedPort}`;
  const because = xdgDataHome === '' ? '' : ` (XDG_DATA_HOME is ${xdgDataHome})`;
  throw new Error(
    `No editor was found${wanted}. Open one that serves Amp; its lockfile appears in ${folders.join(' or ')}${because}.`,
  );
}

/**
 * @param {AmpClient} client
 * @param {string} command
 * @param {string[]} args
 */
async function run(client, command, [first, start, end, newText]) {
  switch (command) {
    case 'readFile': {
      const result = /** @type {{ content: string }} */ (await client.request('readFile', { path: first }));
      process.stdout.write(result.content);
      break;
    }
    case 'diagnostics':
      console.log(JSON.stringify(await client.request('getDiagnostics', {}), null, 2));
      break;
    case 'open':
      console.log(await client.request('openURI', { uri: first }));
      break;
    case 'edit': {
      const params = { path: first, start: Number(start), end: Number(end), newText };
      console.log(await client.request('editFile', params));
      break;
    }
    case 'watch':
      console.error('Waiting for selections and visible files; Ctrl+C ends it.');
      await client.closed;
      break;
    default:
      throw new Error(`There is no command ${command}.\n\n${help}`);
  }
}

/** @param {string[]} args */
async function main(args) {
  const [port, [command, ...rest]] = args[0] === '--port' ? [args[1], args.slice(2)] : [undefined, args];
  if (command === undefined || command === '--help') {
    console.log(help);
    return;
  }
  const client = await connect(port, (notification) => {
    if (command === 'watch') console.log(JSON.stringify(notification));
  });
  try {
    await run(client, command, rest);
  } finally {
    client.socket.close();
  }
}

main(process.argv.slice(2)).catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
