import type { Entry } from '../../../transcript/common/entries';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { ChatTranscript } from './chatTranscript';
import type { LogRecord } from '../conversation/logRecord';

/** Returns the untrimmed entries of a stored conversation. */
export function storedEntries(records: readonly LogRecord[], who: string): Entry[] {
  const document = new TranscriptDocument(() => undefined);
  try {
    const story = new ChatTranscript(document, who);
    for (const record of records) story.applyRecord(record);
    return [...document.entries()].map((entry) => story.writer.whole(entry.id) ?? entry);
  } finally {
    document.dispose();
  }
}
