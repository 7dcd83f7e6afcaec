import type { Clock } from '../../../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../../../base/common/disposable';
import type { Event } from '../../../../base/common/event';
import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { BackendView, ConversationRow } from '../../chatView';
import type { ConversationList } from '../../list/conversationList';
import type { ConversationsUpdate } from '../conversationsApi';
import { PagePace } from './pagePace';

interface ConversationsFeedPorts {
  readonly list: Pick<ConversationList, 'rows' | 'onDidChange' | 'show'>;
  readonly backends: { readonly backendViews: readonly BackendView[]; readonly onDidChange: Event<void> };
  /** First keys of multi-key shortcuts. */
  readonly keyChords: { readonly prefixes: readonly string[]; readonly onDidChange: Event<void> };
  /** Returns the ids of the repositories in which this window works. */
  readonly repositories: () => readonly string[];
  /** Returns the id of the conversation that the chat shows. */
  readonly shownChat: () => string | undefined;
  /** Fires when the chat may show another conversation. */
  readonly onDidChangeShown: Event<void>;
  readonly clock: Clock;
  readonly post: (update: ConversationsUpdate) => void;
}

/** How long the next update waits for a page that does not say that it has shown the last one. */
const maxUnshownMs = 2_000;

/** What a page knows besides rows. */
type Facts = Required<Pick<ConversationsUpdate, 'backends' | 'shown' | 'repositories' | 'keyChords'>>;

/** Sends what has changed in the list of conversations to one page, while that is visible. */
export class ConversationsFeed implements Disposable {
  private readonly pace: PagePace;
  /** Undefined while there is no page. */
  private connection: DisposableStore | undefined;
  private sentRows = new Map<string, ConversationRow>();
  private sentFacts: Partial<Facts> = {};
  private unshownTimer: Disposable | undefined;

  constructor(private readonly ports: ConversationsFeedPorts) {
    this.pace = new PagePace(ports.clock, () => this.postChanges());
  }

  get hasPage(): boolean {
    return this.connection !== undefined;
  }

  /** Starts sending to a new page. The first update is complete. */
  connectPage(): void {
    this.disconnectPage();
    const { backends, keyChords, list, onDidChangeShown } = this.ports;
    const connection = (this.connection = new DisposableStore());
    const schedule = (): void => this.pace.schedule();
    connection.add(
      toDisposable(() => {
        this.pace.dispose();
        this.unshownTimer?.dispose();
        this.unshownTimer = undefined;
      }),
    );
    for (const change of [backends.onDidChange, keyChords.onDidChange, list.onDidChange, onDidChangeShown])
      connection.add(change(schedule));
    connection.add(list.show());
    this.post({ isComplete: true, rows: this.takeRows().rows ?? [], ...this.takeFacts() });
  }

  /** Stops sending, because the page is hidden or closed. */
  disconnectPage(): void {
    this.connection?.dispose();
    this.connection = undefined;
    this.sentRows = new Map();
    this.sentFacts = {};
  }

  /** The page has shown one of the updates. */
  onShown(): void {
    this.unshownTimer?.dispose();
    this.unshownTimer = undefined;
    if (this.connection) this.pace.onShown();
  }

  dispose(): void {
    this.disconnectPage();
  }

  private postChanges(): void {
    const update = { ...this.takeRows(), ...this.takeFacts() };
    if (Object.keys(update).length > 0) this.post(update);
  }

  private post(update: ConversationsUpdate): void {
    this.pace.onPosted();
    // A message can be lost. Nothing else would come then.
    this.unshownTimer ??= this.ports.clock.setTimer(maxUnshownMs, () => {
      this.unshownTimer = undefined;
      this.pace.forgetUnshown();
    });
    this.ports.post(update);
  }

  /** Returns the rows that the page does not have yet, and the ids of those that are gone. */
  private takeRows(): Pick<ConversationsUpdate, 'rows' | 'removed'> {
    const before = this.sentRows;
    const now = (this.sentRows = new Map(this.ports.list.rows.map((row) => [row.id, row])));
    const rows = [...now.values()].filter((row) => !isSame(before.get(row.id), row));
    const removed = [...before.keys()].filter((id) => !now.has(id));
    return { ...(rows.length > 0 && { rows }), ...(removed.length > 0 && { removed }) };
  }

  private takeFacts(): Partial<Facts> {
    const { backends, keyChords, repositories, shownChat } = this.ports;
    const before = this.sentFacts;
    const now: Facts = {
      backends: [...backends.backendViews],
      shown: shownChat() ?? null,
      repositories: [...repositories()],
      keyChords: [...keyChords.prefixes],
    };
    this.sentFacts = now;
    const changed = <Name extends keyof Facts>(name: Name): Facts[Name] | undefined =>
      isSame(before[name], now[name]) ? undefined : now[name];
    return withoutUndefined({
      backends: changed('backends'),
      shown: changed('shown'),
      repositories: changed('repositories'),
      keyChords: changed('keyChords'),
    });
  }
}

function isSame(before: unknown, now: unknown): boolean {
  return before === now || JSON.stringify(before) === JSON.stringify(now);
}
