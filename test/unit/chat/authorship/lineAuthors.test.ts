import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { event } from '../support/transcriptRecorder';
import { AuthorIndex } from '../../../../src/chat/common/authorship/authorIndex';
import { AuthorStepReader } from '../../../../src/chat/common/authorship/authorSteps';
import { FileAuthors } from '../../../../src/chat/common/authorship/fileAuthors';
import type { NewRecord } from '../../../../src/chat/common/conversation/logRecord';
import type { FileChange } from '../../../../src/transcript/common/entries';
import type { FileTextId } from '../../../../src/chat/common/changes/fileTexts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Conversations that write files of one workspace, and what is stored of them. */
class History {
  readonly texts = new Map<string, string>();
  private readonly readers = new Map<string, AuthorStepReader>();
  private readonly known = new Map<string, string>();
  private now = 0;

  record(conversation: string, ...records: NewRecord[]): void {
    const reader = this.readers.get(conversation) ?? new AuthorStepReader(conversation);
    this.readers.set(conversation, reader);
    for (const record of records) reader.read({ ...record, at: ++this.now });
  }

  id(text: string | null): FileTextId {
    if (text === null) return null;
    this.texts.set(hash(text), text);
    return hash(text);
  }

  private readonly turns = new Map<string, number>();

  prompt(conversation: string): void {
    this.turns.set(conversation, (this.turns.get(conversation) ?? 0) + 1);
    const id = `${conversation} prompt ${++this.now}`;
    this.record(conversation, { type: 'prompt', id, text: `\n  Do ${id}\nand more`, attachments: [] });
    this.record(conversation, { type: 'event', event: event('prompt:submit', { prompt: id }) });
  }

  /** As `ChangeLedger` records it. */
  write(conversation: string, path: string, before: string | null, after: string | null): void {
    const [base, left] = [this.id(before), this.id(after)];
    const key = `${conversation} ${path}`;
    const known = this.known.get(key);
    if (known === undefined) this.record(conversation, { type: 'snapshot', path, text: base ?? null });
    const isOwn = known === undefined || known === String(base);
    this.record(conversation, { type: 'written', path, after: left ?? null, ...(isOwn ? {} : { base: base ?? null }) });
    this.known.set(key, String(left));
  }

  turn(conversation: string, path: string, before: string | null, after: string | null): void {
    this.prompt(conversation);
    this.write(conversation, path, before, after);
    this.end(conversation);
  }

  end(conversation: string, changes: FileChange[] = []): void {
    this.record(conversation, { type: 'changed', turn: this.turns.get(conversation) ?? 0, changes });
  }

  get index(): AuthorIndex {
    const index = new AuthorIndex();
    for (const [id, { steps }] of this.readers) index.set(id, steps);
    return index;
  }

  /** Each line with its author: the conversation, the turn and how certain that is. */
  async authors(path: string, text: string): Promise<string[]> {
    return (await this.authorsOf(path, text)).map((author, line) => {
      const shown = author ? `${author.turn.conversation}${author.turn.turn} ${author.certainty}` : '-';
      return `${text.split('\n')[line] ?? ''}: ${shown}`;
    });
  }

  async authorsOf(path: string, text: string) {
    const authors = new FileAuthors();
    await authors.applyAll(this.index.stepsOf(path, hash(text)), (_, id) => Promise.resolve(this.texts.get(id)));
    return authors.authorsOf(text);
  }
}

const file = '/ws/a.ts';
const long = 'a line that is long enough by b';
const lines = (...all: string[]): string => all.join('\n');

