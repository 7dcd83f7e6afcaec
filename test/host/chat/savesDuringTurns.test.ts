import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { SavesByOthersTracker } from '../../../src/chat/common/unsaved/savesByOthersTracker';
import { readUsableDiskText } from '../../../src/chat/vscode/unsaved/textVersions';
import { windowSaveEvents } from '../../../src/chat/vscode/unsaved/windowSaveEvents';
import { FakeClock } from '../../fake/fakeClock';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const start = new vscode.Position(0, 0);

describe('a save in an editor while an agent works', () => {
  let isRunning: boolean;
  let isAgentsWrite: boolean;
  let saves: { path: string; before: unknown; saved: unknown }[];
  let watch: SavesByOthersTracker;
  let read: (path: string) => ReturnType<typeof readUsableDiskText>;
  /** Its limits never end by themselves: a busy machine may take longer to read a file. */
  let clock: FakeClock;
  beforeEach(() => {
    isRunning = true;
    isAgentsWrite = false;
    saves = [];
    read = readUsableDiskText;
    clock = new FakeClock();
    watch = new SavesByOthersTracker({
      files: windowSaveEvents,
      clock,
      fileTexts: {
        readFromDisk: async (path) => ({ text: await read(path), id: undefined, isDirty: false }),
      },
      turnCheckpoint: {
        get hasCheckpoint() {
          return isRunning;
        },
        recordOthersSave: (path, saved, before) => {
          // VS Code saves its settings when it starts.
          if (path.startsWith(inWorkspace('saves'))) saves.push({ path, before: before?.text, saved: saved.text });
          return Promise.resolve();
        },
      },
      resolvePath: (path) => Promise.resolve(path),
      isOwnWrite: () => isAgentsWrite,
      isAgentsWrite: () => isAgentsWrite,
      runForFile: (path, task) => task(path),
    });
  });
  afterEach(async () => {
    watch.dispose();
    await closeAll();
    await rm(inWorkspace('saves'), { recursive: true, force: true });
  });

  it('is recorded with the text that the disk had right before', async () => {
    const file = await writeInWorkspace('saves/shell.txt', 'one\n');
    const { document } = await show(file);
    await writeFile(file, 'one\nby a command\n');
    await eventually('the text of the command', () => assert.equal(document.getText(), 'one\nby a command\n'));
    const editor = await vscode.window.showTextDocument(document);
    // If VS Code is still reading the file again, it refuses the edit or takes it back. If it has the text of the command with the
    // time from before, it saves nothing until it has read the file again.
    await eventually('the saved text', async () => {
      if (!document.getText().startsWith('mine ')) await type(editor, start, 'mine ');
      if (document.isDirty && !(await document.save())) {
        await vscode.commands.executeCommand('workbench.action.files.revert');
      }
      assert.equal(await readFile(file, 'utf8'), 'mine one\nby a command\n');
    });
    await eventually('the save', () => {
      assert.deepEqual(saves, [{ path: file, before: 'one\nby a command\n', saved: 'mine one\nby a command\n' }]);
    });
  });

  it('is recorded with an unknown earlier text, and goes on, when the disk does not answer in time', async () => {
    const file = await writeInWorkspace('saves/slow.txt', 'one\n');
    const { document } = await show(file);
    await type(await vscode.window.showTextDocument(document), start, 'mine ');
    read = () => {
      read = readUsableDiskText;
      clock.advance(300);
      return new Promise(() => undefined);
    };
    assert.equal(await document.save(), true);
    assert.equal(await readFile(file, 'utf8'), 'mine one\n');
    await eventually('the save', () => {
      assert.deepEqual(saves, [{ path: file, before: undefined, saved: 'mine one\n' }]);
    });
  });

  it('is not recorded when it is the agent’s, or when no turn runs', async () => {
    const file = await writeInWorkspace('saves/agents.txt', 'one\n');
    const { document } = await show(file);
    const save = async (text: string): Promise<void> => {
      await type(await vscode.window.showTextDocument(document), start, text);
      assert.equal(await document.save(), true);
    };
    isAgentsWrite = true;
    await save('agent ');
    isAgentsWrite = false;
    isRunning = false;
    await save('later ');
    isRunning = true;
    await save('mine ');
    await eventually('the last save', () => {
      assert.deepEqual(saves, [{ path: file, before: 'later agent one\n', saved: 'mine later agent one\n' }]);
    });
  });
});
