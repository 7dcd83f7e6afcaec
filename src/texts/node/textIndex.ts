import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import * as path from 'node:path';
import { messageOf } from '../../base/common/errors';
import { parseQuery } from '../common/textQuery';
import type { TextHit } from '../common/bestHits';
import type { TextCoverage } from '../common/searchableText';
import { GrowableBuffer } from './growableBuffer';
import { isSameFileVersion, type FileVersionKey } from './files/fileKey';
import { IndexLock } from './files/indexLock';
import { SegmentBuilder, type DocumentToIndex } from './segmentBuilder';
import { searchSegments, type SearchRequest } from './segmentSearch';
import { readManifest, removeOrphans, writeManifest } from './textManifest';
import { encodeSegment, TextSegment, type SegmentDocument } from './textSegment';
import { writeFileAtomically } from './files/atomicWrite';

export interface TextIndexDeps {
  /** Absolute path of the index folder. Created when needed. */
  readonly folder: string;
  /** Reads a document. Undefined if the file no longer exists. */
  readonly read: (file: FileVersionKey) => DocumentToIndex | undefined | Promise<DocumentToIndex | undefined>;
  readonly warn: (message: string) => void;
  /** Lets other work run. Rejects if indexing should stop. */
  readonly pause: () => Promise<void>;
  /** Target size of a segment, in bytes. */
  readonly segmentBytes?: number;
}

interface TextSearchRequest extends Omit<SearchRequest, 'query'> {
  /** The query as the user has typed it; see `parseQuery`. */
  readonly query: string;
}

/** Fewer large segments repeat fewer words and are faster to search. */
const defaultSegmentBytes = 32 * 1024 * 1024;
const smallBytes = 4 * 1024 * 1024;
const maxSmallSegments = 8;
/** Maximum size of texts that are kept in memory if the folder is not writable, in bytes. */
const maxMemoryBytes = 256 * 1024 * 1024;

/**
 * A full-text index of all documents. All windows share its segments, and lock the index only to write to it. If the
 * folder is not writable, new segments are kept in memory. Works synchronously between pauses, so use it only in a worker.
 */
export class TextIndex {
  private segments: readonly TextSegment[] = [];
  private fileByPath: ReadonlyMap<string, FileVersionKey> = new Map();
  private isListed: (path: string) => boolean = () => false;
  /** The newest indexed version of each file, by path. */
  private newestDocumentByPath = new Map<
    string,
    { readonly segment: TextSegment; readonly document: SegmentDocument }
  >();
  private isStoredInMemory = false;

  constructor(private readonly deps: TextIndexDeps) {}

  /**
   * Sets the files to index. `isListed` tells whether a path would be among them if its file were still there. All other
   * documents belong to other windows and stay in the index.
   */
  setFiles(files: readonly FileVersionKey[], isListed: (path: string) => boolean): void {
    this.fileByPath = new Map(files.map((file) => [file.path, file]));
    this.isListed = isListed;
  }

  /** The files whose newest version is not indexed. */
  get unindexedFiles(): readonly FileVersionKey[] {
    return [...this.fileByPath.values()].filter((file) => !this.isIndexed(file));
  }

  /** Indexes new and changed files. If `isDone` is false, another window is building the index; call again later. */
  async build(onProgress: (coverage: TextCoverage) => void): Promise<{ isDone: boolean; isOnDisk: boolean }> {
    const isDone = await this.buildSegments(onProgress);
    return { isDone, isOnDisk: !this.isStoredInMemory };
  }

  private async buildSegments(onProgress: (coverage: TextCoverage) => void): Promise<boolean> {
    if (!this.isStoredInMemory) this.load();
    const todo = this.unindexedFiles;
    onProgress({ indexed: this.fileByPath.size - todo.length, total: this.fileByPath.size });
    if (todo.length === 0 && !this.hasGone) return true;
    const lock = this.isStoredInMemory ? undefined : this.acquireLock();
    if (!lock && !this.isStoredInMemory) return false;
    try {
      // Another window may have written segments before this one acquired the lock.
      if (lock) this.load();
      const unindexed = todo.filter((file) => !this.isIndexed(file));
      await this.indexFiles(unindexed, lock, onProgress);
      await this.compact(lock);
      const names = this.segments.map(({ file }) => path.basename(file));
      if (!this.isStoredInMemory) removeOrphans(this.deps.folder, names);
    } finally {
      lock?.dispose();
    }
    return true;
  }

