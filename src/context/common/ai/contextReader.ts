import type { ItemRequestOptions, ContextClient, ContextDocument } from '../contextClient';
import type { ContextItem } from '../items/contextItem';
import type { ContextAnswer } from '../items/documentRecord';

export interface ReadableFile {
  /** Absolute path of the file. */
  readonly path: string;
  readonly name: string;
  readonly document: ContextDocument;
}

interface ContextReaderPorts {
  readonly client: Pick<ContextClient, 'requestItems' | 'knownItems' | 'searchKnownItems'>;
  /** Opens the file at a path. @throws EditorError if agents may not read it, or it does not exist */
  readonly openFile: (path: string) => Promise<ReadableFile>;
  /** Returns the active file. Undefined if there is none that agents may read. */
  readonly activeFile: () => Promise<ReadableFile | undefined>;
  /** Returns the path of a URI. Undefined if it is not a file that agents may read. */
  readonly readablePath: (uri: string) => Promise<string | undefined>;
}

interface FileItem {
  /** Absolute path of the file. */
  readonly path: string;
  readonly item: ContextItem;
}

export interface FileItems extends ContextAnswer {
  readonly file: ReadableFile;
}

/** Provides AI features with the items of files that agents may read. */
export class ContextReader {
  constructor(private readonly ports: ContextReaderPorts) {}

  /** Returns the items of a file; default is the active file. Undefined if there is none. @throws EditorError */
  async itemsOf(path: string | undefined, options: ItemRequestOptions = {}): Promise<FileItems | undefined> {
    const file = path === undefined ? await this.ports.activeFile() : await this.ports.openFile(path);
    return file && { file, ...(await this.ports.client.requestItems(file.document, options)) };
  }

  /** Returns the items of the active file that are already known. Sends no requests to providers. */
  async knownActiveItems(): Promise<FileItems | undefined> {
    const file = await this.ports.activeFile();
    const answer = file && this.ports.client.knownItems(file.document.uri);
    return answer && { file, ...answer };
  }

  async searchKnownItems(query: string, maxItems: number): Promise<readonly FileItem[]> {
    const paths = new Map<string, string | undefined>();
    const found: FileItem[] = [];
    for (const { uri, item } of this.ports.client.searchKnownItems(query)) {
      if (!paths.has(uri)) paths.set(uri, await this.ports.readablePath(uri));
      const path = paths.get(uri);
      if (path !== undefined) found.push({ path, item });
      if (found.length === maxItems) break;
    }
    return found;
  }
}
