import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/manifest';
import { eventually } from '../../support/eventually';
import { StartingPointsUnderTest } from '../support/startingPoints';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const source = `export const first = 1;
export const sum: number = first + missing;
export const text: string = first;
`;
const titles = [
  'Fix with Agent',
  'Explain with Agent',
  'Fix All Problems of This File with Agent',
  'Fix with Another Agent…',
];

describe('problems of the TypeScript server, given to an agent', () => {
  let subject: StartingPointsUnderTest;
  let files = 0;
  beforeEach(() => (subject = new StartingPointsUnderTest()));
  afterEach(async () => {
    subject.dispose();
    await closeAll();
  });

  /** Opens a file, and waits for what the TypeScript server finds in it. */
  const openWithProblems = async (file: string, count = 2): Promise<vscode.TextEditor> => {
    const editor = await show(file);
    await eventually('the problems', () =>
      assert.equal(vscode.languages.getDiagnostics(editor.document.uri).length, count),
    );
    return editor;
  };
  const agentActions = async (uri: vscode.Uri, line: number, character: number): Promise<vscode.CodeAction[]> => {
    const at = new vscode.Position(line, character);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uri,
      new vscode.Range(at, at),
    );
    return actions.filter(({ title }) => title.includes('Agent'));
  };
  const take = async (actions: readonly vscode.CodeAction[], title: string) => {
    const command = actions.find((action) => action.title === title)?.command;
    assert.ok(command, title);
    const args: readonly unknown[] = command.arguments ?? [];
    return await subject.run(command.command, ...args);
  };

  it('are offered at the problem, with message, code, source, place and the unsaved lines around', async () => {
    const file = await writeInWorkspace(`hurts/sum${++files}.ts`, source);
    const editor = await openWithProblems(file);
    await type(editor, new vscode.Position(0, 0), '// not saved\n');
    await eventually('the problems have moved', () =>
      assert.ok(vscode.languages.getDiagnostics(editor.document.uri).some(({ range }) => range.start.line === 3)),
    );
    const actions = await agentActions(editor.document.uri, 2, 37);
    assert.deepEqual(
      actions.map(({ title }) => title),
      titles,
    );
    const fix = await take(actions, 'Fix with Agent');
    assert.equal(fix.prompt, `Fix this problem in hurts/sum${files}.ts, line 3.`);
    assert.deepEqual([fix.picksAgent, fix.sends], [false, false]);
    const [attached] = fix.texts;
    assert.equal(attached?.title, "Problem: Cannot find name 'missing'.");
    assert.ok(attached.text.startsWith(`${file}:3:36 error: Cannot find name 'missing'. (ts 2304)\n`), attached.text);
    assert.match(attached.text, /with changes that are not saved:\n1: \/\/ not saved\n2: export const first = 1;\n3: /);
    const explain = await take(actions, 'Explain with Agent');
    assert.match(explain.prompt, /^Explain this problem .* Do not change anything\.$/);
    assert.equal((await take(actions, 'Fix with Another Agent…')).picksAgent, true);
    subject.sends = true;
    const all = await take(actions, 'Fix All Problems of This File with Agent');
    assert.equal(all.prompt, `Fix the 2 problems in hurts/sum${files}.ts.`);
    assert.equal(all.sends, true);
    assert.match(all.texts[0]?.text ?? '', /error: Cannot find name[^]*error: Type 'number' is not assignable/);
  });

  it('have the related places, but none of a file that agents may not read', async () => {
    await writeInWorkspace('hurts/.env.ts', 'export interface Secret { password: string }\n');
    await writeInWorkspace('hurts/shape.ts', 'export interface Shape {\n  size: number;\n}\n');
    const code = `import type { Secret } from './.env';
import type { Shape } from './shape';
export const shape: Shape = { size: 'x' };
export const secret: Secret = { password: 1 };
`;
    const { document } = await openWithProblems(await writeInWorkspace(`hurts/related${++files}.ts`, code));
    const { texts } = await take(await agentActions(document.uri, 2, 31), titles[2] ?? '');
    const text = texts[0]?.text ?? '';
    assert.ok(text.includes(`  ${inWorkspace('hurts', 'shape.ts')}:2:3: The expected type comes from`), text);
    assert.doesNotMatch(text, /\.env\.ts/);
  });

  it('are not offered in files that are excluded or outside of the workspace, and the commands refuse them', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-outside-'));
    try {
      const outside = path.join(folder, 'sum.ts');
      await writeFile(outside, source);
      for (const file of [outside, await writeInWorkspace(`hurts/.env${++files}.ts`, source)]) {
        const { document } = await openWithProblems(file);
        assert.deepEqual(await agentActions(document.uri, 1, 37), []);
        await assert.rejects(subject.run(commandIds.startingPointsFixFile, document.uri), { name: 'EditorError' });
      }
    } finally {
      await closeAll();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('are those at the cursor for the Command Palette, which says so if there are none', async () => {
    const editor = await openWithProblems(await writeInWorkspace(`hurts/palette${++files}.ts`, source));
    editor.selection = new vscode.Selection(2, 15, 2, 15);
    const { texts } = await subject.run(commandIds.startingPointsExplainProblem);
    assert.match(texts[0]?.title ?? '', /^Problem: Type 'number' is not assignable/);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await assert.rejects(subject.run(commandIds.startingPointsFixProblem), /no problem at the cursor/);
  });
});
