// The card of each kind of question in four themes and three widths: pictures to look at, and what axe-core says of them.
import assert from 'node:assert/strict';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { overflowing } from '../../support/layout';
import { themeNames } from '../../support/themes';
import { changes, commandApproval, diffApproval, sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages } from '../support/chatPages';
import { takePicture } from '../../../support/pictures';

const options: ApprovalView['options'] = [
  { label: 'Allow', kind: 'allow_once' },
  { label: 'Always Allow', kind: 'allow_always', scope: 'any "npm test" in this folder, this conversation' },
  { label: 'Deny', kind: 'reject_once' },
];
const withoutDeadline: ApprovalView = { ...commandApproval, expiresInMs: undefined, options };

const edit: ApprovalView = { ...diffApproval, prompt: 'Claude wants to edit src/greeting.ts', asks: 'Claude', options };
const command: ApprovalView = {
  ...withoutDeadline,
  prompt: 'Codex wants to run git status',
  asks: 'Codex',
  subagent: 'Find out what has changed',
  parts: [{ type: 'terminal', command: 'git status --short', output: '' }],
  cwd: '/home/ada/work/shop/packages/cart',
  env: [
    { name: 'PATH', value: './fakebin:/usr/bin', effect: 'decides which program runs' },
    { name: 'CI', value: '1' },
  ],
  escalations: [{ name: 'dangerouslyDisableSandbox', value: 'true' }],
  more: [{ name: 'timeout', value: '60000' }],
};
const url: ApprovalView = {
  ...withoutDeadline,
  prompt: 'OpenCode wants to fetch https://example.com/api/orders',
  asks: 'OpenCode',
  parts: [{ type: 'text', text: 'https://example.com/api/orders?since=2026-11-01&limit=100', plain: true }],
};
const longCommand: ApprovalView = {
  ...withoutDeadline,
  prompt: 'Gemini wants to run a script of 40 lines',
  asks: 'Gemini',
  parts: [
    {
      type: 'terminal',
      command: Array.from(
        { length: 40 },
        (_, line) => `cp -r "packages/part-${line}/dist" "release/part-${line}"`,
      ).join('\n'),
      output: '',
    },
  ],
};
const waiting = [edit, { ...command, id: 'ap3' }, { ...url, id: 'ap4' }];

const states: Readonly<Record<string, readonly ApprovalView[]>> = {
  edit: [edit],
  command: [command],
  url: [url],
  'long command': [longCommand],
  'three waiting': waiting,
};
const sizes = [
  [250, 500],
  [400, 800],
  [800, 700],
] as const;

describe('the looks of a question', function () {
  this.timeout(180_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const [name, approvals] of Object.entries(states)) {
    for (const [width, height] of sizes) {
      it(`can be used by everyone in every theme: ${name}, ${width} px wide`, async () => {
        const session = sessionOf({ status: 'busy', approvals: [...approvals], changes });
        const chat = await pages.openChat(snapshot(session), { width, height, reducedMotion: true });
        for (const theme of themeNames) {
          await chat.setTheme(theme);
          await takePicture(chat.page, `approval-${name.replaceAll(' ', '-')}-${width}-${theme}`);
          assert.deepEqual(await chat.axe(), [], theme);
        }
        assert.deepEqual(await overflowing(chat.page), []);
        assert.deepEqual(chat.problems, []);
      });
    }
  }
});
