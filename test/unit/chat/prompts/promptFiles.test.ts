import assert from 'node:assert/strict';
import type { PromptFileRow } from '../../../../src/chat/common/chatView';
import { nullLogger } from '../../../../src/base/common/log';
import {
  insertIntoText,
  promptFileInText,
  withoutAgentCommands,
} from '../../../../src/chat/common/prompts/agentCommands';
import { PromptFiles, type UserPromptFile } from '../../../../src/chat/common/prompts/promptFiles';
import { FakeEditor } from '../../../fake/fakeEditor';

describe('PromptFiles', () => {
  const noticed: string[] = [];
  const asked: string[] = [];
  let isTrusted = true;
  let folders: readonly string[] = [];
  let userFiles: Record<string, string> = {};
  beforeEach(() => {
    noticed.splice(0);
    asked.splice(0);
    isTrusted = true;
    folders = ['.github/prompts'];
    userFiles = {};
  });

  const filesOf = (editor: FakeEditor): PromptFiles =>
    new PromptFiles({
      editor,
      workspaceFolders: () => folders,
      listUserFiles: () =>
        Promise.resolve(
          Object.keys(userFiles).map((path): UserPromptFile => ({
            path,
            relativePath: path.replace(/^\/home\/u\/\.\w+\/\w+\//, ''),
            style: path.includes('/.codex/') ? 'codex' : 'claude',
          })),
        ),
      readUserFile: (path) => Promise.resolve(userFiles[path] ?? ''),
      rowsOf: (paths) =>
        Promise.resolve(paths.map((path) => ({ kind: 'file' as const, id: path, title: path, detail: 'shown' }))),
      isTrusted: () => isTrusted,
      ask: (name, input) => {
        asked.push(`${name} ${input.name}`);
        return Promise.resolve('given');
      },
      notify: (text) => void noticed.push(text),
      log: nullLogger,
    });

  it('lists the workspace’s before the user’s, each with its origin and a name of its own', async () => {
    const editor = new FakeEditor({
      '/ws/.github/prompts/form.prompt.md': '---\ndescription: Makes a form\n---\nMake ${input:name}',
      '/ws/.claude/commands/team/review.md': 'Review $1\nand more',
      '/ws/.github/prompts/form2.prompt.md': '---\nname: form\n---\nAnother',
      '/ws/.github/prompts/notes.md': 'not one',
    });
    userFiles = {
      '/home/u/.claude/commands/team/review.md': 'Mine',
      '/home/u/.claude/commands/user/team/review.md': 'Mine, too',
      '/home/u/.claude/commands/daily.md': 'What next?',
      '/home/u/.codex/prompts/daily.md': 'What next, $NAME?',
    };
    const rows = await filesOf(editor).list();
    assert.deepEqual(
      rows.map(({ description, hint, name, origin }) => [origin, name, description, hint]),
      [
        ['workspace', 'form', 'Makes a form', '[name]'],
        ['workspace', 'form-2', 'Another', undefined],
        ['workspace', 'team:review', 'Review $1', '[arguments]'],
        ['user', 'user:team:review', 'Mine', undefined],
        ['user', 'user:user:team:review', 'Mine, too', undefined],
        ['user', 'daily', 'What next?', undefined],
        ['user', 'prompts:daily', 'What next, $NAME?', 'NAME='],
      ],
    );
  });

  it('lists the files of other folders, without those in their folders', async () => {
    folders = ['', 'docs/prompts'];
    const names = ['/ws/a.prompt.md', '/ws/docs/prompts/b.prompt.md', '/ws/docs/prompts/more/c.prompt.md'];
    const editor = new FakeEditor(
      Object.fromEntries([...names, '/ws/.github/prompts/d.prompt.md'].map((path) => [path, 'x'])),
    );
    assert.deepEqual(
      (await filesOf(editor).list()).map(({ id, name }) => [name, id]),
      [
        ['a', '/ws/a.prompt.md'],
        ['b', '/ws/docs/prompts/b.prompt.md'],
      ],
    );
  });

  it('lists none of a workspace that is not trusted, and none that is excluded', async () => {
    const editor = new FakeEditor({ '/ws/.github/prompts/a.prompt.md': 'A', '/ws/.github/prompts/b.prompt.md': 'B' });
    editor.exclude = ['b.*'];
    assert.deepEqual(
      (await filesOf(editor).list()).map(({ name }) => name),
      ['a'],
    );
    isTrusted = false;
    assert.deepEqual(await filesOf(editor).list(), []);
  });

  it('lists the user’s, however many the workspace has', async () => {
    const many = Array.from({ length: 300 }, (_, index) => [`/ws/.claude/commands/${index}.md`, 'x'] as const);
    userFiles = { '/home/u/.claude/commands/mine.md': 'Mine' };
    const rows = await filesOf(new FakeEditor(Object.fromEntries(many))).list();
    assert.equal(rows.length, 101);
    assert.equal(rows.at(-1)?.name, 'mine');
  });

  it('shows what is invisible in a name and a text, so that the user reads what is sent', async () => {
    const path = '/ws/.claude/commands/a\u{e0041}.md';
    const files = filesOf(new FakeEditor({ [path]: 'Fix\u202e it\u{e0041}.\nThen !`git \u202elog`' }));
    assert.equal((await files.list())[0]?.name, 'a[U+E0041]');
    assert.equal((await files.fill(path, ''))?.text, 'Fix[U+202E] it[U+E0041].\nThen `git [U+202E]log`');
    assert.match(noticed[0] ?? '', /git \[U\+202E\]log$/);
  });

  it('takes the innermost folder of the active file, not one whose path only begins alike', async () => {
    const path = '/ws/.github/prompts/a.prompt.md';
    const editor = new FakeEditor({ [path]: 'In ${workspaceFolder}' });
    editor.setFolders('/ws', '/w/app', '/w/app-two');
    editor.visibleFiles = ['/w/app-two/a.ts'];
    assert.equal((await filesOf(editor).fill(path, ''))?.text, 'In /w/app-two');
  });

  it('says in the list and when it is chosen what is wrong with a file', async () => {
    const editor = new FakeEditor({
      '/ws/.github/prompts/open.prompt.md': '---\nname: x',
      '/ws/.github/prompts/large.prompt.md': 'x'.repeat(64 * 1024 + 1),
    });
    editor.notText.add('/ws/.github/prompts/bytes.prompt.md');
    editor.setFile('/ws/.github/prompts/bytes.prompt.md', 'x');
    const files = filesOf(editor);
    const problems = new Map((await files.list()).map(({ name, problem }) => [name, problem ?? '']));
    assert.equal(problems.get('open'), 'has a header without an end');
    assert.match(problems.get('large') ?? '', /cannot be read: .*65536 bytes/);
    assert.match(problems.get('bytes') ?? '', /not a text/);
    await assert.rejects(files.fill('/ws/.github/prompts/open.prompt.md', ''), /open\.prompt\.md has a header/);
  });

  it('reads the file again when it is used, with what it refers to', async () => {
    const path = '/ws/.github/prompts/form.prompt.md';
    const editor = new FakeEditor({ [path]: 'Old' });
    const files = filesOf(editor);
    await files.list();
    editor.setFile(path, 'Make ${input:name} like [this](../docs/Form.md)');
    assert.deepEqual(await files.fill(path, ''), {
      text: 'Make given like [this](../docs/Form.md)',
      attachments: [
        { kind: 'file', id: '/ws/.github/prompts/../docs/Form.md', title: '/ws/.github/prompts/../docs/Form.md' },
      ],
    });
    assert.deepEqual(asked, ['form name']);
  });

  it('fills only what it lists: a page cannot have any other file read', async () => {
    const editor = new FakeEditor({ '/ws/secret.txt': 'x', '/ws/.claude/commands/a.md': 'A' });
    await assert.rejects(filesOf(editor).fill('/ws/secret.txt', ''), /does not exist/);
    isTrusted = false;
    await assert.rejects(filesOf(editor).fill('/ws/.claude/commands/a.md', ''), /does not exist/);
  });

  it('tells that commands were not run', async () => {
    const editor = new FakeEditor({ '/ws/.claude/commands/a.md': 'State: !`git status`' });
    const filled = await filesOf(editor).fill('/ws/.claude/commands/a.md', '');
    assert.equal(filled?.text, 'State: `git status`');
    assert.deepEqual(noticed, ['Commands in /a were not run, they are only part of its text: git status']);
  });
});

describe('prompt files beside the commands of an agent', () => {
  const row = (name: string, description = ''): PromptFileRow => ({
    id: name,
    origin: 'workspace',
    name,
    description,
  });

  it('leave out those that the agent lists itself', () => {
    const files = [row('plan'), row('team:review', 'Reviews'), row('other:fix', 'Fixes it')];
    const commands = [
      { name: 'plan', description: '' },
      { name: 'review', description: 'Reviews (project)' },
      { name: 'fix', description: 'The agent’s own' },
    ];
    assert.deepEqual(
      withoutAgentCommands(files, commands).map(({ name }) => name),
      ['other:fix'],
    );
  });

  it('are found at the start of a text, with their arguments', () => {
    const files = [row('form')];
    assert.deepEqual(promptFileInText('/form a\nb ', files), { file: files[0], args: 'a\nb' });
    assert.equal(promptFileInText('/form', files)?.args, '');
    assert.equal(promptFileInText('/formal', files), undefined);
    assert.equal(promptFileInText('see /form', files), undefined);
  });

  it('take the place of what was typed, and of nothing that was typed meanwhile', () => {
    assert.equal(insertIntoText('Make it', '/form', '/form'), 'Make it');
    assert.equal(insertIntoText('Make it', '/form', '/form soon'), 'Make it soon');
    assert.equal(insertIntoText('Make it', '/form', 'Other'), 'Make it\n\nOther');
    assert.equal(insertIntoText('Make it', '/form', ' '), 'Make it');
  });
});
