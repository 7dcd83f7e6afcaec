import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { eventually } from '../../support/eventually';

const LockfileFile = z.object({
  port: z.number(),
  authToken: z.string(),
  pid: z.number(),
  workspaceFolders: z.array(z.string()),
  ideName: z.string(),
});

export interface FoundLockfile extends z.infer<typeof LockfileFile> {
  readonly file: string;
}

const Json = z.record(z.string(), z.unknown());
/** What the server says of a request that took longer than it has for one. */
export const gaveUp = 'timed out after';

/** The lockfiles that the Amp CLI would find in a user's home. */
export async function lockfiles(home = homedir()): Promise<FoundLockfile[]> {
  const folder = path.join(home, '.local', 'share', 'amp', 'ide');
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(async (name) => {
        const file = path.join(folder, name);
        const content = await readFile(file, 'utf8').catch(() => undefined);
        return content === undefined ? [] : [{ ...LockfileFile.parse(JSON.parse(content)), file }];
      }),
  );
  return found.flat();
}

/** The one of this window, once it is there. */
export function ownLockfile(): Promise<FoundLockfile> {
  return eventually('the lockfile of this window', async () => {
    const [own] = (await lockfiles()).filter(({ pid }) => pid === process.pid);
    assert.ok(own);
    return own;
  });
}

/** A client of the Amp IDE protocol, as the CLI is one: it knows the lockfile and nothing else. */
export class AmpClient {
  /** What came without being asked for, by its name in the CLI's dialect, newest last. */
  readonly notifications: { readonly name: string; readonly data: unknown; readonly text: string }[] = [];
  closeCode: number | undefined;
  private lastId = 0;
  private readonly pending = new Map<string, (response: Record<string, unknown>) => void>();

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.receive(data.toString('utf8')));
    socket.on('close', (code) => {
      this.closeCode = code;
    });
  }

  /** The caller closes it. */
  static async connect({ port, authToken }: { port: number; authToken: string }): Promise<AmpClient> {
    const socket = new WebSocket(`ws://localhost:${port}/?auth=${encodeURIComponent(authToken)}`);
    const client = new AmpClient(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return client;
  }

  close(): void {
    this.socket.terminate();
  }

  /** In the CLI's dialect. Rejects for an error. */
  async ask(method: string, params: object): Promise<Record<string, unknown>> {
    const response = await patiently(method, params, () => this.request({ [method]: params }));
    return Json.parse(response[method]);
  }

  /** In the document's dialect. Rejects for an error. */
  async askAsDocumented(method: string, params: object): Promise<unknown> {
    const response = await patiently(method, params, () => this.request({ method: { [method]: params } }));
    return response['result'];
  }

  /** The newest notification of that name. */
  latest(name: string): Record<string, unknown> {
    const found = this.notifications.findLast((notification) => notification.name === name);
    assert.ok(found, `no ${name} yet`);
    return Json.parse(found.data);
  }

  private request(body: object): Promise<Record<string, unknown>> {
    const id = String(++this.lastId);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${JSON.stringify(body)}`)), 45_000);
      this.pending.set(id, (response) => {
        clearTimeout(timer);
        if (response['error'] === undefined) resolve(response);
        else reject(new Error(JSON.stringify(response['error'])));
      });
      this.socket.send(JSON.stringify({ clientRequest: { id, ...body } }));
    });
  }

  private receive(text: string): void {
    const message = Json.parse(JSON.parse(text));
    if (message['serverResponse'] !== undefined) {
      const response = Json.parse(message['serverResponse']);
      const id = z.string().parse(response['id']);
      this.pending.get(id)?.(response);
      this.pending.delete(id);
      return;
    }
    const [[name, data] = ['?', undefined]] = Object.entries(Json.parse(message['serverNotification']));
    this.notifications.push({ name, data, text });
  }
}

/** Asks again, as the server says, what it gave up on a busy machine; not an edit that cannot be made twice. */
async function patiently<T>(method: string, params: object, ask: () => Promise<T>): Promise<T> {
  if (method === 'editFile' && !('fullContent' in params)) return await ask();
  const { answer } = await eventually(`an answer to ${method} in time`, async () => {
    const asked = ask();
    const error: unknown = await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (String(error).includes(gaveUp)) throw error;
    return { answer: asked };
  });
  return await answer;
}