describe('the authors of lines', () => {
  let history: History;
  beforeEach(() => (history = new History()));

  it('are the turns that have written them, through edits of others in other lines', async () => {
    history.turn('a', file, lines('one', 'two'), lines('one', 'agent', 'two'));
    const edited = lines('user', 'one', 'agent', 'two');
    history.turn('b', file, edited, lines('user', 'one', 'agent', 'two', 'other'));
    assert.deepEqual(await history.authors(file, lines('new', 'user', 'one', 'agent', 'two', 'other')), [
      'new: -',
      'user: -',
      'one: -',
      'agent: a1 written',
      'two: -',
      'other: b1 written',
    ]);
    const [latest, first] = history.index.turnsOf(file);
    assert.deepEqual([latest?.conversation, first?.conversation], ['b', 'a']);
    assert.match(first?.promptLine ?? '', /^Do a prompt \d+$/);
  });

  it('stay those of a line that was reformatted or edited since, and tell so', async () => {
    history.turn('a', file, null, lines('function run() {', 'return first(value);', '}'));
    const text = lines('function run() {', '  return first(value);', '}');
    assert.deepEqual((await history.authors(file, text)).slice(1, 2), ['  return first(value);: a1 reformatted']);
    const edited = lines('function run() {', 'return first(other);', '}');
    assert.deepEqual((await history.authorsOf(file, edited))[1], {
      turn: history.index.turnsOf(file)[0],
      certainty: 'edited',
      writtenAs: 'return first(value);',
    });
    const replaced = lines('function run() {', 'quite different text', '}');
    assert.equal((await history.authorsOf(file, replaced))[1], undefined);
  });

  it('are uncertain for what changed while a command ran, but formatting by one keeps them', async () => {
    history.turn('a', file, null, lines('const value=1;', 'end'));
    history.prompt('b');
    history.write('b', file, lines('const value=1;', 'end'), lines('const value = 1;', 'generated', 'end'));
    history.record('b', { type: 'attributed', path: file, author: 'command' });
    assert.deepEqual(await history.authors(file, lines('const value = 1;', 'generated', 'end')), [
      'const value = 1;: a1 reformatted',
      'generated: b1 command',
      'end: a1 written',
    ]);
  });

  it('are at most uncertain if others may have written at the same time', async () => {
    history.prompt('a');
    history.record('a', { type: 'snapshot', path: file, text: history.id('one') ?? null });
    history.record('a', { type: 'written', path: file, after: history.id('one\ntwo') ?? null, isMixed: true });
    assert.deepEqual(await history.authors(file, 'one\ntwo'), ['one: -', 'two: a1 edited']);
  });

  it('are not known of a text whose text before is missing', async () => {
    history.prompt('a');
    history.record('a', { type: 'snapshot', path: file });
    history.record('a', { type: 'written', path: file, after: history.id('one\ntwo') ?? null });
    assert.deepEqual(await history.authors(file, 'one\ntwo'), ['one: -', 'two: -']);
  });

  it('are not those of lines that were gone if somebody types such a line after a restore', async () => {
    history.turn('a', file, lines('one'), lines('one', '}', 'return;'));
    const restored = { id: 'r', turn: 1, target: [], undo: [], paths: [file], skipped: [], previous: [] };
    history.record('a', { type: 'restored', ...restored });
    history.turn('b', file, 'one', lines('one', 'by b'));
    history.record('a', { type: 'restoreUndone', id: 'r' });
    assert.deepEqual(await history.authors(file, lines('}', 'one', 'by b')), ['}: -', 'one: -', 'by b: b1 written']);
  });

  it('are not those of a turn that has only moved a file of the user', async () => {
    history.turn('a', file, lines('gone'), null);
    const moved = '/ws/moved.ts';
    history.turn('a', moved, null, lines('earlier'));
    history.turn('a', moved, lines('earlier'), null);
    history.prompt('b');
    history.write('b', '/ws/users.ts', lines('one', 'two'), null);
    history.write('b', moved, null, lines('one', 'two', 'by b'));
    const change = { path: moved, change: 'created', state: 'applied', added: 0, removed: 0 } as const;
    history.end('b', [{ ...change, renamedFrom: '/ws/users.ts' }]);
    const text = lines('one', 'two', 'by b');
    assert.deepEqual(await history.authors(moved, text), ['one: -', 'two: -', 'by b: b1 written']);
  });

  it('come back with an undo, a restore and another branch', async () => {
    const [first, second] = [lines('one', 'by a', 'end'), lines('one', long, 'end')];
    history.turn('a', file, lines('one', 'end'), first);
    history.turn('b', file, first, second);
    history.record('b', { type: 'turnReverted', turn: 1, path: file, found: hash(second), after: hash(first) });
    assert.deepEqual(await history.authors(file, first), ['one: -', 'by a: a1 written', 'end: -']);
    history.record('b', {
      type: 'restored',
      id: 'r',
      turn: 1,
      target: [],
      undo: [],
      paths: [file],
      skipped: [],
      previous: [],
    });
    assert.deepEqual(await history.authors(file, second), ['one: -', `${long}: b1 written`, 'end: -']);
    assert.deepEqual(await history.authors(file, lines('more', 'one', long, 'end')), [
      'more: -',
      'one: -',
      `${long}: b1 written`,
      'end: -',
    ]);
  });

  it('follow a block of lines to another place, but not a common line', async () => {
    const block = ['if (a) {', 'run(a);', '}'];
    history.turn('a', file, lines('top', 'end'), lines('top', ...block, 'end'));
    const moved = lines('top', 'end', ...block);
    history.turn('b', file, lines('top', ...block, 'end'), moved);
    for (const line of (await history.authors(file, moved)).slice(2)) assert.match(line, /a1 written$/);
    assert.deepEqual((await history.authors(file, lines('}', 'top', 'end', 'if (a) {', 'run(a);')))[0], '}: -');
  });

  it('follow a file that a turn, or somebody else, has moved', async () => {
    const [moved, last] = ['/ws/b.ts', '/ws/c.ts'];
    history.turn('a', file, null, lines('one', 'two'));
    history.prompt('b');
    history.write('b', moved, null, lines('one', 'two', 'three'));
    history.write('b', file, lines('one', 'two'), null);
    const change = {
      path: moved,
      change: 'created',
      state: 'applied',
      added: 0,
      removed: 0,
      renamedFrom: file,
    } as const;
    history.end('b', [change]);
    const expected = ['one: a1 written', 'two: a1 written', 'three: b1 written'];
    assert.deepEqual(await history.authors(moved, lines('one', 'two', 'three')), expected);
    assert.deepEqual(await history.authors(last, lines('one', 'two', 'three')), expected);
    assert.deepEqual(await history.authors(last, lines('one', 'two', 'four')), ['one: -', 'two: -', 'four: -']);
  });

  it('are told once for a fork, which has copies of the records', () => {
    history.turn('a', file, null, 'one');
    const [step] = history.index.stepsOf(file);
    assert.ok(step);
    const index = new AuthorIndex();
    index.set('fork', [{ ...step, turn: { ...step.turn, conversation: 'fork' }, isCopy: true }]);
    assert.equal(index.turnsOf(file)[0]?.conversation, 'fork');
    index.set('a', [step]);
    assert.deepEqual(index.turnsOf(file), [step.turn]);
  });
});

