import assert from 'node:assert/strict';
import { setImmediate as settle } from 'node:timers/promises';
import fc from 'fast-check';
import { nullLogger } from '../../../../src/base/common/log';
import type { FilePort } from '../../../../src/base/node/filePort';
import type { ConversationHead } from '../../../../src/chat/common/chatStore';
import { logVersion } from '../../../../src/chat/common/conversation/logRecord';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { LatestAnswers } from '../../../../src/chat/node/places/latestAnswers';
import { WindowPlaces, type FoldersDisk } from '../../../../src/chat/node/windowPlaces';
import { FakeClock } from '../../../fake/fakeClock';

/** Where the folders really are at first. Conversations and windows name them by any of these paths. */
const firstRealByPath: Readonly<Record<string, string>> = {
  '/a': '/a',
  '/link-to-a': '/a',
  '/a/below': '/a/below',
  '/b': '/b',
  '/link-to-b': '/b',
  '/clone': '/clone',
  '/c': '/c',
  '/link-to-c': '/c',
  '/changing-link': '/a',
};
/** `/c` was cloned to `/clone`. */
const repositoryByReal: Readonly<Record<string, string>> = { '/c': 'one', '/clone': 'one' };
const paths = Object.keys(firstRealByPath);
let changingLink = '/a';
const realOf = (folder: string): string =>
  folder === '/changing-link' ? changingLink : (firstRealByPath[folder] ?? folder);

/** Whether a conversation of a folder belongs to a window. One that was stored too early does not know its repository. */
function belongsTo(folder: string, isPlain: boolean, open: readonly string[]): boolean {
  const isIn = (one: string, other: string): boolean => one === other || one.startsWith(`${other}/`);
  return open.some((other) => {
    const [one, two] = [realOf(folder), realOf(other)];
    const repository = isPlain ? undefined : repositoryByReal[one];
    return isIn(one, two) || isIn(two, one) || (repository !== undefined && repository === repositoryByReal[two]);
  });
}

const plainMark = 'stored too early: ';
const root = '/conversations';
const headOf = (id: string, folder: string, isPlain: boolean): ConversationHead => ({
  version: logVersion,
  id,
  title: `${isPlain ? plainMark : ''}${folder}`,
  titledBy: 'prompt',
  backendId: 'one',
  backendTitle: 'One',
  createdAt: 1,
  updatedAt: 2,
  state: 'idle',
  place: { folders: [isPlain ? { path: folder, real: folder } : placedOn(folder)], at: 1 },
});

function placedOn(folder: string) {
  const real = realOf(folder);
  const first = repositoryByReal[real];
  return { path: folder, real, ...(first === undefined ? {} : { repository: { first, below: '' } }) };
}

/** Files in memory that answer in the order of the scheduler. */
class ScheduledFiles implements FilePort {
  readonly texts = new Map<string, string>();
  private readonly watchers = new Map<string, (name: string | undefined) => void>();

  constructor(private readonly answer: <Result>(result: () => Result, label: string) => Promise<Result>) {}

  /** As another window does. */
  put(folder: string, name: string, text: string): void {
    this.texts.set(`${folder}/${name}`, text);
    this.watchers.get(folder)?.(name);
  }
  makeFolder = (): Promise<void> => Promise.resolve();
  listNames = (folder: string): Promise<readonly string[]> =>
    this.answer(
      () => [...this.texts.keys()].flatMap((file) => file.split(`${folder}/`)[1]?.split('/')[0] ?? []),
      `list ${folder}`,
    );
  read = (file: string): Promise<string | undefined> => this.answer(() => this.texts.get(file), `read ${file}`);
  modifiedAt = (file: string): Promise<number | undefined> =>
    this.answer(() => (this.texts.has(file) ? 1 : undefined), `look at ${file}`);
  versionOf = (): Promise<undefined> => Promise.resolve(undefined);
  replace = async (file: string, text: string): Promise<void> => {
    await this.answer(() => this.texts.set(file, text), `write ${file}`);
  };
  remove = async (file: string): Promise<void> => {
    await this.answer(() => this.texts.delete(file), `remove ${file}`);
  };
  watch(folder: string, onChange: (name: string | undefined) => void) {
    this.watchers.set(folder, onChange);
    return { dispose: () => void this.watchers.delete(folder) };
  }
  readChunks(): AsyncIterable<Uint8Array> {
    throw new Error('no log is read');
  }
  whileOpen = (): Promise<never> => Promise.reject(new Error('no log is read'));
  writeAtAndTruncate = (): Promise<void> => Promise.reject(new Error('no log is written'));
  replaceWith = (): Promise<void> => Promise.reject(new Error('nothing is replaced'));
  createNew = (): Promise<boolean> => Promise.reject(new Error('nothing is created'));
  moveIfExists = (): Promise<boolean> => Promise.resolve(false);
  touch = (): Promise<void> => Promise.resolve();
}

type Step =
  | { readonly type: 'folders'; readonly folders: readonly string[] }
  | { readonly type: 'head'; readonly folder: string; readonly isPlain: boolean }
  | { readonly type: 'open'; readonly at: number }
  | { readonly type: 'answer'; readonly count: number }
  | { readonly type: 'link'; readonly to: string }
  | { readonly type: 'time'; readonly ms: number };

