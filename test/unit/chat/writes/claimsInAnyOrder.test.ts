import assert from 'node:assert/strict';
import fc from 'fast-check';
import { effectOfFailure } from '../../../../src/chat/common/writes/failedWrite';
import {
  ConversationClaims,
  FileTextClaims,
  type ClaimReader,
} from '../../../../src/chat/common/writes/fileTextClaims';

const path = '/ws/a.txt';
const inCheckpoint = 'checkpoint';

type Step =
  | { readonly do: 'announce'; readonly contents: string }
  /** Of one of the announced writes. */
  | { readonly do: 'write' | 'end' | 'fail' | 'failFormatted'; readonly at: number }
  | { readonly do: 'agentWrites'; readonly contents: string }
  | { readonly do: 'die' | 'beginScan' | 'read' | 'learn' | 'decide' };

const contents = fc.constantFrom('one', 'two', inCheckpoint);
const single: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('announce' as const), contents }),
  fc.record({ do: fc.constantFrom('write', 'end', 'fail', 'failFormatted'), at: fc.nat(3) }),
  fc.record({ do: fc.constantFrom('beginScan' as const, 'read' as const, 'learn' as const, 'decide' as const) }),
);
const wholeScan: readonly Step[] = [{ do: 'decide' }, { do: 'beginScan' }, { do: 'read' }, { do: 'decide' }];
const wholeWrite = contents.map((wanted): readonly Step[] => [
  { do: 'announce', contents: wanted },
  { do: 'write', at: -1 },
  { do: 'end', at: -1 },
]);
const agentWrites = fc
  .oneof(contents, fc.constantFrom('agent 1', 'agent 2'))
  .map((wanted): readonly Step[] => [{ do: 'agentWrites', contents: wanted }]);
const steps = fc.array(
  fc.oneof(
    { arbitrary: single.map((one): readonly Step[] => [one]), weight: 8 },
    { arbitrary: fc.constant(wholeScan), weight: 3 },
    { arbitrary: wholeWrite, weight: 2 },
    { arbitrary: agentWrites, weight: 3 },
    { arbitrary: fc.constant<readonly Step[]>([{ do: 'die' }]), weight: 1 },
  ),
  { maxLength: 30, size: 'max' },
);

/** A write of Backline, as what it does and as what the reader knows of it. */
interface Write {
  readonly id: string;
  readonly contents: string;
  /** What the file had before. */
  readonly before: string;
  /** What it has perhaps left, beside its contents. */
  left: string | undefined;
  isWritten: boolean;
  isEnded: boolean;
  /** When the reader has learned that it will not be written any more. */
  closedAt: number | undefined;
  isWithdrawn: boolean;
}

interface Scan {
  readonly beganAt: number;
  readonly readAfter: number;
  read?: { readonly contents: string; readonly by: 'agent' | 'backline' | 'nobody' };
  hasLearned: boolean;
}

/** One file, Backline in one window, and an agent whose changes are found by the same window or by another one. */
class Model {
  private readonly claims = new FileTextClaims();
  private readonly backline = new ConversationClaims(this.claims);
  private readonly reader: ClaimReader;
  private readonly writes: Write[] = [];
  /** What was told and the reader does not know yet. */
  private told: (() => void)[] = [];
  private disk: { readonly contents: string; readonly by: 'agent' | 'backline' | 'nobody' } = {
    contents: inCheckpoint,
    by: 'nobody',
  };
  private isDead = false;
  private scan: Scan | undefined;
  private readonly decided: { readonly beganAt: number; readonly contents: string }[] = [];
  private clock = 0;

  constructor(private readonly isSameWindow: boolean) {
    this.reader = new ConversationClaims(this.claims).reader(this.claims.now);
  }

  run(one: Step): void {
    this.clock++;
    if (one.do === 'announce') this.announce(one.contents);
    else if (one.do === 'agentWrites') this.disk = { contents: one.contents, by: 'agent' };
    else if ('at' in one) this.proceed(one.do, this.openWrite(one.at));
    else if (one.do === 'die') this.die();
    else if (one.do === 'beginScan') {
      this.scan ??= { beganAt: this.clock, readAfter: this.reader.now, hasLearned: false };
    } else if (one.do === 'read') {
      if (this.scan && !this.scan.read) this.scan.read = this.disk;
    } else if (one.do === 'learn') this.learn();
    else this.decide();
  }

  private announce(wanted: string): void {
    if (this.isDead) return;
    const id = `write ${this.writes.length}`;
    this.writes.push({
      id,
      contents: wanted,
      before: this.disk.contents,
      left: undefined,
      isWritten: false,
      isEnded: false,
      closedAt: undefined,
      isWithdrawn: false,
    });
    this.tell(() => this.backline.announce(id, path, [wanted]));
  }

  private openWrite(number: number): Write | undefined {
    const open = this.isDead ? [] : this.writes.filter(({ isEnded }) => !isEnded);
    return number < 0 ? open.at(number) : open[number % Math.max(1, open.length)];
  }

