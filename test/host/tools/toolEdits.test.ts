import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { eventually } from '../../support/eventually';
import { ToolsUnderTest, textOf } from '../support/tools';
import { closeAll, closeTerminals, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const onDisk = (name: string): Promise<string> => readFile(inWorkspace(name), 'utf8');

/** An agent in a session changes files with the tools of the window. */
describe('tools of the window that change files', () => {
  let subject: ToolsUnderTest;

  beforeEach(async () => {
    subject = await ToolsUnderTest.start();
  });
  afterEach(async () => {
    await subject.stop();
    await closeAll();
    await rm(inWorkspace('edits'), { recursive: true, force: true });
  });

  describe('edit_file', () => {
    it('changes an open file in one step that undo takes back, as the session’s', async () => {
      const file = await writeInWorkspace('edits/open.txt', 'one\ntwo\nthree\n');
      const shown = await show(file);
      const edits = [
        { old_text: 'one', new_text: '1' },
        { old_text: 'three', new_text: '3' },
      ];
      assert.match(await subject.call('edit_file', { path: 'edits/open.txt', edits }), /^Edited edits\/open\.txt/);
      assert.equal(await onDisk('edits/open.txt'), '1\ntwo\n3\n');
      assert.deepEqual(subject.written, ['s1 edits/open.txt']);
      await vscode.commands.executeCommand('undo');
      assert.equal(shown.document.getText(), 'one\ntwo\nthree\n');
    });

    it('keeps text that is not saved, by the version that was read', async () => {
      const file = await writeInWorkspace('edits/dirty.txt', 'one\n');
      const shown = await show(file);
      await type(shown, new vscode.Position(1, 0), 'typed\n');
      const read = await subject.call('read_file', { path: 'edits/dirty.txt' });
      const version = /version (\w+), not saved/.exec(read)?.[1];
      const edits = [{ from: 2, new_text: 'edited' }];
      const answer = await subject.call('edit_file', { path: 'edits/dirty.txt', version, edits });
      assert.match(answer, /It is not saved/);
      assert.equal(shown.document.getText(), 'one\nedited\n');
      assert.equal(await onDisk('edits/dirty.txt'), 'one\n');
      assert.match(
        await subject.refusal('edit_file', { path: 'edits/dirty.txt', version, edits }),
        /has changed since/,
      );
    });

    it('asks in the conversation where the user wants to be asked, and for protected files', async () => {
      subject.permissions = { '*': { edit: 'ask' } };
      await writeInWorkspace('edits/asked.txt', 'one\n');
      const edits = [{ old_text: 'one', new_text: '1' }];
      const denied = subject.refusal('edit_file', { path: 'edits/asked.txt', edits });
      assert.equal(await subject.answer('Deny'), 'Demo wants to edit edits/asked.txt');
      assert.match(await denied, /Nothing was changed\. The user did not allow this/);
      assert.equal(await onDisk('edits/asked.txt'), 'one\n');
      subject.permissions = undefined;
      await writeInWorkspace('edits/.vscode/tasks.json', '{}\n');
      const asked = subject.call('edit_file', {
        path: 'edits/.vscode/tasks.json',
        edits: [{ old_text: '{}', new_text: '{ "version": "2.0.0" }' }],
      });
      await subject.answer('Allow once', 2);
      await asked;
      assert.match(await onDisk('edits/.vscode/tasks.json'), /2\.0\.0/);
    });

    it('creates a file, and touches no excluded one', async () => {
      const edits = [{ new_text: 'new\n' }];
      await subject.call('edit_file', { path: 'edits/deep/new.txt', edits });
      assert.equal(await textOf(inWorkspace('edits/deep/new.txt')), 'new\n');
      assert.match(await subject.refusal('edit_file', { path: 'edits/hidden/new.txt', edits }), /backline\.exclude/);
    });
  });

  describe('rename', () => {
    const uses = 200;
    let folder = '';
    let folderCount = 0;
    const use = (index: number): string =>
      `import { total } from './total';\n// total is a word here\nexport const sum${index} = total([${index}]) + 'total'.length;\n`;

    beforeEach(async () => {
      // A language server on a busy machine misses files that are deleted and created again.
      folder = `edits/r${++folderCount}`;
      await writeInWorkspace(
        `${folder}/tsconfig.json`,
        '{ "compilerOptions": { "strict": true, "module": "commonjs" } }',
      );
      await writeInWorkspace(
        `${folder}/total.ts`,
        'export function total(values: readonly number[]): number {\n  return values.length;\n}\n',
      );
      for (let index = 0; index < uses; index++) await writeInWorkspace(`${folder}/use${index}.ts`, use(index));
    });

    /** The language server has read the project. */
    const ready = (): Promise<string> =>
      subject.tells('references', { path: `${folder}/total.ts`, symbol: 'total' }, new RegExp(`in ${uses + 1} files`));

    it('renames a symbol in 200 files with one call, and no word that is only the same', async () => {
      await ready();
      const answer = await subject.call('rename', { path: `${folder}/total.ts`, symbol: 'total', new_name: 'countOf' });
      assert.match(
        answer,
        /^Renamed `total` \(edits\/r\d\/total\.ts:1\) to `countOf`: 401 places in 201 files\n[^]*… 151 more$/,
      );
      assert.match(await onDisk(`${folder}/total.ts`), /^export function countOf\(/);
      for (let index = 0; index < uses; index++) {
        assert.equal(
          await onDisk(`${folder}/use${index}.ts`),
          use(index).replace('{ total }', '{ countOf }').replace('= total(', '= countOf('),
        );
      }
      assert.equal(new Set(subject.written).size, uses + 1);
      assert.ok(subject.written.every((name) => name.startsWith('s1 edits/')));
      assert.deepEqual(
        vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs),
        [],
      );
      assert.deepEqual(
        vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.fsPath),
        [],
      );
    });

    it('asks once for all files, and changes none after a no', async () => {
      await ready();
      subject.permissions = { '*': { edit: 'ask' } };
      const input = { path: `${folder}/total.ts`, symbol: 'total', new_name: 'countOf' };
      const denied = subject.refusal('rename', input);
      assert.equal(
        await subject.answer('Deny'),
        `Demo wants to rename \`total\` (${folder}/total.ts:1) to \`countOf\` in 201 files`,
      );
      assert.match(await denied, /Nothing was changed/);
      assert.equal(await onDisk(`${folder}/use7.ts`), use(7));
      assert.equal(subject.follower.all('approval:required').length, 1);
      assert.deepEqual(subject.written, []);
    });

    it('changes nothing if it would change an excluded file, and names none', async () => {
      await writeInWorkspace(
        `${folder}/hidden/secret.ts`,
        "import { total } from '../total';\nexport const x = total([]);\n",
      );
      await ready();
      const answer = await subject.refusal('rename', {
        path: `${folder}/total.ts`,
        symbol: 'total',
        new_name: 'countOf',
      });
      assert.match(answer, /would also change files that tools may not change/);
      assert.doesNotMatch(answer, /hidden|secret/);
      assert.match(await onDisk(`${folder}/total.ts`), /function total/);
      assert.equal(await onDisk(`${folder}/use7.ts`), use(7));
    });

    it('keeps unsaved text of the user, and reports what cannot be renamed', async () => {
      const shown = await show(inWorkspace(`${folder}/use7.ts`));
      await type(shown, new vscode.Position(0, 0), '// typed\n');
      await ready();
      const answer = await subject.call('rename', { path: `${folder}/use7.ts`, symbol: 'sum7', new_name: 'seven' });
      assert.match(answer, /\/use7\.ts \(1, not saved\)/);
      assert.match(shown.document.getText(), /^\/\/ typed\n[^]*const seven = total/);
      assert.equal(await onDisk(`${folder}/use7.ts`), use(7));
      const input = { path: `${folder}/use8.ts`, symbol: 'length', line: 3, new_name: 'size' };
      assert.match(await subject.refusal('rename', input), /VS Code does not rename this/);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    });
  });

  it('format and fixes apply what VS Code offers', async () => {
    const file = await writeInWorkspace(
      'edits/ugly.ts',
      "export const x   =  [ 1,2 ] ;\nexport const size: number = 'a'\n",
    );
    await writeInWorkspace('edits/maths.ts', 'export function addUp(): number {\n  return 1;\n}\nconst unused = 1;\n');
    await show(file);
    const formatted = await subject.tells(
      'format',
      { path: 'edits/ugly.ts', from: 1, to: 1 },
      /^Formatted edits\/ugly\.ts/,
    );
    assert.match(formatted, /version \w+ now/);
    assert.match(await onDisk('edits/ugly.ts'), /^export const x = \[1, 2\];\n/);
    assert.match(
      await subject.call('format', { path: 'edits/ugly.ts', from: 1, to: 1 }),
      /^Nothing was changed: edits\/ugly\.ts is already formatted/,
    );
    await writeInWorkspace('edits/words.xyz', 'one\n');
    assert.match(await subject.call('format', { path: 'edits/words.xyz' }), /or VS Code has no formatter/);
    await show(inWorkspace('edits/maths.ts'));
    const offered = await subject.tells('fixes', { path: 'edits/maths.ts', line: 4 }, /Remove unused declaration/);
    const [, title] = /^ {2}(Remove unused declaration[^[]*?) {2}\[quickfix/m.exec(offered) ?? [];
    assert.match(
      await subject.call('fixes', { path: 'edits/maths.ts', line: 4, apply: title }),
      /^Applied “Remove unused declaration/,
    );
    assert.match(await onDisk('edits/maths.ts'), /^export function addUp\(\): number \{\n {2}return 1;\n\}\n\n?$/);
  });

  describe('format, of a file that VS Code has not read again since it changed', () => {
    let formatter: vscode.Disposable;
    const name = 'edits/unwatched/old.txt';
    beforeEach(() => {
      formatter = vscode.languages.registerDocumentFormattingEditProvider('plaintext', {
        provideDocumentFormattingEdits: (document) => [
          vscode.TextEdit.insert(new vscode.Position(0, 0), `${document.getText().trim()} `),
        ],
      });
    });
    afterEach(() => {
      formatter.dispose();
    });

    it('has VS Code read it first', async () => {
      const file = await writeInWorkspace(name, 'one\n');
      await vscode.workspace.openTextDocument(vscode.Uri.file(file));
      await writeInWorkspace(name, 'two\n');
      assert.match(await subject.call('format', { path: name }), /^Formatted/);
      assert.equal(await onDisk(name), 'two two\n');
    });

    it('changes nothing, and says so before it would ask, if the user may be typing there', async () => {
      const { document } = await show(await writeInWorkspace(name, 'one\n'));
      let writings = 0;
      // VS Code reads a file once more soon after it has shown it.
      await eventually('a refusal', async () => {
        if (document.isDirty) await vscode.commands.executeCommand('workbench.action.files.revert');
        await writeInWorkspace(name, `${++writings}\n`);
        const refusal = await subject.refusal('format', { path: name });
        assert.match(refusal, /^Nothing was changed: VS Code has not read .* again.*Revert File/);
      });
      assert.equal(await onDisk(name), `${writings}\n`);
    });
  });

  it('fixes do not offer what an excluded file exports', async () => {
    await writeInWorkspace('edits/tsconfig.json', '{ "compilerOptions": { "strict": true, "module": "commonjs" } }');
    await writeInWorkspace('edits/hidden/leak.ts', 'export const swordfish = 1;\n');
    const file = await writeInWorkspace('edits/wants.ts', 'console.log(swordfish);\nexport {};\n');
    const { document } = await show(file);
    const range = new vscode.Range(0, 12, 0, 21);
    await eventually('the offer of the language server', async () => {
      const offered: unknown = await vscode.commands.executeCommand(
        'vscode.executeCodeActionProvider',
        document.uri,
        range,
        undefined,
        20,
      );
      assert.match(JSON.stringify(offered), /hidden\/leak/);
    });
    assert.doesNotMatch(await subject.call('fixes', { path: 'edits/wants.ts', line: 1 }), /hidden|leak/);
  });

  describe('tasks', () => {
    /** Provides a task of that name, and closes its terminal in the end. */
    async function withTask(
      name: string,
      command: string,
      isBackground: boolean,
      use: () => Promise<void>,
    ): Promise<void> {
      const provider = vscode.tasks.registerTaskProvider('backline-test', {
        provideTasks: () => {
          const folder = vscode.workspace.workspaceFolders?.[0];
          assert.ok(folder);
          const run = new vscode.ShellExecution(command, { cwd: folder.uri.fsPath });
          const task = new vscode.Task({ type: 'backline-test' }, folder, name, 'test', run);
          task.isBackground = isBackground;
          return [task];
        },
        resolveTask: () => undefined,
      });
      try {
        await use();
      } finally {
        provider.dispose();
        for (const execution of vscode.tasks.taskExecutions) if (execution.task.name === name) execution.terminate();
        await closeTerminals((terminal) => terminal.name.includes(name));
      }
    }

    it('run in a terminal after the command was allowed, and tell the exit code and the output', async () => {
      const command = 'echo first; for i in 1 2 3; do printf "working $i\\r"; done; echo "the  last"; exit 3';
      await withTask('ends with three', command, false, async () => {
        const name = 'test: ends with three';
        assert.match(await subject.call('tasks'), /\n {2}test: ends with three — echo first/);
        const denied = subject.refusal('tasks', { run: name });
        assert.match(await subject.answer('Deny'), /^Demo wants to run echo first/);
        assert.match(await denied, /The task was not run/);
        for (const nth of [2, 3]) {
          // The second time, VS Code uses the same terminal.
          const run = subject.call('tasks', { run: name, timeout: 60 });
          await subject.answer('Allow once', nth);
          assert.match(await run, /^test: ends with three ended with exit code 3\.\nfirst\nthe {2}last(?: 3)?(?:\n|$)/);
        }
        assert.match(await subject.call('tasks', { output: name }), /has ended\.\nfirst\n/);
      });
    });

    it('that go on tell what they have shown until now', async () => {
      await withTask('never ends', 'echo watching; sleep 60', true, async () => {
        const run = subject.call('tasks', { run: 'never ends' });
        await subject.answer('Allow once');
        assert.match(await run, /^Started test: never ends\./);
        await subject.tells('tasks', { output: 'never ends' }, /^test: never ends is running\.\nwatching$/);
      });
    });
  });

  it('tests are listed, and none is run after a no', async () => {
    const file = await writeInWorkspace('edits/sum.test.ts', 'adds\n');
    const controller = vscode.tests.createTestController('backline-test', 'Backline');
    controller.items.add(controller.createTestItem('adds', 'adds', vscode.Uri.file(file)));
    controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, () => assert.fail('a test was run'), true);
    try {
      await subject.tells('tests', { action: 'list' }, /has tests of: backline-test\./);
      assert.equal(
        await subject.call('tests', { action: 'list', files: ['edits/sum.test.ts'] }),
        'edits/sum.test.ts: 1 test\n  adds',
      );
      const denied = subject.refusal('tests', { action: 'run' });
      assert.equal(await subject.answer('Deny'), 'Demo wants to run VS Code tests: all');
      assert.match(await denied, /No test was run/);
    } finally {
      controller.dispose();
    }
  });
});
