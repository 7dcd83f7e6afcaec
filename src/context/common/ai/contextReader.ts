import type { AskOptions, ContextClient, ContextDocument } from '../contextClient';
import type { ContextItem } from '../items/contextItem';
import type { ContextAnswer } from '../items/documentRecord';

/** A file that agents may see. */
export interface ReadableFile {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly document: ContextDocument;
}

interface ContextReaderPorts {
  readonly client: Pick<ContextClient, 'ask' | 'peek' | 'search'>;
  /** The file that a path names, opened if it is not. @throws EditorError when it is not for agents, or not there */
  readonly open: (path: string) => Promise<ReadableFile>;
  /** The file that is looked at; undefined when there is none, or none for agents. */
  readonly active: () => Promise<ReadableFile | undefined>;
  /** The path of a URI; undefined when it is no file, or none for agents. */
  readonly pathOf: (uri: string) => Promise<string | undefined>;
}

interface FileItem {
  /** Absolute. */
  readonly path: string;
  readonly item: ContextItem;
}

export interface FileItems extends ContextAnswer {
  readonly file: ReadableFile;
}

/** Items as AI may have them: never of a file that is not for agents. */
export class ContextReader {
  constructor(private readonly ports: ContextReaderPorts) {}

  /** Of a file; without a path of the one that is looked at, if there is one. @throws EditorError */
  async itemsOf(path: string | undefined, options: AskOptions = {}): Promise<FileItems | undefined> {
    const file = path === undefined ? await this.ports.active() : await this.ports.open(path);
    return file && { file, ...(await this.ports.client.ask(file.document, options)) };
  }

  /** What is known already of the file that is looked at. Asks nobody. */
  async known(): Promise<FileItems | undefined> {
    const file = await this.ports.active();
    const answer = file && this.ports.client.peek(file.document.uri);
    return answer && { file, ...answer };
  }

  /** Among all that is known. */
  async search(query: string, maxItems: number): Promise<readonly FileItem[]> {
    const paths = new Map<string, string | undefined>();
    const found: FileItem[] = [];
    for (const { uri, item } of this.ports.client.search(query)) {
      if (!paths.has(uri)) paths.set(uri, await this.ports.pathOf(uri));
      const path = paths.get(uri);
      if (path !== undefined) found.push({ path, item });
      if (found.length === maxItems) break;
    }
    return found;
  }
}