  private proceed(what: 'write' | 'end' | 'fail' | 'failFormatted', write: Write | undefined): void {
    if (!write) return;
    // If a formatter brings back what the file had before, and an agent has changed that, it can't be seen.
    if (what === 'failFormatted' && write.before === 'formatted') return;
    if (what === 'failFormatted') this.disk = { contents: 'formatted', by: 'backline' };
    if (what === 'fail' || what === 'failFormatted') {
      this.fail(write);
      return;
    }
    if (what === 'write') {
      if (write.isWritten) return;
      write.isWritten = true;
      this.disk = { contents: write.contents, by: 'backline' };
      return;
    }
    write.isEnded = true;
    const { isWritten } = write;
    this.tell(() => {
      if (isWritten) this.backline.made(write.id);
      else this.backline.lose(write.id);
      write.closedAt = this.clock;
    });
  }

  private fail(write: Write): void {
    const { before, contents: planned, isWritten } = write;
    const { contents: left } = this.disk;
    const effect = effectOfFailure({ error: new Error(), planned, before, left });
    // An agent that brings back just then what the file had before can't be seen.
    if (effect === 'nothing' && isWritten) return;
    write.isEnded = true;
    if (effect === 'unknown') write.left = left;
    this.tell(() => {
      if (effect === 'written') this.backline.made(write.id);
      else if (effect === 'unknown') this.backline.lose(write.id, [left]);
      else this.backline.withdraw(write.id);
      write.closedAt = this.clock;
      write.isWithdrawn = effect === 'nothing';
    });
  }

  private die(): void {
    // A window that ends takes its own claims with it, and so does the turn.
    if (this.isSameWindow || this.isDead) return;
    this.isDead = true;
    for (const write of this.writes.filter(({ isEnded }) => !isEnded)) {
      this.told.push(() => {
        this.backline.lose(write.id);
        write.closedAt = this.clock;
      });
    }
  }

  private tell(event: () => void): void {
    if (this.isSameWindow) event();
    else this.told.push(event);
  }

  private learn(): void {
    for (const event of this.told.splice(0)) event();
    if (this.scan?.read) this.scan.hasLearned = true;
  }

  private decide(): void {
    const { scan } = this;
    if (!scan?.read) return;
    if (!scan.hasLearned) this.learn();
    this.scan = undefined;
    const { by, contents: found } = scan.read;
    if (found === inCheckpoint) this.reader.seeOthersUnchanged(scan.readAfter, new Set());
    else {
      const claim = this.reader.find([path], [found], scan.readAfter);
      this.reader.see(path, scan.readAfter, claim);
      const isCounted = claim === undefined;
      if (by === 'backline') assert.ok(!isCounted, 'what Backline has written is counted as work of the agent');
      else if (this.isCertain(found)) assert.ok(isCounted, 'work of the agent is hidden');
    }
    this.decided.push({ beganAt: scan.beganAt, contents: found });
  }

  /** Whether nobody can take these contents, which the agent has written, for those that Backline writes at about the same time. */
  private isCertain(found: string): boolean {
    const same = this.writes.filter(
      (write) => (write.contents === found || write.left === found) && !write.isWithdrawn,
    );
    return same.every(({ closedAt }) =>
      this.decided.some((earlier) => earlier.contents !== found && earlier.beganAt > (closedAt ?? Infinity)),
    );
  }
}

describe('Who has written a file, in any order of announcement, write, failure, death and scan', () => {
  for (const isSameWindow of [true, false]) {
    it(`is known in ${isSameWindow ? 'the same' : 'another'} window: nothing of Backline is counted, nothing of the agent is hidden`, () => {
      fc.assert(
        fc.property(steps, (some) => {
          const model = new Model(isSameWindow);
          for (const one of some.flat()) model.run(one);
        }),
        { numRuns: 5_000 },
      );
    });
  }
});

describe('Claims of what was found', () => {
  const before = 'x';
  it('count for turns that began before, until the turn has read other contents', () => {
    const claims = new FileTextClaims();
    const [one, other] = [new ConversationClaims(claims), new ConversationClaims(claims)];
    const reader = other.reader(claims.now);
    one.claim(path, before);
    assert.equal(other.reader(claims.now).find([path], [before], claims.now), undefined);
    assert.equal(one.reader(0).find([path], [before], claims.now), undefined);
    const claim = reader.find([path], [before], claims.now);
    assert.ok(claim);
    reader.see(path, claims.now, claim);
    assert.equal(reader.find([path], [before], claims.now), claim);
    reader.see(path, claims.now, undefined);
    assert.equal(reader.find([path], [before], claims.now), undefined);
  });

  it('end with later ones, but not for what was read before those', () => {
    const claims = new FileTextClaims();
    const [one, other] = [new ConversationClaims(claims), new ConversationClaims(claims)];
    const reader = other.reader(claims.now);
    one.claim(path, 'first');
    const readAfter = claims.now;
    one.claim(path, 'second');
    assert.ok(reader.find([path], ['first'], readAfter));
    assert.equal(reader.find([path], ['first'], claims.now), undefined);
    assert.ok(reader.find([path], ['second'], claims.now));
    // Found by a slow scan, though it was in the file before.
    one.claim(path, 'older', readAfter);
    assert.ok(reader.find([path], ['second'], claims.now));
  });

  it('of the time before the window began count only for a turn of that time', () => {
    const claims = new FileTextClaims();
    claims.claimEarlier({}, path, ['x']);
    claims.claimEarlier({}, path, ['y']);
    const own = new ConversationClaims(claims);
    assert.ok(own.reader(0).find([path], ['x'], claims.now));
    assert.equal(own.reader(0).find([path], ['y'], claims.now), undefined);
    assert.equal(own.reader(claims.now).find([path], ['x'], claims.now), undefined);
  });
});
