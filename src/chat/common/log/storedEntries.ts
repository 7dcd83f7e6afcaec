import type { Entry } from '../../../transcript/common/entries';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { ChatTranscript } from '../transcript/chatTranscript';
import type { LogRecord } from '../conversation/logRecord';

/** Returns the complete entries of a stored conversation. */
export function storedEntries(records: readonly LogRecord[], backendTitle: string): Entry[] {
  const document = new TranscriptDocument(() => undefined);
  try {
    const transcript = new ChatTranscript(document, backendTitle);
    for (const record of records) transcript.applyRecord(record);
    return [...document.entries()].map((entry) => transcript.writer.fullContent(entry.id) ?? entry);
  } finally {
    document.dispose();
  }
}
