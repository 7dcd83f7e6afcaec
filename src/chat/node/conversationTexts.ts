import { createHash } from 'node:crypto';
import * as path from 'node:path';
import type { FilePort } from '../../base/node/filePort';

/** The texts of files to which the records of a conversation refer. Each is in a file that is named by its hash. */
export class ConversationTexts {
  /** `folder` is an absolute path. Created with the first text. */
  constructor(
    private readonly files: FilePort,
    private readonly folder: string,
  ) {}

  idOf(text: string): string {
    return createHash('sha256').update(text).digest('hex');
  }

  /** @throws errors of the file port */
  async put(text: string): Promise<void> {
    await this.files.makeFolder(this.folder);
    await this.files.createNew(path.join(this.folder, this.idOf(text)), text);
  }

  /** Resolves to undefined if the text is missing or damaged. */
  async get(id: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
    const text = await this.files.read(path.join(this.folder, id)).catch(() => undefined);
    return text !== undefined && this.idOf(text) === id ? text : undefined;
  }
}
