import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import * as path from 'node:path';
import { messageOf } from '../../../base/common/errors';
import { parseQuery } from '../../common/query/threadQuery';
import type { TextCoverage, ThreadHit } from '../../common/threadPorts';
import { Arena } from './arena';
import { isSameFile, type FileKey } from '../files/fileKey';
import { IndexLock } from '../files/indexLock';
import { SegmentBuilder, type ThreadToIndex } from './segmentBuilder';
import { searchSegments, type SearchRequest } from './segmentSearch';
import { readManifest, removeOrphans, writeManifest } from './textManifest';
import { encodeSegment, TextSegment, type SegmentThread } from './textSegment';
import { writeWholeFile } from '../files/wholeFile';

export interface TextIndexPorts {
  /** Of the index; made when it is written. */
  readonly folder: string;
  /** Undefined for a file that has vanished or cannot be read. */
  readonly read: (file: FileKey) => ThreadToIndex | undefined;
  readonly warn: (message: string) => void;
  /** Lets others run; rejects to stop. */
  readonly pause: () => Promise<void>;
}

interface TextsBuilt {
  readonly isDone: boolean;
  readonly isKept: boolean;
}

interface TextQuestion extends Omit<SearchRequest, 'query'> {
  /** As it was typed, see `parseQuery`. */
  readonly query: string;
}

/** Each segment has the words of all its threads once: fewer of them are smaller together, and searched sooner. */
const segmentBytes = 32 * 1024 * 1024;
const smallBytes = 4 * 1024 * 1024;
const maxSmallSegments = 8;
/** What is kept of texts in memory at most, where nothing can be written. */
const maxTextsInMemory = 256 * 1024 * 1024;

/**
 * The text of all threads, for a search. Segments are shared with other windows, whoever wrote them; only who builds takes
 * the lock. Where the folder cannot be written, what is new is kept in memory. Runs in a worker: it reads and writes as it
 * stands.
 */
export class TextIndex {
  private segments: readonly TextSegment[] = [];
  private files: ReadonlyMap<string, FileKey> = new Map();
  private folders: ReadonlySet<string> = new Set();
  /** Of each file: the newest segment that has it. */
  private owners = new Map<string, { readonly segment: TextSegment; readonly thread: SegmentThread }>();
  private isInMemory = false;

  constructor(private readonly ports: TextIndexPorts) {}

  /** Which files there are. Those of other folders are another window's, and stay. */
  know(files: readonly FileKey[], folders: readonly string[]): void {
    this.files = new Map(files.map((file) => [file.path, file]));
    this.folders = new Set(folders);
  }

  /**
   * Takes in what is new and what has changed.
   * @returns whether all is done: else another window is at it, and its work can be had by calling again later; and whether
   * it is on disk, for another worker and other windows
   */
  async build(onProgress: (coverage: TextCoverage) => void): Promise<TextsBuilt> {
    const isDone = await this.buildNow(onProgress);
    return { isDone, isKept: !this.isInMemory };
  }

  private async buildNow(onProgress: (coverage: TextCoverage) => void): Promise<boolean> {
    if (!this.isInMemory) this.load();
    const todo = [...this.files.values()].filter((file) => !this.has(file));
    onProgress({ indexed: this.files.size - todo.length, total: this.files.size });
    if (todo.length === 0) return true;
    const lock = this.isInMemory ? undefined : this.takeLock();
    if (!lock && !this.isInMemory) return false;
    try {
      // What another window wrote until the lock was ours.
      if (lock) this.load();
      await this.addAll(
        todo.filter((file) => !this.has(file)),
        lock,
        onProgress,
      );
      this.compact();
      if (!this.isInMemory) this.removeOrphans();
    } finally {
      lock?.dispose();
    }
    return true;
  }

  /** What is not indexed yet is not found. Segments that vanish under it are those of before another window's work. */
  search({ query, limit, nowMs }: TextQuestion): readonly ThreadHit[] {
    const request = { query: parseQuery(query), limit, nowMs };
    const scope = {
      isCurrent: (thread: SegmentThread, segment: TextSegment) =>
        this.files.has(thread.file.path) && this.owners.get(thread.file.path)?.segment === segment,
    };
    try {
      return searchSegments({ ...scope, segments: this.segments }, request);
    } catch {
      this.load();
      return searchSegments({ ...scope, segments: this.segments }, request);
    } finally {
      for (const segment of this.segments) segment.close();
    }
  }

