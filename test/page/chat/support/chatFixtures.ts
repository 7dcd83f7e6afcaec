// What the host of the chat tells in tests.
import type * as z from 'zod/mini';
import type { ChatUpdate } from '../../../../src/chat/common/page/chatApi';
import type {
  ApprovalView,
  BackendView,
  ConversationRow,
  ConversationView,
} from '../../../../src/chat/common/chatView';
import type { Entry } from '../../../../src/transcript/common/entries';

export type Update = z.input<typeof ChatUpdate>;

/** When tests take place; the clock of their pages begins here. */
export const now = Date.UTC(2026, 10, 20, 12, 0, 0);

const demoBackend: BackendView = {
  id: 'demo',
  title: 'Demo agent',
  description: 'Comes with Backline and needs no account',
  source: 'demo',
  state: 'ready',
};

export const backends: BackendView[] = [
  demoBackend,
  {
    id: 'claude',
    title: 'Claude Code',
    description: 'claude-code-acp',
    source: 'found',
    state: 'authRequired',
    problem: 'Claude Code asks you to sign in: run its login once.',
  },
  {
    id: 'amplifier',
    title: 'Amplifier',
    description: 'http://127.0.0.1:8420',
    source: 'server',
    state: 'unavailable',
    problem: 'No server answers at 127.0.0.1:8420. Start one with "amplifier serve".',
  },
];

export function sessionOf(part: Partial<ConversationView> = {}): ConversationView {
  return {
    id: 's1',
    title: 'Rename greet to welcome',
    backendId: 'demo',
    backendTitle: 'Demo agent',
    status: 'idle',
    approvals: [],
    queue: [],
    options: [],
    commands: [
      { name: 'help', description: 'Show what the demo agent can do' },
      { name: 'summarize', description: 'Count the lines, declarations and TODOs in a file', hint: 'path' },
      { name: 'sort', description: 'Sort the imports of a file' },
    ],
    takesImages: true,
    changes: [],
    ...part,
  };
}

export const entries: Entry[] = [
  { kind: 'prompt', id: 'p1', turn: 1, text: 'Rename greet to welcome in src/greeting.ts' },
  { kind: 'thinking', id: 't1', turn: 1, text: 'I read the file first, then propose one change.', durationMs: 1200 },
  {
    kind: 'tool',
    id: 'c1',
    turn: 1,
    name: 'read',
    title: 'Read src/greeting.ts',
    toolKind: 'read',
    state: 'done',
    parts: [{ type: 'file', path: 'src/greeting.ts', text: 'export function greet() {\n  return "Hello";\n}\n' }],
    durationMs: 12,
  },
  {
    kind: 'answer',
    id: 'a1',
    turn: 1,
    text: 'I found **3** places. The function is exported, so its callers change too:\n\n- `src/greeting.ts`\n- `src/main.ts`\n\n```ts\nexport function welcome(): string {\n  return "Hello";\n}\n```\n',
  },
  { kind: 'end', id: 'e1', turn: 1, outcome: 'completed', durationMs: 4200, usage: { input: 1200, output: 340 } },
];

export const commandApproval: ApprovalView = {
  id: 'ap1',
  prompt: 'Run a command in the terminal?',
  asks: 'Demo agent',
  mode: 'Ask first',
  parts: [{ type: 'terminal', command: 'npm test -- --grep "greeting" && git status --short', output: '' }],
  options: [
    { label: 'Allow once', kind: 'allow_once' },
    { label: 'Always allow', kind: 'allow_always', scope: 'npm test *' },
    { label: 'Reject', kind: 'reject_once' },
  ],
  expiresInMs: 300_000,
  state: 'pending',
};

export const diffApproval: ApprovalView = {
  id: 'ap2',
  prompt: 'Edit src/greeting.ts?',
  asks: 'Demo agent',
  parts: [
    {
      type: 'diff',
      path: 'src/greeting.ts',
      change: 'modified',
      added: 2,
      removed: 2,
      hunks: [
        {
          oldStart: 1,
          newStart: 1,
          lines: [
            { kind: 'remove', text: 'export function greet(name: string): string {' },
            { kind: 'add', text: 'export function welcome(name: string): string {' },
            { kind: 'context', text: '  return `Hello, ${name}`;' },
            { kind: 'context', text: '}' },
            { kind: 'remove', text: 'greet("you");' },
            { kind: 'add', text: 'welcome("you");' },
          ],
        },
      ],
    },
  ],
  options: [
    { label: 'Allow once', kind: 'allow_once' },
    { label: 'Reject', kind: 'reject_once' },
  ],
  state: 'pending',
};

export const greeting: ConversationView['changes'][number] = {
  path: 'src/greeting.ts',
  change: 'modified',
  added: 8,
  removed: 3,
  state: 'applied',
};

export const changes: ConversationView['changes'] = [
  greeting,
  {
    path: 'src/deeply/nested/folder/with/a/long/name/main.ts',
    change: 'modified',
    added: 3,
    removed: 1,
    state: 'changedSince',
  },
  { path: 'src/welcome.ts', change: 'created', added: 1, removed: 0, state: 'applied' },
];

/** In the order of the host. */
export const rows: ConversationRow[] = [
  {
    id: 's3',
    title: 'Tests for the parser',
    backendId: 'demo',
    backendTitle: 'Demo agent',
    updatedAt: now - 30 * 3_600_000,
    state: 'waiting',
  },
  {
    id: 's2',
    title: 'Why does the build fail on Windows?',
    backendId: 'acp:claude',
    backendTitle: 'Claude Code',
    updatedAt: now - 3_600_000,
    state: 'busy',
  },
  {
    id: 's1',
    title: 'Rename greet to welcome',
    backendId: 'demo',
    backendTitle: 'Demo agent',
    updatedAt: now - 60_000,
    state: 'idle',
  },
  {
    id: 's4',
    title: 'A_very_long_title_without_any_spaces_that_has_to_be_cut_somewhere',
    backendId: 'amplifier',
    backendTitle: 'Amplifier',
    updatedAt: now - 40 * 86_400_000,
    state: 'unread',
  },
];

/** What a page is told first. */
export function snapshot(session: ConversationView | null, part: Update = {}): Update {
  return {
    session,
    transcript: { reset: true, put: session ? entries : [], before: 0 },
    sessions: rows,
    backends,
    chosenBackend: 'demo',
    folders: ['/work'],
    draft: { text: '', attachments: [] },
    history: ['first prompt', 'second prompt\nwith two lines', 'third prompt'],
    untrusted: false,
    ...part,
  };
}