/** A line of the oracle, which knows who wrote it. No line is like another. */
interface KnownLine {
  readonly text: string;
  readonly owner: string | undefined;
  readonly isEdited: boolean;
}

const place = fc.nat(1000);
const edit = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), at: place, count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant('delete' as const), at: place, count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('move' as const), at: place, count: fc.integer({ min: 1, max: 5 }), to: place }),
  fc.record({ do: fc.constant('change' as const), at: place, count: fc.constant(1) }),
);
const happening = fc.oneof(
  { weight: 1, arbitrary: fc.record({ who: fc.constant('rename'), edits: fc.array(edit, { maxLength: 2 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      who: fc.constantFrom('a', 'b', 'c'),
      edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ who: fc.constant('user'), edits: fc.array(edit, { minLength: 1, maxLength: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ who: fc.constantFrom('undo', 'restore', 'branch'), edits: fc.constant([]) }),
  },
);

describe('the authors of lines, against an oracle that has seen each edit', () => {
  it('are never another turn than the one that wrote the line, and known for lines that nobody has edited', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 14 }), async (happenings) => {
        const history = new History();
        let count = 0;
        const fresh = (owner: string | undefined): KnownLine => ({
          text: `${hash(`line ${++count}`).slice(0, 24)} ${count}`,
          owner,
          isEdited: false,
        });
        let path = file;
        let now: readonly KnownLine[] = [fresh(undefined), fresh(undefined), fresh(undefined)];
        let last: { before: readonly KnownLine[]; who: string } | undefined;
        const past: (readonly KnownLine[])[] = [];
        const turns = new Map<string, number>();
        const textOf = (all: readonly KnownLine[]): string => all.map(({ text }) => text).join('\n');
        for (const { edits, who } of happenings) {
          if (who === 'rename') {
            const text = textOf(now);
            const renamedFrom = path;
            path = `${path}x`;
            history.prompt('a');
            turns.set('a', (turns.get('a') ?? 0) + 1);
            for (const one of edits) now = changed(now, one, `a${turns.get('a') ?? 0}`, fresh);
            history.write('a', path, null, textOf(now));
            history.write('a', renamedFrom, text, null);
            history.end('a', [{ path, change: 'created', state: 'applied', added: 0, removed: 0, renamedFrom }]);
            last = undefined;
          } else if (who === 'undo' || who === 'restore') {
            if (!last) continue;
            const [found, left] = [history.id(textOf(now)), history.id(textOf(last.before))];
            if (who === 'undo')
              history.record(last.who, { type: 'hunkUndone', path, found: found ?? null, after: left ?? null });
            else {
              const restored = { id: 'r', turn: 1, target: [], undo: [], paths: [path], skipped: [], previous: [] };
              history.record(last.who, { type: 'restored', ...restored });
            }
            now = last.before;
            last = undefined;
          } else if (who === 'branch') {
            now = past.at(Math.floor(past.length / 2)) ?? now;
            last = undefined;
          } else {
            const isUser = who === 'user';
            const owner = isUser ? undefined : `${who}${(turns.get(who) ?? 0) + 1}`;
            const before = now;
            for (const one of edits) now = changed(now, one, owner, fresh);
            if (!isUser && textOf(now) !== textOf(before)) {
              turns.set(who, (turns.get(who) ?? 0) + 1);
              history.turn(who, path, textOf(before), textOf(now));
              last = { before, who };
              past.push(now);
            } else if (isUser) last = undefined;
          }
        }
        const authors = await history.authorsOf(path, textOf(now));
        for (const [index, { isEdited, owner, text }] of now.entries()) {
          const author = authors[index];
          const said = author && `${author.turn.conversation}${author.turn.turn}`;
          if (said === undefined && (isEdited || owner === undefined)) continue;
          assert.equal(said, owner, `${text} is by ${owner ?? 'nobody'}, ${JSON.stringify(author)}`);
          if (!isEdited) assert.equal(author?.certainty, 'written', text);
        }
      }),
      { numRuns: 400 },
    );
  });
});

function changed(
  all: readonly KnownLine[],
  { at, count, ...how }: { do: string; at: number; count: number; to?: number },
  owner: string | undefined,
  fresh: (owner: string | undefined) => KnownLine,
): readonly KnownLine[] {
  const start = at % (all.length + 1);
  const piece = all.slice(start, start + count);
  const rest = [...all.slice(0, start), ...all.slice(start + count)];
  if (how.do === 'insert') {
    const added = Array.from({ length: count }, () => fresh(owner));
    return [...all.slice(0, start), ...added, ...all.slice(start)];
  }
  if (how.do === 'delete') return rest;
  if (how.do === 'move') {
    const to = (how.to ?? 0) % (rest.length + 1);
    return [...rest.slice(0, to), ...piece, ...rest.slice(to)];
  }
  const edited = piece.map((line) =>
    owner === undefined
      ? { text: `${line.text} ${fresh(owner).text.slice(-3)}`, owner: line.owner, isEdited: true }
      : { ...fresh(owner), owner },
  );
  return [...all.slice(0, start), ...edited, ...all.slice(start + count)];
}
