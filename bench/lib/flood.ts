import type { DraftTransition } from '../../src/chat/common/chatPorts';
import type { ChatUpdate } from '../../src/chat/common/page/chatApi';
import { PageFeed } from '../../src/chat/common/page/pageFeed';
import { ChatTranscript } from '../../src/chat/common/transcript/chatTranscript';
import { Emitter } from '../../src/base/common/event';
import { systemClock } from '../../src/base/node/systemClock';
import type { SessionEvent } from '../../src/session/common/sessionEvents';
import { FakeChat } from '../../test/fake/fakeChats';

/** An agent thinks and answers in turns, 10 KB each. */
const updatesPerBlock = 2_000;
const silent = new Emitter<void>(fail).event;

/** The host's part for one conversation in which an agent writes an answer. Dispose it. */
export class FloodedChat {
  readonly chat = new FakeChat('s1');
  readonly feed: PageFeed;
  private readonly transcript = new ChatTranscript(this.chat.transcript, 'Demo agent');
  private toldCount = 0;

  constructor(post: (update: ChatUpdate) => void) {
    this.feed = new PageFeed({
      chats: { rows: [], onDidChange: silent },
      backends: { backendViews: [], chosenBackend: undefined, onDidChange: silent },
      chips: { chipsFor: () => Promise.resolve([]), onDidChange: silent },
      offered: { currentRow: () => Promise.resolve(undefined), onDidChange: silent },
      attached: { findMissing: () => Promise.resolve([]), onDidChange: silent },
      notices: { views: [], onDidChange: silent },
      keyChords: { prefixes: [], onDidChange: silent },
      newOptions: {
        optionsFor: () => [],
        observedUnattendedAction: () => undefined,
        commandsFor: () => [],
        rememberCommands: () => undefined,
        onDidChange: silent,
      },
      folders: () => ['/work'],
      isTrusted: () => true,
      newDraft: { value: { text: '', attachments: [] }, onDidSendOrRestore: new Emitter<DraftTransition>(fail).event },
      post,
      onOutdated: () => undefined,
      clock: systemClock,
    });
    this.feed.start();
    this.feed.show(this.chat);
  }

  /** Tells a constant number of updates a second until `isOver`. Resolves to how many there were. */
  async flood(eventsPerSecond: number, isOver: () => boolean): Promise<number> {
    const startMs = performance.now();
    let told = 0;
    while (!isOver()) {
      const due = Math.floor(((performance.now() - startMs) * eventsPerSecond) / 1_000);
      for (; told < due; told++) this.tell(this.nextEvent());
      await new Promise((resolve) => setImmediate(resolve));
    }
    return told;
  }

  dispose(): void {
    this.feed.dispose();
    this.chat.transcript.dispose();
  }

  private tell(event: SessionEvent): void {
    this.transcript.applyRecord({ type: 'event', at: Date.now(), event });
  }

  private nextEvent(): SessionEvent {
    const session_id = 's1';
    const at = this.toldCount++;
    const block_index = Math.floor(at / updatesPerBlock);
    if (at % updatesPerBlock === 0) {
      const block_type = block_index % 2 === 0 ? 'text' : 'thinking';
      return { event: 'content_block:start', data: { session_id, block_type, block_index } };
    }
    const delta = at % 40 === 0 ? 'word.\n\n' : 'word ';
    return { event: 'content_block:delta', data: { session_id, block_index, delta } };
  }
}

function fail(error: unknown): never {
  throw error;
}
