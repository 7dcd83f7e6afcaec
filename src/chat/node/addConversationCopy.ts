import * as path from 'node:path';
import type { ConversationHead } from '../common/chatStore';
import type { LogRecord } from '../common/conversation/logRecord';
import { referencedTextIds } from '../common/restore/restorePoint';
import type { FilePort } from '../../base/node/filePort';

interface ConversationFiles {
  readonly folder: string;
  readonly headFile: string;
}

/** Names of the files in a conversation's folder. */
export const logFileName = 'log.jsonl';
export const textsFolderName = 'texts';

/**
 * Creates a conversation with records of another one and the stored texts to which they refer. Writes the log last, so
 * that no window finds an incomplete conversation. If it fails, removes everything. @throws errors of the file port
 */
export async function addConversationCopy(
  files: FilePort,
  { folder, headFile }: ConversationFiles,
  head: ConversationHead,
  records: readonly LogRecord[],
  /** Absolute path of the other conversation's folder. */
  source: string,
): Promise<void> {
  try {
    await files.makeFolder(path.dirname(headFile));
    await files.makeFolder(path.join(folder, textsFolderName));
    for (const id of referencedTextIds(records)) {
      const text = await files.read(path.join(source, textsFolderName, id)).catch(() => undefined);
      if (text !== undefined) await files.createNew(path.join(folder, textsFolderName, id), text);
    }
    await files.replace(headFile, JSON.stringify(head));
    await files.replace(
      path.join(folder, logFileName),
      records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
  } catch (error) {
    await files.remove(folder).catch(() => undefined);
    await files.remove(headFile).catch(() => undefined);
    throw error;
  }
}
