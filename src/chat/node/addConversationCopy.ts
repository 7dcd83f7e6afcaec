import { logFileName, textsFolderName } from './conversationNames';
import * as path from 'node:path';
import type { ConversationHead } from '../common/chatStore';
import type { LogRecord } from '../common/conversation/logRecord';
import { CallGrowthWriter } from '../common/log/callGrowth';
import { referencedTextIds } from '../common/restore/restorePoint';
import type { FilePort } from '../../base/node/filePort';
import { ConversationTexts } from './conversationTexts';

interface ConversationFiles {
  readonly folder: string;
  readonly headFile: string;
}

/**
 * Creates a conversation with records of another one and the stored texts to which they refer. The first record says that
 * this version of Backline writes the log. Writes the log last, so
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
    await files.makeFolder(folder);
    const textsIn = (one: string): ConversationTexts => new ConversationTexts(files, path.join(one, textsFolderName));
    for (const id of referencedTextIds(records)) {
      const text = await textsIn(source).get(id);
      if (text !== undefined) await textsIn(folder).put(text);
    }
    await files.replace(headFile, JSON.stringify(head));
    // The records have been read, so that each update of a call repeats what was there before.
    const growth = new CallGrowthWriter();
    const lines = records
      .flatMap((record) => growth.shorten(record) ?? [])
      .map((record) => `${JSON.stringify(record)}\n`);
    await files.replace(path.join(folder, logFileName), lines.join(''));
  } catch (error) {
    await files.remove(folder).catch(() => undefined);
    await files.remove(headFile).catch(() => undefined);
    throw error;
  }
}
