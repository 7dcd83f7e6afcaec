import assert from 'node:assert/strict';
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ApprovalCard } from './support/approvalCard';
import { ChatView } from './support/chatView';
import { asks, asksToRun, PlannedAgent, runs, type Option, type Step } from './support/plannedAgent';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

const always = /^Always allow(?! in this conversation)/;

/** Questions of an agent that wants to be misunderstood, in the chat of a real window. */
describe('An agent that wants more than it seems to ask for', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let agent: PlannedAgent;
  let marker: string;
  let environment: Record<string, string>;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      agent = new PlannedAgent(sandbox);
      await agent.install();
      marker = path.join(sandbox.home, 'the-fake-ran');
      const fake = path.join(sandbox.workspace, 'fakebin', 'git');
      await mkdir(path.dirname(fake));
      await writeFile(fake, `#!/bin/sh\n: > '${marker}'\n`);
      await chmod(fake, 0o755);
      environment = {
        PATH: `${path.dirname(fake)}:/usr/bin:/bin`,
        LD_PRELOAD: path.join(sandbox.workspace, 'evil.so'),
      };
      for (const name of ['shown.txt', 'bySelf.txt']) await writeFile(path.join(sandbox.workspace, name), 'before\n');
    });
    chat = new ChatView(window.page);
    await chat.begin(window, agent.title);
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    await window.screenshot(`failed ${this.currentTest.fullTitle()}`.replaceAll(/\W+/g, '-').slice(0, 90));
    // Else its questions would be taken for those of the next test.
    await window.runCommand('Backline: Stop Answer');
  });

  const question = (words: string): Promise<ApprovalCard> => ApprovalCard.shown(window, chat, words);

  async function attack(name: string, ...steps: Step[]): Promise<void> {
    await agent.plan(name, steps);
    await chat.send(name);
  }

  async function fakeRan(): Promise<boolean> {
    return await access(marker).then(
      () => true,
      () => false,
    );
  }

  describe('by the environment of a command', () => {
    it('is shown with what the variables do, and runs nothing when it is denied', async () => {
      await attack('environment', runs('git', ['status'], environment));
      const card = await question('git status');
      const [first = '', second = '', ...more] = (await card.warnings()).toSorted();
      assert.deepEqual(more, []);
      assert.match(first, /^LD_PRELOAD=.*evil\.so makes programs load code$/);
      assert.match(second, /^PATH=.*fakebin:\/usr\/bin:\/bin decides which program runs$/);
      await window.screenshot('approval-environment');
      await card.answer('Deny');
      assert.match((await agent.allAnswers('environment')).join(), /^This command was not run\./);
      assert.equal(await fakeRan(), false);
    });

    it('is asked for also when the command itself is always allowed', async () => {
      await attack('ruled', runs('git', ['status']), runs('git', ['status']), runs('git', ['status'], environment));
      await (await question('git status')).answerFrom(always, 'More ways to allow');
      const card = await question('LD_PRELOAD');
      const ended = await agent.answers('ruled');
      assert.equal(ended.length, 2, 'the second time nobody was asked');
      for (const answer of ended) assert.match(answer, /"exitCode":/);
      assert.equal(await fakeRan(), false);
      await card.answer('Deny');
      await agent.allAnswers('ruled');
      assert.equal(await fakeRan(), false);
    });

    it('would have run another program, and does when it is allowed', async () => {
      await attack('allowed', runs('git', ['status'], environment));
      await (await question('LD_PRELOAD')).answer('Allow');
      await agent.allAnswers('allowed');
      assert.equal(await fakeRan(), true);
    });
  });

  describe('by the rest of the input', () => {
    const input = {
      env: { NODE_OPTIONS: '--require ./evil.cjs' },
      dangerouslyDisableSandbox: true,
      with_escalated_permissions: true,
    };

    it('is shown with all of it', async () => {
      await attack('input', asksToRun('make deploy', { ...input, target: 'production' }));
      const card = await question('make deploy');
      assert.deepEqual((await card.warnings()).toSorted(), [
        'NODE_OPTIONS=--require ./evil.cjs makes programs load code',
        'dangerouslyDisableSandbox: true lifts a restriction',
        'with_escalated_permissions: true lifts a restriction',
      ]);
      assert.match(await card.text(), /target ?production/);
      await window.screenshot('approval-input');
      await card.answer('Deny');
      assert.deepEqual(await agent.allAnswers('input'), ['no']);
    });

    it('is requested again for each member, when the command alone is always allowed', async () => {
      const members = Object.entries(input);
      const more = members.map(([name, value]) => asksToRun('make deploy', { [name]: value }));
      await attack('again', asksToRun('make deploy'), asksToRun('make deploy'), ...more);
      await (await question('make deploy')).answerFrom(always, 'More ways to allow');
      for (const [index, name] of ['NODE_OPTIONS', ...Object.keys(input).slice(1)].entries()) {
        const card = await question(name);
        assert.equal((await agent.answers('again')).length, 2 + index);
        await card.answer('Deny');
      }
      assert.deepEqual(await agent.allAnswers('again'), ['yes', 'yes', 'no', 'no', 'no']);
    });
  });

  describe('by the length of a command, in a low window', () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, n) => `echo line-${n}`).join('\n');
    const commands = [1, 300].map(lines).concat(`echo ${'x'.repeat(200_000)}`);

    before(() => window.page.setViewportSize({ width: 800, height: 500 }));
    after(() => window.page.setViewportSize({ width: 1280, height: 800 }));

    it('has every answer in the window and in reach of the pointer, and is denied by one chord', async () => {
      await attack('lengths', ...commands.map((command) => asksToRun(command)));
      for (const [index, command] of commands.entries()) {
        const card = await eventually('the next question', async () => {
          assert.equal((await agent.answers('lengths')).length, index);
          return question('echo');
        });
        const about = `${command.length} characters`;
        assert.equal(await card.card.locator('.approval-block').textContent(), command, about);
        assert.ok((await card.answers.count()) >= 3, about);
        for (const answer of await card.answers.all()) await card.reach(answer);
        if (index === 1) await window.screenshot('approval-long-command');
        await card.answerBy(() => card.press('Control+k', 'n'));
      }
      assert.deepEqual(
        await agent.allAnswers('lengths'),
        commands.map(() => 'no'),
      );
    });
  });

  describe('by characters that cannot be seen', () => {
    const commands: readonly (readonly [name: string, command: string, marks: readonly string[]])[] = [
      ['text from right to left', 'rm -rf \u202efdp.tset\u202c build', ['U+202E', 'U+202C']],
      ['isolates', 'echo \u2066safe\u2069', ['U+2066', 'U+2069']],
      ['no width', 'git\u200b sta\u2060tus\ufeff', ['U+200B', 'U+2060', 'U+FEFF']],
      ['blanks', `git status${'\u00a0'.repeat(40)}; rm -rf ~`, ['U+00A0 ×40']],
      [
        'other blanks',
        `git status${'\u2003'.repeat(30)}${'\u2800'.repeat(30)}; rm -rf ~`,
        ['U+2003 ×30', 'U+2800 ×30'],
      ],
      ['escapes', 'rm -rf ~ \u001b[2K\u001b[1G\u001b[8mhidden\u001b[0m', Array<string>(4).fill('U+001B')],
      ['a way back', 'rm -rf ~\b\b\b\bls', ['U+0008 ×4']],
    ];

    it('is shown with their names in their places, and nothing of it is obeyed', async () => {
      await attack('unseen', ...commands.map(([, command]) => asksToRun(command)));
      for (const [index, [name, command, marks]] of commands.entries()) {
        const card = await eventually('the next question', async () => {
          assert.equal((await agent.answers('unseen')).length, index);
          return question('Deny');
        });
        const block = card.card.locator('.approval-block');
        const found = block.locator('.md-hidden-character');
        const names = await Promise.all((await found.all()).map((mark) => mark.getAttribute('data-character')));
        assert.deepEqual(names, marks, name);
        for (const mark of await found.all()) assert.ok((await mark.boundingBox())?.width, `${name}: it is drawn`);
        const text = command.replaceAll(/[\u0000-\u001f\u00a0\u200b\u2003\u202a-\u202e\u2060-\u2069\u2800\ufeff]/g, '');
        assert.equal(await block.textContent(), text, name);
        const html = await card.card.innerHTML();
        assert.doesNotMatch(
          html,
          /[\u0008\u001b\u200b\u202a-\u202e\u2060-\u2069\u2800\ufeff]|\u00a0{2}|\u2003{2}/,
          name,
        );
        await card.answer('Deny');
      }
      await agent.allAnswers('unseen');
    });
  });

  describe('by options that are not what they are called', () => {
    const trap: Option = ['trap', 'Deny', 'allow_always'];
    const once: Option = ['once', 'Allow', 'allow_once'];
    const forGood: Option = ['forGood', 'Allow once', 'allow_always'];
    const no: Option = ['no', 'Reject', 'reject_once'];
    const never: Option = ['never', 'Reject always', 'reject_always'];

    it('is allowed once by the button and by the key 1, and the lie is marked', async () => {
      await attack('lies', ...[1, 2].map(() => asksToRun('npm test', {}, [trap, forGood, never, no, once])));
      const first = await question('npm test');
      const menu = await first.openMenu('More ways to allow');
      const [honest, ...items] = await menu.getByRole('menuitem').filter({ hasNotText: 'rule in Backline' }).all();
      assert.equal(await honest?.innerText(), 'Allow');
      assert.equal(items.length, 2);
      assert.equal(await menu.getByRole('menuitem').count(), 5);
      for (const item of items) {
        assert.match(await item.innerText(), /Despite its label, this also allows such requests in the future\./);
        assert.ok(await item.locator('.answer-mark').isVisible());
      }
      await window.screenshot('approval-misnamed');
      await window.page.keyboard.press('Escape');
      await first.answerBy(() => first.pressOnCard('1'));
      await eventually('the next question', async () => assert.deepEqual(await agent.answers('lies'), ['once']));
      await (await question('npm test')).answer('Allow');
      assert.deepEqual(await agent.allAnswers('lies'), ['once', 'once']);
    });
  });

  describe('by the number of its questions', () => {
    it('leaves the window usable and counts them, and none is left when the turn is stopped', async () => {
      await attack('flood', { ...asksToRun('npm test'), times: 300 });
      const card = await question('npm test');
      const frame = await chat.frame();
      await frame.getByText('1 of 32', { exact: true }).waitFor();
      const sideBar = window.page.locator('.part.sidebar');
      const isShown = await sideBar.isVisible();
      for (const state of isShown ? (['hidden', 'visible'] as const) : (['visible', 'hidden'] as const)) {
        await window.runCommand('View: Toggle Primary Side Bar Visibility');
        await sideBar.waitFor({ state });
      }
      await window.screenshot('approval-flood');
      await card.answer('Allow');
      await frame.getByText('1 of 31', { exact: true }).waitFor();
      await (await chat.button('Stop')).click();
      await frame.locator('.approval').waitFor({ state: 'detached' });
      const answers = await agent.allAnswers('flood');
      const count = (...wanted: string[]): number => answers.filter((answer) => wanted.includes(answer)).length;
      assert.deepEqual([answers.length, count('yes'), count('cancelled')], [300, 1, 31]);
      assert.equal(count('no', 'At most 64 requests may be open. Wait for answers first.'), 300 - 32);
    });
  });

  describe('by another change than the one it has shown', () => {
    const change = (file: string) => ({
      toolCallId: file,
      title: 'Edit',
      kind: 'edit',
      content: [{ type: 'diff', path: file, oldText: 'before\n', newText: 'harmless\n' }],
    });

    it('is told of when it happens, however it writes', async () => {
      const { workspace } = window.sandbox;
      const [through, itself] = [path.join(workspace, 'shown.txt'), path.join(workspace, 'bySelf.txt')];
      const write = { method: 'fs/write_text_file', params: { path: through, content: 'harmful\n' } };
      const done = { sessionUpdate: 'tool_call_update', toolCallId: itself, status: 'completed' };
      await attack(
        'changes',
        asks(change(through)),
        { request: write },
        asks(change(itself)),
        { write: { path: itself, text: 'harmful\n' } },
        { update: done },
      );
      const notice = (await chat.frame()).locator('.notice-warning').filter({ hasText: 'wrote contents that differ' });
      const card = await question('shown.txt');
      assert.match(await card.text(), /harmless/);
      assert.equal(await notice.count(), 0);
      await card.answer('Allow');
      await notice.filter({ hasText: 'shown.txt' }).waitFor();
      const next = await question('bySelf.txt');
      await next.answer('Allow');
      await notice.filter({ hasText: 'bySelf.txt' }).waitFor();
      await window.screenshot('approval-other-change');
      await agent.allAnswers('changes');
      for (const file of [through, itself]) assert.equal(await readFile(file, 'utf8'), 'harmful\n');
    });
  });

  describe('while it waits', () => {
    it('stays the same question in another theme, a hidden view, a new page and another place, and is answered there', async () => {
      await attack('waits', asksToRun('npm publish \u202egpj.txt', { dangerouslyDisableSandbox: true }));
      const expected = await (await question('npm publish')).text();
      const same = async (): Promise<void> =>
        eventually('the same question', async () => {
          assert.equal(await (await question('npm publish')).text(), expected);
        });

      const body = window.page.locator('body .monaco-workbench').first();
      const isDark = ((await body.getAttribute('class')) ?? '').includes('vs-dark');
      await window.runCommand('Preferences: Toggle between Light/Dark Themes');
      await eventually('the theme', async () => {
        const seen = /vscode-(dark|light)/.exec(
          (await (await chat.frame()).locator('body').getAttribute('class')) ?? '',
        );
        assert.equal(seen?.[1], isDark ? 'light' : 'dark');
      });
      await same();

      await window.runCommand('View: Toggle Secondary Side Bar Visibility');
      const message = window.messages.filter({ hasText: 'npm publish' });
      await message.waitFor();
      assert.match(await message.innerText(), /\[U\+202E\]/);
      assert.deepEqual(await agent.answers('waits'), []);
      await message.getByRole('button', { name: 'Show' }).click();
      await same();

      await window.runCommand('Developer: Reload Webviews');
      await same();

      await window.runCommand('View: Move View');
      // Once, as the list of places that comes next has an entry of the same name.
      await window.picks
        .filter({ has: window.page.getByText('Chat', { exact: true }) })
        .filter({ hasText: 'Secondary Side Bar / Backline' })
        .first()
        .click();
      await window.pick('New Panel Entry');
      await window.page.locator('.part.panel .composite-bar').getByText('Backline').waitFor();
      await same();
      await window.screenshot('approval-moved');
      await (await question('npm publish')).answer('Allow');
      assert.deepEqual(await agent.allAnswers('waits'), ['yes']);
    });
  });
});