const opened = fc.constantFrom(...paths);
/** A conversation has worked where its folder was then. */
const folder = fc.constantFrom(...paths.filter((one) => one !== '/changing-link'));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('folders' as const), folders: fc.uniqueArray(opened, { maxLength: 3 }) }),
  fc.record({ type: fc.constant('head' as const), folder, isPlain: fc.boolean() }),
  fc.record({ type: fc.constant('open' as const), at: fc.nat(9) }),
  fc.record({ type: fc.constant('answer' as const), count: fc.nat(6) }),
  fc.record({ type: fc.constant('link' as const), to: fc.constantFrom('/a', '/b') }),
  fc.record({ type: fc.constant('time' as const), ms: fc.constantFrom(200, 2500) }),
);

describe('What a slow disk answers', () => {
  it('is what it was asked last, whatever is told last', async () => {
    const clock = new FakeClock();
    const answers = new LatestAnswers<string>({ clock, log: nullLogger, what: 'asking', timeoutMs: 2000 });
    const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const asked = [answers.ask('folder', () => first.promise), answers.ask('folder', () => second.promise)];
    second.resolve('newer');
    await asked[1];
    first.resolve('older');
    await asked[0];
    assert.equal(answers.get('folder'), 'newer');
    answers.dispose();
    assert.equal(clock.pending, 0);
  });
});

describe('The place of a conversation, in any order of what is asked and answered', () => {
  const runs = Number(process.env['BACKLINE_PROPERTY_RUNS'] ?? 150);

  it('is here once everything is quiet, if its folder is open, and the page was told', async () => {
    const property = fc.asyncProperty(
      fc.scheduler(),
      fc.uniqueArray(opened, { maxLength: 2 }),
      fc.array(fc.record({ folder, isPlain: fc.boolean() }), { maxLength: 3 }),
      fc.array(step, { maxLength: 14 }),
      fc.infiniteStream(fc.nat(9)),
      async (scheduler, first, stored, steps, luck) => {
        const clock = new FakeClock();
        // What is asked is answered with what is so when the answer is given.
        const answer = async <Result>(result: () => Result, label: string): Promise<Result> => {
          await scheduler.schedule(Promise.resolve(), label);
          return result();
        };
        const files = new ScheduledFiles(answer);
        let failures = 0;
        const fail = (): void => {
          if (luck.next().value === 0 && failures++ < 3) throw Object.assign(new Error('busy'), { code: 'EIO' });
        };
        const disk: FoldersDisk = {
          look: async (one) => {
            const found = await answer(() => (fail(), { real: realOf(one), isGone: false }), `real path of ${one}`);
            return await answer(() => found, `real path of ${one} is told`);
          },
          repositoryOf: (real) => answer(() => placedOn(real).repository, `repository of ${real}`),
        };
        changingLink = '/a';
        let open: readonly string[] = first;
        const deps = { files, clock, log: nullLogger };
        const workspace = () => ({ file: undefined, folders: open });
        const places = new WindowPlaces({ ...deps, folder: `${root}/moves`, workspace, disk });
        const store = new ConversationStore({ ...deps, folder: root, places });
        const here = (): Record<string, boolean> =>
          Object.fromEntries(store.heads.map((head) => [head.id, store.elsewhere(head) === undefined]));
        let shown = here();
        store.onDidChange(() => (shown = here()));
        let count = 0;
        const add = (one: string, isPlain: boolean): void => {
          const id = `conversation-${count++}`;
          files.put(`${root}/heads`, `${id}.json`, JSON.stringify(headOf(id, one, isPlain)));
        };
        const answerSome = async (most: number): Promise<void> => {
          for (let left = most; left > 0 && scheduler.count() > 0; left--) {
            await scheduler.waitNext(1);
            await settle();
          }
        };
        for (const one of stored) add(one.folder, one.isPlain);
        void store.start();
        for (const one of steps) {
          await settle();
          if (one.type === 'head') add(one.folder, one.isPlain);
          else if (one.type === 'answer') await answerSome(one.count);
          else if (one.type === 'time') clock.advance(one.ms);
          else if (one.type === 'link') changingLink = one.to;
          else if (one.type === 'open') void places.movesFor(store.heads[one.at % (store.heads.length || 1)]?.place);
          else {
            open = one.folders;
            // VS Code tells of it later, and other things happen before.
            void scheduler.schedule(Promise.resolve(), 'folders changed').then(() => store.moveWindow());
          }
        }
        // Nothing tells of a link that was changed, until somebody asks.
        if (steps.some(({ type }) => type === 'link')) void store.moveWindow();
        for (let quiet = 0; quiet < 4; quiet++) {
          await answerSome(Infinity);
          clock.advance(60_000);
          await settle();
        }
        await answerSome(Infinity);
        const ids = store.heads.map(({ id }) => id).toSorted();
        assert.equal(ids.length, count);
        for (const { id, title } of store.heads) {
          const isHere = belongsTo(title.replace(plainMark, ''), title.startsWith(plainMark), open);
          assert.equal(here()[id], isHere, `${title} in ${open.join()}`);
        }
        assert.deepEqual(shown, here(), 'what the page shows');
        store.dispose();
      },
    );
    await fc.assert(property, { numRuns: runs });
  });
});
