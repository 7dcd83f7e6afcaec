import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { ContextSwitches } from '../../src/amplifier/common/context/contextSwitches';
import { DocumentLanguages } from '../../src/amplifier/vscode/documentLanguages';
import { createContextCollector } from '../../src/amplifier/vscode/editorContext';
import { GitMentions } from '../../src/chat/common/mentions/gitMentions';
import { gitChanges } from '../../src/chat/vscode/gitChanges';
import { findRemoteUrl } from '../../src/platform/vscode/git/gitRepository';
import { eventually } from '../support/eventually';
import { HostileRepository, type GitProgram } from '../support/hostileGit';
import { AgentsUnderTest } from './support/agents';
import { closeAll, inWorkspace, writeInWorkspace } from './support/workspace';

interface GitExtension {
  getAPI(version: 1): { openRepository(root: vscode.Uri): Promise<unknown> };
}

/** VS Code's own Git extension asks for the state of each repository, and Git runs these for it. */
const runByStatus: readonly GitProgram[] = ['fsmonitor', 'clean', 'hook'];

describe('a repository whose configuration names programs', () => {
  let outside: string;
  let agents: AgentsUnderTest;

  before(async () => {
    outside = await mkdtemp(path.join(tmpdir(), 'backline-hostile-'));
    agents = new AgentsUnderTest();
  });
  after(async () => {
    await agents.dispose();
    await closeAll();
    await vscode.commands.executeCommand('git.close', vscode.Uri.file(inWorkspace()));
    // A Git of VS Code's may still be at work there.
    await eventually('no .git', () => rm(inWorkspace('.git'), { recursive: true, force: true }));
    await rm(inWorkspace('.gitattributes'), { force: true });
    await rm(inWorkspace('hostile'), { recursive: true, force: true });
    await rm(outside, { recursive: true, force: true });
  });

  it('runs only what VS Code asks Git for by itself, whatever Backline reads of it', async () => {
    const changed = await writeInWorkspace('hostile/changed.txt', 'one\n');
    const colour = await writeInWorkspace('hostile/colour.ts', 'const colour = 1;\n');
    const repository = await HostileRepository.make(inWorkspace(), outside);
    await writeFile(changed, 'two\n');
    const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
    assert.ok(extension, 'VS Code brings its Git extension');
    const exported = await extension.activate();
    await exported.getAPI(1).openRepository(vscode.Uri.file(inWorkspace()));

    const { adapter } = agents.editor;
    const context = createContextCollector(
      adapter,
      new ContextSwitches([], () => undefined),
      new DocumentLanguages(),
      () => false,
    );
    await eventually('the change, as Amplifier is told of it', async () =>
      assert.ok((await context.collect()).git_state?.modified_files.includes('hostile/changed.txt')),
    );
    const [row] = await new GitMentions(gitChanges, adapter).search('git');
    assert.equal(row?.detail, 'On main');
    assert.equal(await findRemoteUrl(inWorkspace()), 'ssh://nobody@127.0.0.1:1/repository');
    const chat = await agents.chat('v1');
    await chat.prompt(`rename colour to color in ${colour}`);
    await chat.answer('allow_once');
    await chat.answered();
    await eventually('the agent’s change, too', async () =>
      assert.ok((await context.collect()).git_state?.modified_files.includes('hostile/colour.ts')),
    );

    const ran = await repository.ran();
    assert.ok(ran.includes('fsmonitor'), 'the configuration counts');
    assert.deepEqual(
      ran.filter((program) => !runByStatus.includes(program)),
      [],
    );
  });
});
