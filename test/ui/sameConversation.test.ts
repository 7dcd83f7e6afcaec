import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { inRoot } from '../../scripts/lib/paths.mjs';
import type { Sandbox } from '../../scripts/lib/vscode/sandbox.mjs';
import { AcpProgram } from '../fake/acp/acpProgram';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

const original = 'export const colour = 1;\nconsole.log(colour);\n';
const changed = original.replaceAll('colour', 'color');
const demoAgent = inRoot('dist', 'demo-agent.js');

interface ReachableAgent {
  /** Its entry in `backline.acp.agents`. */
  readonly entry: object;
  readonly stop?: () => Promise<unknown>;
}

type Reach = (sandbox: Sandbox, stateFolder: string) => Promise<ReachableAgent>;

/** How the demo agent is reached. It keeps its sessions in `stateFolder`. */
interface Kind {
  readonly name: string;
  readonly reach: Reach;
  /** Whether only turns are tried: how they are added to, stopped and ended. */
  readonly isTurnsOnly?: boolean;
}

const overLines: Reach = (_sandbox, stateFolder) =>
  Promise.resolve({
    entry: { command: 'node', args: [demoAgent, '--protocol', '1', '--state', stateFolder], protocol: '1' },
  });

/** The demo agent behind our own server, as on another machine. It keeps the folder of the workspace. */
async function overUrl(
  protocol: '1' | '2',
  scheme: 'http' | 'ws',
  ...[{ workspace }, stateFolder]: Parameters<Reach>
): Promise<ReachableAgent> {
  const agent = ['node', demoAgent, '--protocol', protocol, '--state', stateFolder];
  const args = ['--acp', '--port', '0', '--agent', agent.map((word) => `"${word}"`).join(' '), '--cwd', workspace];
  const program = new AcpProgram({ file: inRoot('dist', 'amplifier-server.js'), cwd: workspace, args });
  await program.start();
  const headers = { Authorization: `Bearer ${program.token}` };
  const entry = { url: program.url.replace(/^http/, scheme), headers, protocol };
  return { entry, stop: () => program.stop() };
}

/** Each version, and each way to an agent. The conformance suite runs with all pairs. */
const kinds: readonly Kind[] = [
  { name: 'ACP version 1', reach: overLines },
  { name: 'ACP version 2 at a URL', reach: (...where) => overUrl('2', 'ws', ...where) },
  {
    name: 'ACP version 1 over Streamable HTTP',
    reach: (...where) => overUrl('1', 'http', ...where),
    isTurnsOnly: true,
  },
];

