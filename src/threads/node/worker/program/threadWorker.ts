import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../../base/common/async';
import { messageOf } from '../../../../base/common/errors';
import { ThreadError } from '../../../common/threadPorts';
import type { StoredHead } from '../../files/headFile';
import type { HeadPart, WorkerMessage } from '../threadWorkerMessages';
import { WorkerCall, type WorkerRequest } from '../threadWorkerRequests';
import type { TextIndex } from '../../texts/textIndex';
import { readForList, readForSearch, readHead } from './headReader';
import type { HeadSaver } from './headSaver';
import type { OpenThreads } from './openThreads';

type RequestOf<Method extends WorkerRequest['method']> = Extract<WorkerRequest, { method: Method }>;

/** The files that there are, and the folders they are all files of. */
type KnownFiles = Pick<RequestOf<'know'>, 'files' | 'folders'>;

/** What is kept for a folder, and made anew for another one. */
interface Kept<Value> {
  readonly folder: string;
  readonly value: Promise<Value>;
}

/** The host gets heads in parts of this size, and a file this large only after all that came before it. */
const headsPerPart = 64;
const largeBytes = 4 * 1024 * 1024;

/**
 * Answers what the host asks: long work goes on in steps, so that short questions are answered between them. A list is the
 * first that is asked, and somebody waits for it: what it does not need is loaded when it is.
 */
export class ThreadWorker {
  private openThreads: Promise<OpenThreads> | undefined;
  private texts: Kept<TextIndex> | undefined;
  private saver: Kept<HeadSaver> | undefined;
  private known: KnownFiles = { files: [], folders: [] };
  private listing = 0;

  constructor(
    private readonly clock: Clock,
    private readonly post: (message: WorkerMessage) => void,
  ) {}

  async handle(value: unknown): Promise<void> {
    const { id, request } = WorkerCall.parse(value);
    try {
      this.post({
        kind: 'done',
        id,
        value: await this.answer(request, (part) => this.post({ kind: 'part', id, value: part })),
      });
    } catch (error) {
      const code = error instanceof ThreadError ? { code: error.code } : {};
      this.post({ kind: 'failed', id, message: messageOf(error), ...code });
    }
  }

  private async answer(request: WorkerRequest, onPart: (part: unknown) => void): Promise<unknown> {
    switch (request.method) {
      case 'heads':
        await this.readHeads(request, onPart);
        return undefined;
      case 'know':
        this.known = request;
        (await this.texts?.value)?.know(request.files, request.folders);
        return undefined;
      case 'texts':
        return await (await this.textsIn(request.folder)).build(onPart);
      case 'search':
        return (await this.textsIn(request.folder)).search(request);
      case 'head':
        return readHead(request.file, request.nowMs);
      case 'open':
        return (await this.opened()).open(request.thread, request.file, request.revision, request.nowMs);
      case 'count':
        return (await this.opened()).count(request.thread);
      case 'entries':
        return (await this.opened()).entries(request.thread, request.from, request.to);
      case 'raw':
        return (await this.opened()).rawJson(request.thread, request.entryId);
      case 'close':
        (await this.opened()).close(request.thread);
        return undefined;
    }
  }

  private async readHeads(
    { folder, files, read, gone, nowMs }: RequestOf<'heads'>,
    onPart: (part: HeadPart) => void,
  ): Promise<void> {
    const all: StoredHead[] = [...read];
    let part: StoredHead[] = [];
    const flush = async (): Promise<void> => {
      if (part.length > 0) onPart(part);
      part = [];
      await setImmediate();
    };
    this.listing++;
    try {
      for (const file of files) {
        // Should it be too much for the worker, the host knows which one it was.
        if (part.length >= headsPerPart || file.sizeBytes > largeBytes) await flush();
        // Its text waits for the search to be built: what is kept of thousands until then costs more than a second reading.
        const head = readForList(file, nowMs);
        if (head === undefined) continue;
        part.push({ file, head });
        if (!head?.isBeingWritten) all.push({ file, head });
      }
      await flush();
    } finally {
      this.listing--;
    }
    void this.saverOf(folder).then((saver) => saver.add(all, gone));
  }

  private opened(): Promise<OpenThreads> {
    this.openThreads ??= import('./openThreads').then(({ OpenThreads }) => new OpenThreads());
    return this.openThreads;
  }

  private saverOf(folder: string): Promise<HeadSaver> {
    if (this.saver?.folder !== folder) {
      const value = import('./headSaver').then(
        ({ HeadSaver }) => new HeadSaver(folder, this.clock, (message) => this.warn(message)),
      );
      this.saver = { folder, value };
    }
    return this.saver.value;
  }

  private textsIn(folder: string): Promise<TextIndex> {
    if (this.texts?.folder !== folder) {
      const warn = (message: string): void => this.warn(message);
      const value = import('../../texts/textIndex').then(({ TextIndex }) => {
        const index = new TextIndex({ folder, read: readForSearch, warn, pause: () => this.pause() });
        index.know(this.known.files, this.known.folders);
        index.load();
        return index;
      });
      this.texts = { folder, value };
    }
    return this.texts.value;
  }

  /** The list goes first. */
  private async pause(): Promise<void> {
    do await setImmediate();
    while (this.listing > 0);
  }

  private warn(message: string): void {
    this.post({ kind: 'warning', message });
  }
}
