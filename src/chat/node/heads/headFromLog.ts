import type { ConversationHead } from '../../common/chatStore';
import {
  isPrompt,
  logVersion,
  unreadablePreset,
  type LogRecord,
  type RecordOf,
} from '../../common/conversation/logRecord';
import { shortTitle } from '../../common/conversations/conversationTitle';
import { movedPath } from '../../common/conversations/conversationPlace';
import type { LogReader } from '../log/logReader';

/** Derives the head of a conversation from its records, which are added in their order. */
class HeadBuilder {
  private begin: RecordOf<'begin'> | undefined;
  private prompt: RecordOf<'prompt'> | undefined;
  /** Also one that was only queued. */
  private firstPrompt: RecordOf<'prompt' | 'queued' | 'steered'> | undefined;
  /** A fork also contains records of other sessions. */
  private bound: RecordOf<'bound' | 'forked'> | undefined;
  private forked: RecordOf<'forked'> | undefined;
  /** The folders in which it has worked last, as its checkpoints name them. */
  private folders: readonly string[] = [];
  private createdAt: number | undefined;
  private updatedAt = 0;

  add(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.createdAt ??= record.at;
      this.updatedAt = record.at;
      if (isPrompt(record)) this.firstPrompt ??= record;
      if (record.type === 'begin') this.begin ??= record;
      else if (record.type === 'prompt') this.prompt ??= record;
      else if (record.type === 'bound') this.bound = record;
      else if (record.type === 'forked') this.bound = this.forked = record;
      else if (record.type === 'checkpoint' && record.folders.length > 0) {
        this.folders = record.folders.map(({ folder }) => folder);
      } else if (record.type === 'relocated') {
        this.folders = this.folders.map((folder) => movedPath(folder, record.moves) ?? folder);
      }
    }
  }

  head(id: string): ConversationHead {
    const { begin, bound, createdAt = 0, firstPrompt, forked, prompt, updatedAt } = this;
    const preset = begin ? begin.preset : unreadablePreset;
    const folders = this.folders.map((folder) => ({ path: folder, real: folder }));
    return {
      version: logVersion,
      id,
      title: shortTitle(prompt?.text ?? ''),
      titledBy: 'prompt',
      backendId: begin?.backendId ?? '',
      backendTitle: begin?.backendId ?? '',
      ...(bound?.type === 'bound' ? { remoteId: bound.remoteId } : {}),
      ...(preset ? { preset } : {}),
      ...(forked ? { forkedFrom: forked.from } : {}),
      // It can never write, and nothing is deleted of which it is not certain that the user did not keep it.
      ...(forked?.aside === undefined ? {} : { aside: { about: forked.aside, isKept: true } }),
      createdAt,
      updatedAt,
      state: 'idle',
      ...(folders.length > 0 ? { place: { folders, at: updatedAt } } : {}),
      ...(firstPrompt ? { startedBy: firstPrompt.id } : {}),
    };
  }
}

/** Creates the head of a conversation from its log. @throws errors of the file port */
export async function headFromLog(id: string, reader: LogReader): Promise<ConversationHead> {
  const builder = new HeadBuilder();
  await reader.read((records) => builder.add(records));
  return builder.head(id);
}
