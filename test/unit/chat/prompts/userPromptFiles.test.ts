import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import {
  listUserPromptFiles,
  namedPromptFolders,
  readUserPromptFile,
  userPromptFolders,
} from '../../../../src/chat/node/prompts/userPromptFiles';

describe('the user’s own prompt files', () => {
  let home: string;
  beforeEach(async () => (home = await mkdtemp(path.join(tmpdir(), 'backline-prompts-'))));
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('are in the folder of the profile and in those of Claude Code and Codex, wherever these are', () => {
    const storage = path.join(home, 'User', 'globalStorage', 'backline.backline');
    assert.deepEqual(
      userPromptFolders(storage, {}, home).map(({ folder }) => folder),
      [
        path.join(home, 'User', 'prompts'),
        path.join(home, '.claude', 'commands'),
        path.join(home, '.codex', 'prompts'),
      ],
    );
    assert.equal(
      userPromptFolders(storage, { CLAUDE_CONFIG_DIR: path.join(home, 'c') }, home)[1]?.folder,
      path.join(home, 'c', 'commands'),
    );
    for (const value of ['', '.', 'c', '~/c']) {
      const folders = userPromptFolders(storage, { CLAUDE_CONFIG_DIR: value }, home);
      assert.equal(folders[1]?.folder, path.join(home, '.claude', 'commands'), value);
    }
    const [, , codex] = userPromptFolders(storage, { CODEX_HOME: path.join(home, 'x') }, home);
    assert.deepEqual(codex, { folder: path.join(home, 'x', 'prompts'), style: 'codex' });
  });

  it('are listed with the folders of Claude Code, and missing folders have none', async () => {
    const commands = path.join(home, 'commands');
    await mkdir(path.join(commands, 'team'), { recursive: true });
    await writeFile(path.join(commands, 'team', 'a.md'), 'A');
    await writeFile(path.join(commands, 'a.txt'), 'no');
    const folders = [
      { folder: path.join(home, 'none'), style: 'vscode' },
      { folder: commands, style: 'claude' },
    ] as const;
    assert.deepEqual(await listUserPromptFiles(folders, nullLogger), [
      { path: path.join(commands, 'team', 'a.md'), relativePath: 'team/a.md', style: 'claude' },
    ]);
  });

  it('are in folders that the user has named, each listed once', async () => {
    await mkdir(path.join(home, 'mine'));
    await writeFile(path.join(home, 'mine', 'a.prompt.md'), 'A');
    const folders = namedPromptFolders(['~/mine', path.join(home, 'mine'), 'mine'], home);
    assert.deepEqual(
      folders.map(({ folder }) => folder),
      [path.join(home, 'mine'), path.join(home, 'mine')],
    );
    assert.deepEqual(await listUserPromptFiles(folders, nullLogger), [
      { path: path.join(home, 'mine', 'a.prompt.md'), relativePath: 'a.prompt.md', style: 'vscode' },
    ]);
  });

  it('are read only up to a size', async () => {
    const file = path.join(home, 'a.md');
    await writeFile(file, '12345');
    assert.equal(await readUserPromptFile(file, 5), '12345');
    await assert.rejects(readUserPromptFile(file, 4), /larger/);
    await assert.rejects(readUserPromptFile(home, 1e9), /not a file/);
  });
});
