import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../../base/common/async';
import { messageOf } from '../../../../base/common/errors';
import { ThreadError } from '../../../common/threadPorts';
import type { FileVersionKey } from '../../../../texts/node/files/fileKey';
import type { StoredHead } from '../../files/headFile';
import type { ThreadWorkerMessage } from '../threadWorkerMessages';
import { WorkerCall, type HeadBatch, type ThreadWorkerRequest } from '../threadWorkerRequests';
import { IncrementalThreadFileReader } from '../../files/incrementalThreadFileReader';
import type { DocumentToIndex } from '../../../../texts/node/segmentBuilder';
import type { TextIndex } from '../../../../texts/node/textIndex';
import { readHeadOfStoredThread, readTextsForSearch, readHead } from './headReader';
import type { HeadSaver } from './headSaver';
import type { OpenThreads } from './openThreads';

type RequestOf<Method extends ThreadWorkerRequest['method']> = Extract<ThreadWorkerRequest, { method: Method }>;

/** All thread files in these folders. */
type KnownFiles = Pick<RequestOf<'setFiles'>, 'files' | 'folders'>;

/** A value that belongs to the current folder. If the folder changes, the value is created again. */
interface FolderCache<Value> {
  readonly folder: string;
  readonly value: Promise<Value>;
}

const headsPerPart = 64;
/** Delay before heads are given to the saver, which combines them with later ones. */
const saveDelayMs = 100;
/** Before a file larger than this is read, all earlier heads are sent. */
const largeBytes = 4 * 1024 * 1024;

/**
 * Handles the requests of the extension host. Long requests run in steps, so that short ones are answered between them.
 * Code that is not needed for listing is loaded later, because the user waits for the list.
 */
export class ThreadWorker {
  private readonly fileReader = new IncrementalThreadFileReader();
  private openThreads: Promise<OpenThreads> | undefined;
  private textIndex: FolderCache<TextIndex> | undefined;
  private headSaver: FolderCache<HeadSaver> | undefined;
  private knownFiles: KnownFiles = { files: [], folders: [] };
  private activeListingCount = 0;

  constructor(
    private readonly clock: Clock,
    private readonly post: (message: ThreadWorkerMessage) => void,
  ) {}

  async handleMessage(value: unknown): Promise<void> {
    const { id, request } = WorkerCall.parse(value);
    try {
      const onPart = (part: unknown): void => this.post({ kind: 'part', id, value: part });
      this.post({ kind: 'done', id, value: await this.answerRequest(request, onPart) });
    } catch (error) {
      const code = error instanceof ThreadError ? { code: error.code } : {};
      this.post({ kind: 'failed', id, message: messageOf(error), ...code });
    }
  }

  private async answerRequest(request: ThreadWorkerRequest, onPart: (part: unknown) => void): Promise<unknown> {
    switch (request.method) {
      case 'readHeads':
        await this.readHeads(request, onPart);
        return undefined;
      case 'setFiles':
        this.knownFiles = request;
        (await this.textIndex?.value)?.setFiles(request.files, listedIn(request));
        return undefined;
      case 'indexTexts':
        return await (await this.textIndexIn(request.folder)).build(onPart);
      case 'search':
        return (await this.textIndexIn(request.folder)).search(request);
      case 'head':
        return readHead(this.fileReader, request.file, request.nowMs);
      case 'open':
        return (await this.loadOpenThreads()).open(request.thread, request.file, request.revision, request.nowMs);
      case 'count':
        return (await this.loadOpenThreads()).takeEntryCounts(request.thread);
      case 'entries':
        return (await this.loadOpenThreads()).entries(request.thread, request.from, request.to);
      case 'raw':
        return (await this.loadOpenThreads()).rawJson(request.thread, request.entryId);
      case 'close':
        (await this.loadOpenThreads()).close(request.thread);
        return undefined;
    }
  }

  private async readHeads(
    { folder, files, known, gone, nowMs }: RequestOf<'readHeads'>,
    onPart: (part: HeadBatch) => void,
  ): Promise<void> {
    const heads: StoredHead[] = [...known];
    let part: StoredHead[] = [];
    const flush = async (): Promise<void> => {
      if (part.length > 0) onPart(part);
      part = [];
      await setImmediate();
    };
    this.activeListingCount++;
    try {
      for (const file of files) {
        // If this file ends the worker, the extension host can then determine which file it was.
        if (part.length >= headsPerPart || file.sizeBytes > largeBytes) await flush();
        // The text index reads the file again later, because keeping thousands of texts until then would be more
        // expensive.
        const head = readHeadOfStoredThread(this.fileReader, file, nowMs);
        if (head === undefined) continue;
        part.push({ file, head });
        if (!head?.isBeingWritten) heads.push({ file, head });
      }
      await flush();
    } finally {
      this.activeListingCount--;
    }
    // The user waits for the list, and not for the code that saves it.
    this.clock.setTimer(saveDelayMs, () => void this.headSaverIn(folder).then((saver) => saver.add(heads, gone)));
  }

  private loadOpenThreads(): Promise<OpenThreads> {
    this.openThreads ??= import('./openThreads').then(({ OpenThreads }) => new OpenThreads(this.fileReader));
    return this.openThreads;
  }

  private headSaverIn(folder: string): Promise<HeadSaver> {
    if (this.headSaver?.folder !== folder) {
      const value = import('./headSaver').then(
        ({ HeadSaver }) => new HeadSaver(folder, this.clock, (message) => this.warn(message)),
      );
      this.headSaver = { folder, value };
    }
    return this.headSaver.value;
  }

  private textIndexIn(folder: string): Promise<TextIndex> {
    if (this.textIndex?.folder !== folder) {
      const warn = (message: string): void => this.warn(message);
      const value = import('../../../../texts/node/textIndex').then(({ TextIndex }) => {
        const read = (file: FileVersionKey): DocumentToIndex | undefined => readTextsForSearch(this.fileReader, file);
        const index = new TextIndex({ folder, read, warn, pause: () => this.yieldToRequests() });
        index.setFiles(this.knownFiles.files, listedIn(this.knownFiles));
        index.load();
        return index;
      });
      this.textIndex = { folder, value };
    }
    return this.textIndex.value;
  }

  /** Lets other requests run. If they are listings, waits until they end. */
  private async yieldToRequests(): Promise<void> {
    do await setImmediate();
    while (this.activeListingCount > 0);
  }

  private warn(message: string): void {
    this.post({ kind: 'warning', message });
  }
}

function listedIn({ folders }: KnownFiles): (file: string) => boolean {
  const all = new Set(folders);
  return (file) => all.has(path.dirname(file));
}
