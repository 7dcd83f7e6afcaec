import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../../../../base/common/errors';
import { parseQuery } from '../../../common/query/threadQuery';
import { ThreadError, type ThreadHit } from '../../../common/threadPorts';
import type { FileKey } from '../fileKey';
import type { StoredHead } from '../headFile';
import type { ThreadToIndex } from '../segmentBuilder';
import { TextIndex } from '../textIndex';
import { WorkerCall, type HeadPart, type WorkerMessage, type WorkerRequest } from '../workerMessages';
import { readForList, readForSearch, readHead, saveHeads } from './headReader';
import { OpenThreads } from './openThreads';

type RequestOf<Method extends WorkerRequest['method']> = Extract<WorkerRequest, { method: Method }>;

/** The host gets heads in parts of this size, and a file this large only after all that came before it. */
const headsPerPart = 64;
const largeBytes = 4 * 1024 * 1024;

/** Answers what the host asks: long work goes on in steps, so that short questions are answered between them. */
export class ThreadWorker {
  private readonly openThreads = new OpenThreads();
  private texts: { readonly folder: string; readonly index: TextIndex } | undefined;
  private known: { readonly files: readonly FileKey[]; readonly folders: readonly string[] } = {
    files: [],
    folders: [],
  };
  private listing = 0;

  constructor(private readonly post: (message: WorkerMessage) => void) {}

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

  private answer(request: WorkerRequest, onPart: (part: unknown) => void): unknown {
    switch (request.method) {
      case 'heads':
        return this.readHeads(request, onPart);
      case 'know':
        this.known = request;
        this.texts?.index.know(request.files, request.folders);
        return undefined;
      case 'texts':
        return this.textIndex(request.folder).build(onPart);
      case 'search':
        return this.search(request);
      case 'open':
        return this.openThreads.open(request.thread, request.file, request.revision, request.nowMs);
      case 'head':
        return readHead(request.file, request.nowMs);
      case 'count':
        return this.openThreads.count(request.thread);
      case 'entries':
        return this.openThreads.entries(request.thread, request.from, request.to);
      case 'raw':
        return this.openThreads.rawJson(request.thread, request.entryId);
      case 'close':
        this.openThreads.close(request.thread);
        return undefined;
    }
  }

  private async readHeads(
    { folder, files, gone, nowMs }: RequestOf<'heads'>,
    onPart: (part: HeadPart) => void,
  ): Promise<void> {
    const all: StoredHead[] = [];
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
        all.push({ file, head });
      }
      await flush();
    } finally {
      this.listing--;
    }
    this.save(folder, all, gone);
  }

  private save(folder: string, heads: readonly StoredHead[], gone: readonly string[]): void {
    try {
      saveHeads(folder, heads, gone);
    } catch (error) {
      this.warn(`The index of threads could not be saved: ${messageOf(error)}`);
    }
  }

  private search({ folder, query, limit, nowMs }: RequestOf<'search'>): readonly ThreadHit[] {
    return this.textIndex(folder).search({ query: parseQuery(query), limit, nowMs });
  }

  private textIndex(folder: string): TextIndex {
    if (this.texts?.folder !== folder) {
      const index = new TextIndex({
        folder,
        read: readTexts,
        warn: (message) => this.warn(message),
        pause: () => this.pause(),
      });
      index.know(this.known.files, this.known.folders);
      index.load();
      this.texts = { folder, index };
    }
    return this.texts.index;
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

/** One that cannot be read has no texts, and is not tried again until it changes. Undefined for a file that has vanished. */
function readTexts(file: FileKey): ThreadToIndex | undefined {
  const thread = readForSearch(file);
  if (!thread) return undefined;
  const { head, texts } = thread;
  const threadId = basename(file.path, '.json');
  return { file, threadId, title: head?.title ?? '', lastPromptAt: head?.lastPromptAt ?? file.mtimeMs, texts };
}
