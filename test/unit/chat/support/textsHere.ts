import * as path from 'node:path';
import type { Clock } from '../../../../src/base/common/async';
import { NodeFiles, type FilePort } from '../../../../src/base/node/filePort';
import { systemClock } from '../../../../src/base/node/systemClock';
import { ConversationIndexer } from '../../../../src/chat/node/search/conversationIndexer';
import type { FoundTexts, TextSearch } from '../../../../src/chat/node/search/textSearch';

/** The search of texts without a worker. Reads and writes nothing before it is used. */
export class TextsHere implements TextSearch {
  readonly warnings: string[] = [];
  private indexer: ConversationIndexer | undefined;

  constructor(
    private readonly root: string,
    private readonly files: FilePort = new NodeFiles(),
    private readonly clock: Clock = systemClock,
  ) {}

  get folder(): string {
    return path.join(this.root, 'index', 'texts');
  }
  update(): Promise<void> {
    return this.opened.update();
  }
  search(query: string): Promise<FoundTexts> {
    return this.opened.search(query);
  }
  async forgetDeleted(): Promise<void> {
    await this.indexer?.update();
  }
  dispose(): void {
    this.indexer = undefined;
  }

  private get opened(): ConversationIndexer {
    const { clock, files, folder, root } = this;
    const warn = (message: string): void => void this.warnings.push(message);
    return (this.indexer ??= new ConversationIndexer({ root, folder, files, clock, warn }));
  }
}
