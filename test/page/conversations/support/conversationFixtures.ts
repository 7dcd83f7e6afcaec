// What the host of the page of all conversations tells in tests.
import type { BackendView, ConversationRow } from '../../../../src/chat/common/chatView';

/** When tests take place; the clock of their host stands at it. */
export const now = new Date(2026, 10, 20, 12, 0, 0).getTime();

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const shop = { id: '/work/shop/.git', name: 'shop' };
const parser = { id: '/home/me/parser/.git', name: 'parser' };

export function rowOf(id: string, part: Partial<ConversationRow> = {}): ConversationRow {
  return {
    id,
    title: `Conversation ${id}`,
    backendId: 'acp:claude',
    backendTitle: 'Claude Code',
    updatedAt: now - hourMs,
    state: 'idle',
    repository: shop,
    ...part,
  };
}

/** Rows with these titles, which are also their ids; the first one is the newest. */
export function rowsTitled(...titles: readonly string[]): ConversationRow[] {
  return titles.map((title, at) => rowOf(title, { title, updatedAt: now - at * minuteMs }));
}

export const answerable = rowOf('answer', {
  title: 'Update the parser',
  state: 'waiting',
  backendId: 'acp:codex',
  backendTitle: 'Codex',
  branch: 'fix/parser',
  need: {
    kind: 'approval',
    text: 'Wants to run: npm test -- parser',
    since: now - 20 * minuteMs,
    answer: { approvalId: 'a1', shown: 'hash-1', allow: 'Yes, run it', reject: 'No' },
  },
});

/** One of each kind, in no order. */
export const rows: ConversationRow[] = [
  rowOf('idle1', {
    title: 'Why does the build fail on Windows?',
    updatedAt: now - 3 * hourMs,
    branch: 'main',
    cost: { amount: 0.4213, currency: 'USD' },
  }),
  rowOf('busy', {
    title: 'Fix the login',
    state: 'busy',
    activity: { kind: 'running', title: 'npm test', isCommand: true, since: now - 42_000 },
    turnStartedAt: now - 3 * minuteMs,
    branch: 'fix/login',
    changes: { files: 4, added: 120, removed: 33 },
    cost: { amount: 0.42, currency: 'USD' },
  }),
  answerable,
  rowOf('ask', {
    title: 'Move the settings to a page of their own',
    state: 'waiting',
    need: { kind: 'approval', text: 'Wants to edit src/settings/page.ts', since: now - 2 * minuteMs },
    elsewhere: { folder: '/home/me/parser', isGone: false },
    repository: parser,
    isInOtherWindow: true,
    branch: 'settings',
    changes: { files: 1, added: 8, removed: 2 },
  }),
  rowOf('done', {
    title: 'Rename greet to welcome',
    state: 'unread',
    updatedAt: now - 5 * minuteMs,
    branch: 'main',
    changes: { files: 12, added: 1204, removed: 388 },
    cost: { amount: 1.2, currency: 'USD' },
  }),
  rowOf('failed', {
    title: 'Translate the documentation',
    state: 'failed',
    isUnseen: true,
    backendId: 'acp:gemini',
    backendTitle: 'Gemini CLI',
    updatedAt: now - 2 * hourMs,
  }),
  rowOf('broken', { title: 'Profile the start', state: 'interrupted', updatedAt: now - 20 * hourMs, branch: 'perf' }),
  rowOf('pinned', {
    title: 'Release notes',
    isPinned: true,
    updatedAt: now - 9 * dayMs,
    branch: 'release/1.4',
    cost: { amount: 0.003, currency: 'USD' },
  }),
  rowOf('elsewhere', {
    title: 'A grammar for dates',
    updatedAt: now - 26 * hourMs,
    elsewhere: { folder: '/home/me/parser', isGone: false },
    repository: parser,
    branch: 'dates',
  }),
  rowOf('long', {
    title: 'A_very_long_title_without_any_spaces_that_has_to_be_cut_somewhere',
    updatedAt: now - 3 * dayMs,
    branch: 'feature/a-branch-with-a-name-that-is-longer-than-the-row',
    changes: { files: 3, added: 5, removed: 1 },
    cost: { amount: 12.5, currency: 'USD' },
  }),
  rowOf('amp', {
    title: 'Explain the cache',
    backendId: 'amp',
    backendTitle: 'Amp',
    source: 'amp',
    updatedAt: now - 12 * dayMs,
  }),
  rowOf('old', { title: 'First steps', updatedAt: now - 400 * dayMs, isArchived: true }),
];

export const backends: BackendView[] = [
  { id: 'acp:claude', title: 'Claude Code', description: 'claude-code-acp', source: 'installed', state: 'ready' },
  { id: 'acp:codex', title: 'Codex', description: 'codex', source: 'installed', state: 'stopped' },
  { id: 'demo', title: 'Demo agent', description: '', source: 'demo', state: 'ready' },
];
