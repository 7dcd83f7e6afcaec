import { setImmediate as nextTurnOfEventLoop } from 'node:timers/promises';
import { BoundedMap } from '../../../base/common/boundedMap';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { FilePort } from '../../../base/node/filePort';
import { AuthorIndex } from '../../common/authorship/authorIndex';
import { AuthorStepReader, type AuthorTurn } from '../../common/authorship/authorSteps';
import { FileAuthors } from '../../common/authorship/fileAuthors';
import type { LineAuthors } from '../../common/authorship/lineAuthors';
import { isDeleted, isOpenAside } from '../../common/chatStore';
import type { ConversationStore, StoredPlace } from '../conversationStore';
import { ConversationTexts } from '../conversationTexts';
import { LogReader } from '../log/logReader';

interface StoredAuthorsDeps {
  readonly store: Pick<ConversationStore, 'heads' | 'elsewhere' | 'placeOf'>;
  readonly files: FilePort;
  readonly log: Logger;
}

interface ReadConversation {
  readonly place: string;
  readonly steps: AuthorStepReader;
  readonly reader: LogReader;
  readonly texts: ConversationTexts;
  modifiedAt: number | undefined;
}

/** Number of files whose authors are kept. Those of a large file take several megabytes. */
const maxFiles = 4;
const wantedTypes =
  /^\{"type":"(?:begin|prompt|checkpoint|stateChanged|snapshot|written|attributed|rebased|hunkUndone|changed|turnReverted|fileDecided|changesReplaced|forked|restored|undoDone|restoreUndone|relocated)"|^\{"type":"event".*"event":"(?:config:update|prompt:submit)"/;

/**
 * Who wrote the lines of files, from the logs of all conversations of this window's workspace, also of those that are closed. Reads
 * what was added since the last question, in parts between which others run.
 */
export class StoredAuthors {
  private readonly index = new AuthorIndex();
  private readonly conversations = new Map<string, ReadConversation>();
  private readonly files = new BoundedMap<string, FileAuthors>({ maxEntries: maxFiles });
  private work: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: StoredAuthorsDeps) {}

  /** `path`: the real path of the file; `text`: what its editor has. Never rejects. */
  async authorsOf(path: string, text: string): Promise<LineAuthors<AuthorTurn>> {
    return await this.run(async () => {
      const steps = this.index.stepsOf(path, this.idOf(text));
      if (steps.length === 0) return [];
      const known = this.files.get(path);
      const authors = known?.canContinueWith(steps) === true ? known : new FileAuthors();
      this.files.set(path, authors);
      await authors.applyAll(steps, (conversation, id) => this.readText(conversation, id));
      return authors.authorsOf(text);
    }, []);
  }

  /** Returns the turns that have written the file, newest first. Never rejects. */
  async turnsOf(path: string, text: string): Promise<readonly AuthorTurn[]> {
    return await this.run(() => Promise.resolve(this.index.turnsOf(path, this.idOf(text))), []);
  }

  /** Returns the title of the agent of a conversation. */
  agentOf(conversation: string): string {
    return this.deps.store.heads.find(({ id }) => id === conversation)?.backendTitle ?? 'An agent';
  }

  /** Only one question is answered at a time, because each continues what the last has read. */
  private async run<Answer>(answer: () => Promise<Answer>, unknown: Answer): Promise<Answer> {
    const running = this.work.then(async () => {
      await this.readNew();
      return await answer();
    });
    const settled = running.catch((error: unknown) => {
      this.deps.log.warn(`Cannot find out who wrote a line: ${messageOf(error)}`);
      return unknown;
    });
    this.work = settled;
    return await settled;
  }

  private async readNew(): Promise<void> {
    const { store } = this.deps;
    const heads = store.heads.filter((head) => !isDeleted(head) && !isOpenAside(head) && !store.elsewhere(head));
    const wanted = new Set(heads.map(({ id }) => id));
    for (const id of this.index.conversations) if (!wanted.has(id)) this.forget(id);
    for (const id of wanted) {
      await this.readConversation(id).catch((error: unknown) => {
        this.forget(id);
        this.deps.log.debug(`Cannot read who wrote what in a conversation: ${messageOf(error)}`);
      });
    }
  }

  private async readConversation(id: string): Promise<void> {
    const { files, store } = this.deps;
    const place = await store.placeOf(id);
    const modifiedAt = await files.modifiedAt(place.log);
    const known = this.conversations.get(id);
    const continued = known?.place === JSON.stringify(place) ? known : undefined;
    if (modifiedAt === undefined || continued?.modifiedAt === modifiedAt) return;
    let one = continued ?? this.create(id, place);
    if ((await this.readOn(one, place)).isReplaced) {
      one = this.create(id, place);
      await this.readOn(one, place);
    }
    one.modifiedAt = modifiedAt;
    this.index.set(id, one.steps.steps);
  }

  private async readOn({ reader, steps }: ReadConversation, { moves }: StoredPlace): Promise<{ isReplaced: boolean }> {
    return await reader.readRelocated(
      async (records) => {
        for (const record of records) steps.read(record);
        await nextTurnOfEventLoop();
      },
      moves,
      true,
    );
  }

  private create(id: string, place: StoredPlace): ReadConversation {
    const { files } = this.deps;
    const created: ReadConversation = {
      place: JSON.stringify(place),
      steps: new AuthorStepReader(id),
      reader: new LogReader(files, place.log, 0, (start) => wantedTypes.test(start)),
      texts: new ConversationTexts(files, place.texts),
      modifiedAt: undefined,
    };
    this.conversations.set(id, created);
    return created;
  }

  private forget(id: string): void {
    this.conversations.delete(id);
    this.index.delete(id);
  }

  private async readText(conversation: string, id: string): Promise<string | undefined> {
    return await this.conversations.get(conversation)?.texts.get(id);
  }

  private idOf(text: string): string {
    return new ConversationTexts(this.deps.files, '').idOf(text);
  }
}
