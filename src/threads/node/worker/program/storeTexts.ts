import { basename } from 'node:path';
import { parseQuery } from '../../../common/query/threadQuery';
import type { TextCoverage, ThreadHit } from '../../../common/threadPorts';
import type { FileKey } from '../../files/fileKey';
import type { ThreadToIndex } from '../../texts/segmentBuilder';
import { TextIndex, type TextIndexPorts } from '../../texts/textIndex';
import type { TextsBuilt } from '../threadWorkerMessages';
import { readForSearch } from './headReader';

/** The files that there are, and the folders they are all files of. */
export interface KnownFiles {
  readonly files: readonly FileKey[];
  readonly folders: readonly string[];
}

interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  readonly nowMs: number;
}

/** The text of the threads in a few folders, read from their files. */
export class StoreTexts {
  private readonly index: TextIndex;

  constructor(ports: Omit<TextIndexPorts, 'read'>, { files, folders }: KnownFiles) {
    this.index = new TextIndex({ ...ports, read: readTexts });
    this.index.know(files, folders);
    this.index.load();
  }

  know({ files, folders }: KnownFiles): void {
    this.index.know(files, folders);
  }

  async build(onProgress: (coverage: TextCoverage) => void): Promise<TextsBuilt> {
    const isDone = await this.index.build(onProgress);
    return { isDone, isKept: this.index.isKept };
  }

  search({ query, limit, nowMs }: SearchRequest): readonly ThreadHit[] {
    return this.index.search({ query: parseQuery(query), limit, nowMs });
  }
}

/** One that cannot be read has no texts, and is not tried again until it changes. Undefined for a file that has vanished. */
function readTexts(file: FileKey): ThreadToIndex | undefined {
  const thread = readForSearch(file);
  return thread && { file, threadId: basename(file.path, '.json'), ...thread };
}
