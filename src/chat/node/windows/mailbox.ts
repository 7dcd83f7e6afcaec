import { randomUUID, timingSafeEqual } from 'node:crypto';
import * as path from 'node:path';
import * as z from 'zod';
import { KeyedQueue, pause, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf, userMessageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import { ChatError } from '../../common/chatPorts';
import { WindowRequest, type WindowRequestHandler } from '../../common/windows/otherWindows';

const requestSuffix = '.request.json';
const replySuffix = '.reply.json';
/** How long a window waits for the reply of another one, in milliseconds. */
const replyTimeoutMs = 10_000;
const replyPollMs = 50;
/** A request that is older is not performed: nobody waits for it any more. */
const maxAgeMs = 30_000;

const Letter = z.object({ conversation: z.string(), request: WindowRequest });
const Stored = z.object({ ...Letter.shape, token: z.string(), at: z.number() });
const Reply = z.object({ error: z.string().optional() });

interface MailboxFolder {
  /** Absolute path of the folder of the mailbox. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
}

interface MailboxDeps extends MailboxFolder {
  readonly log: Logger;
  readonly token: string;
  readonly handle: WindowRequestHandler;
}

/** Receives the requests of other windows. Each is performed at most once, and its reply is put beside it. */
export class Mailbox implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly queue = new KeyedQueue();
  private isStarted = false;

  constructor(private readonly deps: MailboxDeps) {}

  /** Creates the mailbox, once. @throws errors of the file port */
  async start(): Promise<void> {
    if (this.isStarted) return;
    const { files, folder } = this.deps;
    await files.makeFolder(folder);
    this.disposables.add(files.watch(folder, () => void this.receive()));
    this.isStarted = true;
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Never rejects. */
  private async receive(): Promise<void> {
    await this.queue.run('mailbox', async () => {
      const { files, folder, log } = this.deps;
      try {
        const names = this.disposables.isDisposed ? [] : await files.listNames(folder);
        for (const name of names.filter((one) => one.endsWith(requestSuffix))) {
          const id = name.slice(0, -requestSuffix.length);
          const text = await this.take(name);
          // Requests do not wait for each other: one may wait for an agent.
          if (text !== undefined) void this.perform(id, text);
        }
      } catch (error) {
        log.warn(`Cannot read the requests of other windows: ${messageOf(error)}`);
      }
    });
  }

  /** Takes a request out of the mailbox, so that it is performed once. @throws errors of the file port */
  private async take(name: string): Promise<string | undefined> {
    const { files, folder } = this.deps;
    const taken = path.join(folder, `${name}.taken`);
    if (!(await files.moveIfExists(path.join(folder, name), taken))) return undefined;
    const text = await files.read(taken);
    await files.remove(taken);
    return text;
  }

  /** Never rejects. */
  private async perform(id: string, text: string): Promise<void> {
    const { files, folder, log } = this.deps;
    const error = await this.errorOf(text);
    const reply: z.infer<typeof Reply> = error === undefined ? {} : { error };
    await files
      .replace(path.join(folder, `${id}${replySuffix}`), JSON.stringify(reply))
      .catch((problem: unknown) => log.warn(`Cannot reply to another window: ${messageOf(problem)}`));
  }

  /** Performs a request. Resolves to the message for its user if it fails. */
  private async errorOf(text: string): Promise<string | undefined> {
    const { clock, handle, token } = this.deps;
    const { data } = Stored.safeParse(parseJson(text));
    if (!data || !isSameText(data.token, token)) return 'The other window did not accept the request.';
    if (Math.abs(clock.now() - data.at) > maxAgeMs) return 'The request came too late to the other window.';
    try {
      await handle(data.conversation, data.request);
      return undefined;
    } catch (error) {
      return userMessageOf(error);
    }
  }
}

/** Puts a request into the mailbox of another window and waits for its reply. @throws ChatError */
export async function sendToMailbox(
  mailbox: MailboxFolder,
  token: string,
  letter: z.infer<typeof Letter>,
): Promise<void> {
  const { clock, files, folder } = mailbox;
  const id = randomUUID();
  const requestFile = path.join(folder, `${id}${requestSuffix}`);
  const replyFile = path.join(folder, `${id}${replySuffix}`);
  try {
    await files.replace(requestFile, JSON.stringify({ ...letter, token, at: clock.now() }));
  } catch (error) {
    throw new ChatError('readonly', 'The other window cannot be reached.', messageOf(error));
  }
  for (let waitedMs = 0; waitedMs < replyTimeoutMs; waitedMs += replyPollMs) {
    const text = await files.read(replyFile).catch(() => undefined);
    if (text !== undefined) {
      await files.remove(replyFile).catch(() => undefined);
      const reply = Reply.safeParse(parseJson(text)).data;
      if (reply?.error !== undefined) throw new ChatError('changedMeanwhile', reply.error);
      return;
    }
    await pause(clock, replyPollMs);
  }
  // What is taken back cannot be performed any more.
  const isTakenBack = await files.moveIfExists(requestFile, `${requestFile}.late`).catch(() => false);
  await files.remove(`${requestFile}.late`).catch(() => undefined);
  throw new ChatError(
    'readonly',
    isTakenBack
      ? 'The other window does not respond. Nothing was changed.'
      : 'The other window has got this, but does not respond yet.',
  );
}

function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
