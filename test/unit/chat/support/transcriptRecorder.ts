import { SessionEvent, type SessionEventName } from '../../../../src/session/common/sessionEvents';
import { ChatTranscript } from '../../../../src/chat/common/transcript/chatTranscript';
import { LogNormalizer } from '../../../../src/chat/node/log/logNormalizer';
import type { LogRecord, NewRecord } from '../../../../src/chat/common/conversation/logRecord';
import type { Entry } from '../../../../src/transcript/common/entries';
import { TranscriptDocument } from '../../../../src/transcript/common/transcriptDocument';

/** An event of session `s`, checked as one from outside. */
export function event(name: SessionEventName, data: Readonly<Record<string, unknown>>): SessionEvent {
  return SessionEvent.parse({ event: name, data: { session_id: 's', ...data } });
}

/** A transcript that is told records, a tenth of a second apart; their events may be as any backend tells them. */
export class TranscriptRecorder {
  readonly document = new TranscriptDocument((error) => {
    throw error;
  });
  readonly transcript = new ChatTranscript(this.document, 'Agent');
  readonly records: LogRecord[] = [];
  private readonly normalizer = new LogNormalizer();
  private nowMs = 1000;

  addRecords(...records: NewRecord[]): this {
    for (const record of records) {
      const timed: LogRecord = { ...record, at: this.nowMs };
      for (const normal of this.normalizer.normalize(timed)) {
        this.records.push(normal);
        this.transcript.applyRecord(normal);
      }
      this.nowMs += 100;
    }
    return this;
  }

  addEvents(...events: SessionEvent[]): this {
    return this.addRecords(...events.map((one): NewRecord => ({ type: 'event', event: one })));
  }

  prompt(text: string, id = 'p'): this {
    return this.addRecords({ type: 'prompt', id, text, attachments: [] }).addEvents(
      event('prompt:submit', { prompt: text }),
    );
  }

  get entries(): Entry[] {
    return [...this.document.entries()];
  }

  /** The entries in short: kind, and what matters most of it. */
  get outline(): string[] {
    return this.entries.map((entry) => {
      switch (entry.kind) {
        case 'prompt':
        case 'answer':
        case 'thinking':
        case 'notice':
        case 'summary':
          return `${entry.kind}: ${entry.text}`;
        case 'tool':
          return `tool: ${entry.title} [${entry.toolKind}, ${entry.state}]`;
        case 'end':
          return `end: ${entry.outcome}`;
        case 'todos':
          return `todos: ${entry.items.map(({ status, text }) => `${text} (${status})`).join(', ')}`;
        default:
          return entry.kind;
      }
    });
  }
}
