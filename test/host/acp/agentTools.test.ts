import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { AgentsUnderTest } from '../support/agents';
import { ToolsUnderTest } from '../support/tools';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const uses = 200;
const total = 'export function total(values: readonly number[]): number {\n  return values.length;\n}\n';
const use = (index: number): string =>
  `import { total } from './total';\n// total is a word here\nexport const sum${index} = total([${index}]) + 'total'.length;\n`;

/** The whole way: the process of an agent, its session, the MCP server of the window, and the language server. */
describe('an agent that has never seen the workspace', () => {
  let tools: ToolsUnderTest;
  let agents: AgentsUnderTest;

  beforeEach(async () => {
    tools = await ToolsUnderTest.start();
    agents = new AgentsUnderTest({ windowMcpServers: (_transports, caller) => tools.serversFor(caller) });
  });
  afterEach(async () => {
    await agents.dispose();
    await tools.stop();
    await closeAll();
    for (const version of ['v1', 'v2']) await rm(inWorkspace(`agent-${version}`), { recursive: true, force: true });
  });

  for (const version of ['v1', 'v2']) {
    it(`renames a symbol in 200 files with one call, and reads text that is not saved, over ACP ${version}`, async () => {
      // A language server on a busy machine misses files that are deleted and created again.
      const folder = `agent-${version}`;
      const options = { compilerOptions: { strict: true, module: 'commonjs' } };
      await writeInWorkspace(`${folder}/tsconfig.json`, JSON.stringify(options));
      await writeInWorkspace(`${folder}/total.ts`, total);
      for (let index = 0; index < uses; index++) await writeInWorkspace(`${folder}/use${index}.ts`, use(index));
      const notes = await show(await writeInWorkspace(`${folder}/notes.txt`, 'saved\n'));
      await type(notes, new vscode.Position(0, 0), 'typed, ');
      const chat = await agents.chat(version);
      await chat.prompt(`rename total to countOf in ${folder}/total.ts everywhere`);
      assert.match((await chat.answered()).response, /^Renamed `total` .* to `countOf`: 401 places in 201 files\./);
      assert.equal(chat.follower.all('tool:pre').length, 1, 'one call');
      assert.equal(await readFile(inWorkspace(`${folder}/total.ts`), 'utf8'), total.replace('total', 'countOf'));
      for (let index = 0; index < uses; index++) {
        const expected = use(index).replace('{ total }', '{ countOf }').replace('= total(', '= countOf(');
        assert.equal(await readFile(inWorkspace(`${folder}/use${index}.ts`), 'utf8'), expected);
      }
      await chat.prompt(`read ${folder}/notes.txt`);
      assert.match((await chat.answered()).response, /^agent-v\d\/notes\.txt, .*not saved[^]*1\ttyped, saved\n/);
      assert.equal(await readFile(inWorkspace(`${folder}/notes.txt`), 'utf8'), 'saved\n');
    });
  }
});
