import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import * as z from 'zod';
import { KeyedQueue, pause, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf, userMessageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import { sameToken } from '../../../wire/node/localRequest';
import { ChatError } from '../../common/chatPorts';
import { WindowRequest, type WindowRequestHandler } from '../../common/windows/otherWindows';

const requestSuffix = '.request.json';
const replySuffix = '.reply.json';
/** How long a window waits for the reply of another one, in milliseconds. */
const replyTimeoutMs = 10_000;
const replyPollMs = 50;
/** How many polls it makes before it checks again whether the other window still has its mailbox. */
const pollsPerCheck = 20;
/** Age in milliseconds after which a request is not performed, and a reply is removed: nobody waits any more. */
const maxAgeMs = 30_000;

const Letter = z.object({ conversation: z.string(), request: WindowRequest });
/** What all versions understand of a letter. */
const Envelope = z.object({ token: z.string(), at: z.number() });
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
  private watcher: Disposable | undefined;

  constructor(private readonly deps: MailboxDeps) {}

  /** Creates the folder if it is missing, and resolves to whether it was. @throws errors of the file port */
  async ensureOpen(): Promise<boolean> {
    const { files, folder } = this.deps;
    if (this.watcher && (await files.modifiedAt(folder)) !== undefined) return false;
    await files.makeFolder(folder);
    if (this.watcher) {
      this.disposables.removeWithoutDisposing(this.watcher);
      this.watcher.dispose();
    }
    // The window may have closed meanwhile: then the store disposes the watcher at once.
    this.watcher = this.disposables.add(files.watch(folder, () => void this.receive()));
    return true;
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Performs what is in the mailbox. Never rejects. */
  async receive(): Promise<void> {
    await this.queue.run('mailbox', async () => {
      const { files, folder, log } = this.deps;
      try {
        const names = this.disposables.isDisposed ? [] : await files.listNames(folder);
        for (const name of names) {
          // Requests do not wait for each other: one may wait for an agent.
          if (name.endsWith(requestSuffix))
            void this.perform(name.slice(0, -requestSuffix.length), await this.take(name));
          else if (name.endsWith(replySuffix)) await this.removeUnread(name);
        }
      } catch (error) {
        log.warn(`Cannot read the requests of other windows: ${messageOf(error)}`);
      }
    });
  }

  /** Takes a request out of the mailbox, so that it is performed once. Undefined if it cannot be read. Never rejects. */
  private async take(name: string): Promise<string | undefined> {
    const { files, folder } = this.deps;
    const taken = path.join(folder, `${name}.taken`);
    try {
      if (!(await files.moveIfExists(path.join(folder, name), taken))) return undefined;
      return await files.read(taken);
    } catch {
      return undefined;
    } finally {
      await files.remove(taken).catch(() => undefined);
    }
  }

  /** Removes a reply for which nobody waits any more. @throws errors of the file port */
  private async removeUnread(name: string): Promise<void> {
    const { clock, files, folder } = this.deps;
    const file = path.join(folder, name);
    const writtenAt = await files.modifiedAt(file);
    if (writtenAt !== undefined && clock.now() - writtenAt > maxAgeMs) await files.remove(file);
  }

  /** Performs a request that was taken, and replies to it. Never rejects. */
  private async perform(id: string, text: string | undefined): Promise<void> {
    const { files, folder, log } = this.deps;
    if (text === undefined) return;
    const error = await this.errorOf(parseJson(text));
    const reply: z.infer<typeof Reply> = error === undefined ? {} : { error };
    await files
      .replace(path.join(folder, `${id}${replySuffix}`), JSON.stringify(reply))
      .catch((problem: unknown) => log.debug(`Cannot reply to another window: ${messageOf(problem)}`));
  }

  /** Performs a request. Resolves to the message for its user if it fails. */
  private async errorOf(value: unknown): Promise<string | undefined> {
    const { clock, handle, token } = this.deps;
    const { data: envelope } = Envelope.safeParse(value);
    if (!envelope || !sameToken(envelope.token, token)) return 'The other window did not accept the request.';
    if (Math.abs(clock.now() - envelope.at) > maxAgeMs) return 'The request came too late to the other window.';
    const { data: letter } = Letter.safeParse(value);
    if (!letter) return 'The other window runs another version of Backline. Do this in that window.';
    try {
      await handle(letter.conversation, letter.request);
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
  for (let polls = 0; polls < replyTimeoutMs / replyPollMs; polls++) {
    const text = await files.read(replyFile).catch(() => undefined);
    if (text !== undefined) {
      await files.remove(replyFile).catch(() => undefined);
      const { data: reply } = Reply.safeParse(parseJson(text));
      if (!reply) throw new ChatError('readonly', 'The other window has sent an invalid reply.');
      if (reply.error !== undefined) throw new ChatError('changedMeanwhile', reply.error);
      return;
    }
    const isGone = polls % pollsPerCheck === 0 && (await files.modifiedAt(folder).catch(() => 0)) === undefined;
    if (isGone) throw new ChatError('readonly', 'The other window has closed.');
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
