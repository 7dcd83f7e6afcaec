// What the host posts to the page of the chat, without an editor and without agents.
import type { Clock } from '../../src/base/common/async';
import { Emitter } from '../../src/base/common/event';
import type { DraftTransition } from '../../src/chat/common/chatPorts';
import type { ChatUpdate } from '../../src/chat/common/page/chatApi';
import { PageFeed } from '../../src/chat/common/page/feed/pageFeed';

/** A feed that has started. The caller disposes it. */
export function benchFeed(clock: Clock, post: (update: ChatUpdate) => void): PageFeed {
  const silent = new Emitter<void>(fail).event;
  const feed = new PageFeed({
    chats: { rows: [], onDidChange: silent },
    backends: { backendViews: [], chosenBackend: undefined, onDidChange: silent },
    chips: { chipsFor: () => Promise.resolve([]), onDidChange: silent },
    offered: { currentRow: () => Promise.resolve(undefined), onDidChange: silent },
    notices: { views: [], onDidChange: silent },
    attached: { findMissing: () => Promise.resolve([]), onDidChange: silent },
    enterDuringTurn: { value: 'steer', onDidChange: silent },
    keyChords: { prefixes: [], onDidChange: silent },
    newOptions: {
      of: () => ({ options: [], choose: () => undefined }),
      commandsFor: () => [],
      rememberCommands: () => undefined,
      onDidChange: silent,
    },
    presets: { onDidChange: silent, presetFor: () => undefined, viewFor: () => ({ presets: [] }) },
    draftComments: { value: 0, onDidChange: silent },
    reviewed: { countsOf: () => undefined, onDidChange: silent },
    folders: () => ['/work'],
    isTrusted: () => true,
    newDraft: { value: { text: '', attachments: [] }, onDidSendOrRestore: new Emitter<DraftTransition>(fail).event },
    post,
    onOutdated: () => undefined,
    clock,
  });
  feed.start();
  return feed;
}

function fail(error: unknown): never {
  throw error;
}