for (const { isTurnsOnly = false, name, reach } of kinds) {
  const itWhole = isTurnsOnly ? (): void => undefined : it;
  describe(`A conversation over ${name}`, () => {
    const slug = name.replaceAll(/\W+/g, '-').toLowerCase();
    let agent: ReachableAgent | undefined;
    const title = `Same over ${name}`;
    // Each conversation has a file of its own: its changes are undone, and reviewed.
    const fileName = `colour${kinds.findIndex((kind) => kind.name === name)}.ts`;
    let window: VsCodeWindow;
    let chat: ChatView;
    let file: string;

    before(async () => {
      window = await sharedWindow(async (sandbox) => {
        file = path.join(sandbox.workspace, 'src', fileName);
        await writeFile(file, original);
        const stateFolder = path.join(sandbox.home, `sessions-${slug}`);
        await mkdir(stateFolder);
        agent = await reach(sandbox, stateFolder);
        const settings = { 'backline.acp.agents': { [title]: agent.entry }, 'backline.chat.backend': title };
        await writeUserSettings(sandbox, settings);
      });
      chat = new ChatView(window.page);
      // The language server of a new window has time to start until it is asked.
      await window.openFile(fileName);
      await window.runCommand('View: Close All Editors');
      await chat.begin(window, title);
    });
    after(() => agent?.stop?.());

    const contains = (text: string): Promise<void> =>
      eventually('the text of the file', async () => assert.equal(await readFile(file, 'utf8'), text));
    // Not “Edit and Resend” of a prompt.
    const ends = async (): Promise<void> => (await chat.button(/^Send/)).waitFor();
    const prompts = async (): Promise<string[]> =>
      (await chat.frame()).locator('.entry-prompt .prompt-text').allInnerTexts();
    const change = `rename colour to color in src/${fileName}`;
    const shot = (step: string): Promise<void> => window.screenshot(`same-${slug}-${step}`);

    it('answers a prompt', async () => {
      await chat.send('what can you do?');
      await chat.says(/rename/i);
      await ends();
    });

    itWhole('calls a tool of the window', async () => {
      await chat.send(`who uses colour in src/${fileName}`);
      await chat.says('I asked the language server of your editor.');
      await ends();
      await shot('tool');
    });

    itWhole('asks with the diff of a change, and makes it once that is allowed', async () => {
      await chat.send(change);
      await (await chat.button('Allow')).waitFor();
      const card = (await chat.frame()).locator('.approval');
      assert.match((await card.textContent()) ?? '', /console\.log\(color\)/);
      await shot('approval');
      await contains(original);
      await chat.answer('Allow');
      await contains(changed);
      await ends();
    });

    itWhole('lists the change, and shows it in the review', async () => {
      await chat.shows(/1 file/);
      await (await chat.button(/^Review$/)).click();
      const diff = window.page.locator('.multiDiffEntry').filter({ hasText: fileName });
      await diff.locator('.editor.modified').getByText('color').first().waitFor();
      await shot('diff');
      await window.runCommand('View: Close All Editors');
    });

    itWhole('runs a command in a terminal once that is allowed', async () => {
      await chat.send(`run node -e "console.log('out of the ' + 'terminal')"`);
      // Backline asks for a terminal of its own, in its words; in version 2 the agent asks for one of its own.
      const allow = (await chat.frame()).locator('.approval').getByRole('button', { name: /^Allow(?: once)?$/ });
      await allow.first().waitFor();
      await shot('terminal-approval');
      await eventually('the answer', async () => {
        if (await allow.first().isVisible()) await allow.first().click({ timeout: 5_000 });
        await allow.first().waitFor({ state: 'hidden', timeout: 700 });
      });
      await chat.says('ended with exit code 0');
      await ends();
      const output = (await chat.frame()).locator('.terminal').getByText('out of the terminal').first();
      await eventually('the output', async () => {
        // A step that has ended is folded.
        const step = (await chat.frame()).locator('details.tool > summary').filter({ hasText: 'node -e' }).last();
        if (!(await output.isVisible())) await step.click({ timeout: 5_000 });
        await output.waitFor({ timeout: 2_000 });
      });
      await shot('terminal');
    });

    it('takes a prompt into the turn that runs, where it stays', async () => {
      await chat.send('/slow 2000');
      await chat.shows('This answer comes one word at a time');
      await eventually('a turn that takes prompts', async () =>
        assert.equal(await (await chat.prompt()).getAttribute('placeholder', { timeout: 5_000 }), 'Add to this turn'),
      );
      await chat.send('Why is the sky blue?');
      await chat.says('I have no model');
      await ends();
      const turn = (await chat.frame()).locator('.turn').last();
      await turn.getByRole('heading', { name: 'Added during the turn' }).waitFor();
      assert.deepEqual(await turn.locator('.prompt-text').allInnerTexts(), ['/slow 2000', 'Why is the sky blue?']);
      assert.match(await turn.innerText(), /This answer comes .*Why is the sky blue\?.*I have no model/s);
      assert.doesNotMatch(await turn.innerText(), /Said 2000 words|without an answer/);
      await shot('steer');
    });

    it('ends the turn for a command by Stop and Send', async () => {
      await chat.send('/slow 2000');
      await eventually('a turn that can be stopped for a command', async () => {
        // An agent would read a command as mere text in its turn.
        await chat.type('/slow 4');
        await (await chat.button('Stop and Send')).click({ timeout: 5_000 });
      });
      await chat.says('Said 4 words');
      await ends();
      assert.deepEqual((await prompts()).slice(-2), ['/slow 2000', '/slow 4']);
      const [stopped, last] = await (
        await chat.frame()
      )
        .locator('.turn')
        .allInnerTexts()
        .then((all) => all.slice(-2));
      assert.match(stopped ?? '', /Stopped/);
      assert.doesNotMatch(`${stopped}${last}`, /Said 2000 words|queued/);
      await shot('stop-and-send');
    });

    it('stops when it is told to', async () => {
      await chat.send('/slow 2000');
      await chat.shows('This answer comes one word at a time');
      await (await chat.button('Stop')).click();
      await ends();
    });

    it('is there after a reload, and the agent continues in its session', async () => {
      await window.reload();
      await window.runCommand('Backline: Open Chat');
      // Only what is near the view is on the page.
      await eventually('the conversation', async () => assert.equal((await prompts()).at(-1), '/slow 2000'));
      await chat.send('/slow 3');
      await chat.says('Said 3 words');
      await ends();
      await shot('reload');
      assert.equal(await (await chat.frame()).getByText('doesn’t remember this conversation').count(), 0);
    });

    itWhole('goes back to a prompt, with its files', async () => {
      await eventually('Restore to Here', async () => {
        const entry = (await chat.frame()).locator('.entry-prompt').filter({ hasText: change });
        await entry.hover({ timeout: 5_000 });
        await entry.getByRole('button', { name: 'Restore to Here…' }).click({ timeout: 5_000 });
      });
      await window.pick('Conversation and Files');
      await window.picks.filter({ hasText: fileName }).waitFor();
      await window.page.keyboard.press('Enter');
      await contains(original);
      await eventually('the prompt', async () =>
        assert.equal(await (await chat.prompt()).inputValue({ timeout: 5_000 }), change),
      );
      assert.deepEqual(await prompts(), ['what can you do?', `who uses colour in src/${fileName}`]);
      await shot('restore');
    });

    itWhole('continues from there', async () => {
      await (await chat.prompt()).press('Enter');
      await chat.answer('Allow');
      await contains(changed);
      await ends();
      // Only what is near the view is on the page.
      const shown = await prompts();
      assert.equal(shown.at(-1), change);
      assert.ok(!shown.includes('/slow 2000'), shown.join('; '));
    });
  });
}