  /** Searches the indexed files. If another window has replaced segments, loads the index again and retries once. */
  search({ query, limit, nowMs }: TextSearchRequest): readonly TextHit[] {
    const request = { query: parseQuery(query), limit, nowMs };
    const scope = {
      isCurrent: (document: SegmentDocument, segment: TextSegment) =>
        this.fileByPath.has(document.file.path) &&
        this.newestDocumentByPath.get(document.file.path)?.segment === segment,
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

  /** Loads the index from disk. An invalid index is treated as empty. */
  load(): void {
    const { folder, warn } = this.deps;
    this.isStoredInMemory = false;
    const known = new Map(this.segments.map((segment) => [path.basename(segment.file), segment]));
    try {
      const names = readManifest(folder);
      this.setSegments(names.map((name) => known.get(name) ?? TextSegment.load(path.join(folder, name))));
    } catch (error) {
      warn(`Rebuilding a text index: ${messageOf(error)}.`);
      this.setSegments([]);
    }
  }

  private setSegments(segments: readonly TextSegment[]): void {
    this.segments = segments;
    this.newestDocumentByPath = new Map(
      segments.flatMap((segment) => segment.documents.map((document) => [document.file.path, { segment, document }])),
    );
  }

  /** Returns undefined while another window builds the index, or if the folder is not writable. */
  private acquireLock(): IndexLock | undefined {
    const { folder } = this.deps;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return IndexLock.tryAcquire(path.join(folder, 'texts.lock'));
    } catch (error) {
      this.switchToMemory(error);
      return undefined;
    }
  }

  private switchToMemory(error: unknown): void {
    const { folder, warn } = this.deps;
    this.isStoredInMemory = true;
    warn(`Cannot store the text index in ${folder}, using memory instead: ${messageOf(error)}`);
  }

  private get segmentBytes(): number {
    return this.deps.segmentBytes ?? defaultSegmentBytes;
  }

  private get hasGone(): boolean {
    return this.segments.some(({ documents }) => documents.some(({ file }) => this.isGone(file)));
  }

  private get isMemoryFull(): boolean {
    const memoryBytes = this.segments.reduce((bytes, segment) => bytes + segment.memoryBytes, 0);
    return this.isStoredInMemory && memoryBytes >= maxMemoryBytes;
  }

  private isIndexed(file: FileVersionKey): boolean {
    const newest = this.newestDocumentByPath.get(file.path);
    return newest !== undefined && isSameFileVersion(newest.document.file, file);
  }

  private async indexFiles(
    files: readonly FileVersionKey[],
    lock: IndexLock | undefined,
    onProgress: (coverage: TextCoverage) => void,
  ): Promise<void> {
    const texts = new GrowableBuffer();
    let builder = new SegmentBuilder(texts);
    let leftCount = files.length;
    for (const file of files) {
      if (this.isMemoryFull) return;
      await this.deps.pause();
      const document = await this.deps.read(file);
      if (document) builder.add(document);
      leftCount--;
      if (builder.sizeBytes < this.segmentBytes && leftCount > 0) continue;
      lock?.renewLock();
      if (!builder.isEmpty) this.saveAndSetSegments([...this.segments, this.writeSegment(builder)]);
      builder = new SegmentBuilder(texts);
      onProgress({ indexed: this.fileByPath.size - leftCount, total: this.fileByPath.size });
    }
  }

  /**
   * Merges small segments, and drops outdated documents. What was deleted does not stay in a segment. Takes no more memory than
   * two segments, however many are written anew.
   */
  private async compact(lock: IndexLock | undefined): Promise<void> {
    const outdated = this.segments.filter(
      (segment) =>
        this.currentDocumentsOf(segment).length * 2 < segment.documents.length ||
        segment.documents.some(({ file }) => this.isGone(file)),
    );
    const small = this.segments.filter(({ sizeBytes }) => sizeBytes < smallBytes);
    const merged = new Set([...outdated, ...(small.length > maxSmallSegments ? small : [])]);
    if (merged.size === 0) return;
    const texts = new GrowableBuffer();
    let builder = new SegmentBuilder(texts);
    let leftCount = merged.size;
    const written: TextSegment[] = [];
    for (const segment of merged) {
      await this.deps.pause();
      lock?.renewLock();
      builder.copyFrom(segment, this.currentDocumentsOf(segment));
      segment.close();
      leftCount--;
      if (builder.sizeBytes < this.segmentBytes && leftCount > 0) continue;
      if (!builder.isEmpty) written.push(this.writeSegment(builder));
      builder = new SegmentBuilder(texts);
    }
    this.saveAndSetSegments([...this.segments.filter((segment) => !merged.has(segment)), ...written]);
  }

  /** Returns the documents in a segment whose files still exist and that are in no newer segment. */
  private currentDocumentsOf(segment: TextSegment): readonly SegmentDocument[] {
    return segment.documents.filter(({ file }) => {
      return !this.isGone(file) && this.newestDocumentByPath.get(file.path)?.segment === segment;
    });
  }

  private isGone({ path }: FileVersionKey): boolean {
    return !this.fileByPath.has(path) && this.isListed(path);
  }

  private writeSegment(builder: SegmentBuilder): TextSegment {
    const file = path.join(this.deps.folder, `${randomUUID()}.seg`);
    const content = builder.build();
    try {
      if (this.isStoredInMemory) return TextSegment.createInMemory(file, content);
      writeFileAtomically(file, ...encodeSegment(content));
      return TextSegment.load(file);
    } catch (error) {
      this.switchToMemory(error);
      return TextSegment.createInMemory(file, content);
    }
  }

  private saveAndSetSegments(segments: readonly TextSegment[]): void {
    const names = segments.map(({ file }) => path.basename(file));
    try {
      if (!this.isStoredInMemory) writeManifest(this.deps.folder, names);
    } catch (error) {
      this.switchToMemory(error);
    }
    this.setSegments(segments);
  }
}