  /** What is on disk now. An index that cannot be used is an empty one. */
  load(): void {
    const { folder, warn } = this.ports;
    this.isInMemory = false;
    const known = new Map(this.segments.map((segment) => [path.basename(segment.file), segment]));
    try {
      this.take(readManifest(folder).map((name) => known.get(name) ?? TextSegment.load(path.join(folder, name))));
    } catch (error) {
      warn(`The index of thread texts is made anew: ${messageOf(error)}.`);
      this.take([]);
    }
  }

  private take(segments: readonly TextSegment[]): void {
    this.segments = segments;
    this.owners = new Map(
      segments.flatMap((segment) => segment.threads.map((thread) => [thread.file.path, { segment, thread }])),
    );
  }

  /** Undefined while another window builds, and where nothing can be written. */
  private takeLock(): IndexLock | undefined {
    const { folder } = this.ports;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return IndexLock.tryTake(path.join(folder, 'texts.lock'));
    } catch (error) {
      this.goOnInMemory(error);
      return undefined;
    }
  }

  private goOnInMemory(error: unknown): void {
    const { folder, warn } = this.ports;
    this.isInMemory = true;
    warn(
      `The texts of threads cannot be kept in ${folder}: ${messageOf(error)}. They are searched in memory, and read again by the next window.`,
    );
  }

  private get isFull(): boolean {
    const inMemory = this.segments.reduce((bytes, segment) => bytes + segment.textsInMemory, 0);
    return this.isInMemory && inMemory >= maxTextsInMemory;
  }

  private removeOrphans(): void {
    const names = this.segments.map(({ file }) => path.basename(file));
    removeOrphans(this.ports.folder, names);
  }

  private has(file: FileKey): boolean {
    const owner = this.owners.get(file.path);
    return owner !== undefined && isSameFile(owner.thread.file, file);
  }

  private async addAll(
    files: readonly FileKey[],
    lock: IndexLock | undefined,
    onProgress: (coverage: TextCoverage) => void,
  ): Promise<void> {
    const texts = new Arena();
    let builder = new SegmentBuilder(texts);
    let left = files.length;
    for (const file of files) {
      if (this.isFull) return;
      await this.ports.pause();
      const thread = this.ports.read(file);
      if (thread) builder.add(thread);
      left--;
      if (builder.bytes < segmentBytes && left > 0) continue;
      lock?.touch();
      if (!builder.isEmpty) this.append(builder);
      builder = new SegmentBuilder(texts);
      onProgress({ indexed: this.files.size - left, total: this.files.size });
    }
  }

  private append(builder: SegmentBuilder): void {
    this.replace([...this.segments, this.write(builder)]);
  }

  /** Makes one of many small segments, and leaves out what is dead. */
  private compact(): void {
    const worn = this.segments.filter((segment) => this.liveThreads(segment).length * 2 < segment.threads.length);
    const small = this.segments.filter(({ bytes }) => bytes < smallBytes);
    const merged = new Set([...worn, ...(small.length > maxSmallSegments ? small : [])]);
    if (merged.size === 0) return;
    const builder = new SegmentBuilder(new Arena());
    for (const segment of merged) {
      builder.copy(this.liveThreads(segment), segment);
      segment.close();
    }
    const others = this.segments.filter((segment) => !merged.has(segment));
    this.replace(builder.isEmpty ? others : [...others, this.write(builder)]);
  }

  /** Those whose file is in no other segment since, and not gone. */
  private liveThreads(segment: TextSegment): readonly SegmentThread[] {
    return segment.threads.filter(({ file }) => {
      const isGone = !this.files.has(file.path) && this.folders.has(path.dirname(file.path));
      return !isGone && this.owners.get(file.path)?.segment === segment;
    });
  }

  private write(builder: SegmentBuilder): TextSegment {
    const file = path.join(this.ports.folder, `${randomUUID()}.seg`);
    const content = builder.build();
    try {
      if (this.isInMemory) return TextSegment.inMemory(file, content);
      writeWholeFile(file, ...encodeSegment(content));
      return TextSegment.load(file);
    } catch (error) {
      this.goOnInMemory(error);
      return TextSegment.inMemory(file, content);
    }
  }

  private replace(segments: readonly TextSegment[]): void {
    const names = segments.map(({ file }) => path.basename(file));
    try {
      if (!this.isInMemory) writeManifest(this.ports.folder, names);
    } catch (error) {
      this.goOnInMemory(error);
    }
    this.take(segments);
  }
}
