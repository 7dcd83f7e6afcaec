import * as path from 'node:path';
import { errorCode } from '../../../base/common/errors';
import type { FilePort } from '../../../base/node/filePort';
import type { SearchableText, TextKind } from '../../../texts/common/searchableText';
import type { FileVersionKey } from '../../../texts/node/files/fileKey';
import type { DocumentToIndex } from '../../../texts/node/segmentBuilder';
import type { Entry } from '../../../transcript/common/entries';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { ChatTranscript } from '../../common/transcript/chatTranscript';
import { LogReader } from '../log/logReader';

/**
 * Reads what can be found in the log of a conversation: prompts, answers, and the titles and commands of tool calls, but not
 * what tools have returned, and no attachments, as these can be files that are excluded. The entries are those of the
 * transcript. Undefined if there is no log. @throws errors of the file port
 */
export async function readLogTexts(files: FilePort, file: FileVersionKey): Promise<DocumentToIndex | undefined> {
  const document = new TranscriptDocument(() => undefined);
  const transcript = new ChatTranscript(document, '');
  let lastAt = 0;
  try {
    await new LogReader(files, file.path).read((records) => {
      for (const record of records) {
        transcript.applyRecord(record);
        lastAt = record.at;
      }
    }, true);
    const texts = [...document.entries()].flatMap((entry) => textsOf(transcript.writer.fullContent(entry.id) ?? entry));
    return { file, documentId: path.basename(path.dirname(file.path)), title: '', lastPromptAt: lastAt, texts };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  } finally {
    document.dispose();
  }
}

function textsOf(entry: Entry): readonly SearchableText[] {
  const text = (kind: TextKind, value: string): SearchableText[] =>
    value.trim() === '' ? [] : [{ entryId: entry.id, kind, text: value }];
  switch (entry.kind) {
    case 'prompt':
    case 'answer':
      return text(entry.kind, entry.text);
    case 'tool': {
      const commands = entry.parts.flatMap((part) => (part.type === 'terminal' ? (part.command ?? []) : []));
      const others = commands.filter((command) => !entry.title.includes(command));
      return text('command', [entry.title, ...others].join('\n'));
    }
    default:
      return [];
  }
}
