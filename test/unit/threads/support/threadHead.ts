import type { ThreadHead } from '../../../../src/threads/common/threadPorts';

/** A thread as lists know it. */
export function head(id: string, part: Partial<ThreadHead> = {}): ThreadHead {
  return {
    id,
    source: 'local',
    title: `Title of ${id}`,
    folders: ['/home/kim/shop'],
    lastPromptAt: 1_000,
    promptCount: 1,
    messageCount: 2,
    hasChanges: false,
    isArchived: false,
    state: 'idle',
    relations: [],
    ...part,
  };
}
