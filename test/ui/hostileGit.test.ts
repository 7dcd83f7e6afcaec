import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { HostileRepository } from '../support/hostileGit';
import { ChatView } from './support/chatView';
import { VsCodeWindow } from './support/window';

const original = 'export const colour = 1;\n';

/** VS Code's own Git extension, which runs Git by itself, is off: what runs here is Backline's doing. */
describe('A repository whose configuration names programs', () => {
  let window: VsCodeWindow;
  let repository: HostileRepository;
  let file: string;

  before(async () => {
    window = await VsCodeWindow.open({
      settings: { 'git.enabled': false },
      prepare: async ({ folder, workspace }) => {
        file = path.join(workspace, 'src', 'colour.ts');
        await writeFile(file, original);
        const outside = path.join(folder, 'hostile');
        await mkdir(outside);
        repository = await HostileRepository.make(workspace, outside);
      },
    });
  });
  after(() => window.close());

  it('runs none of them while the chat is opened, looks for Git changes, changes a file and reverts it', async () => {
    const chat = new ChatView(window.page);
    await window.runCommand('Backline: Open Chat');
    await chat.type('@git');
    await (await chat.frame()).getByRole('option').first().waitFor();
    await chat.send('rename colour to color in src/colour.ts');
    await chat.answer('Allow');
    await chat.shows(/1 file/);
    await (await chat.button('Undo')).click();
    await eventually('the text of before', async () => assert.equal(await readFile(file, 'utf8'), original));
    await window.runCommand('Backline: Refresh Amp Threads');
    assert.deepEqual(await repository.ran(), []);
    await repository.git('status');
    assert.ok((await repository.ran()).includes('fsmonitor'), 'Git itself does run them');
  });
});
