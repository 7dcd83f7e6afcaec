import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { RunningFeature } from '../../../src/base/common/feature';
import { StatusBoard } from '../../../src/base/common/feature';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { settingIds } from '../../../src/manifest';
import { Commands } from '../../../src/platform/vscode/commands';
import { Settings } from '../../../src/platform/vscode/settings';
import type { McpAddress } from '../../../src/tools/node/mcpServer';
import { ToolsFeature } from '../../../src/tools/vscode/toolsFeature';
import { FakeToolCaller } from '../../fake/fakeToolCaller';
import { AdapterUnderTest } from '../support/editorAdapter';
import { eventually, until } from '../../support/eventually';
import { closeAll, inWorkspace, setSetting, show, type, writeInWorkspace } from '../support/workspace';

const shape = `export interface Shape {
  area(): number;
}

export class Square implements Shape {
  constructor(private readonly side: number) {}
  area(): number {
    return this.side ** 2;
  }
}

/** Adds up areas. */
export function total(shapes: readonly Shape[]): number {
  return shapes.reduce((sum, shape) => sum + shape.area(), 0);
}
`;
const use = `import { Square, total as sumOf } from './shape';
import { password } from './hidden/leak';

// total is not used here
export function run(): number {
  console.log('total', password);
  return sumOf([new Square(2)]);
}
`;
const leak = `import { total } from '../shape';
export const password = 'swordfish' as const;
export const port = 49152 as const;
export const leaked = total([]);
`;
const copy = `import { password, port } from './hidden/leak.js';
export const copied = password;
export const copiedPort = port;
export const mode = 'fast';
`;
const further = `import { copied } from './copy';
export const again = { inner: copied } as const;
`;

const Answer = z.object({
  result: z.object({
    content: z.array(z.object({ text: z.string() })),
    isError: z.boolean().optional(),
  }),
});

/** The server of this window, asked as agents ask it, with the language servers that VS Code has. */
describe('tools of the window', () => {
  let editor: AdapterUnderTest;
  let settings: Settings;
  let feature: ToolsFeature;
  let running: RunningFeature;
  let status: StatusBoard;
  let address: McpAddress;
  let sharedFolder: string;
  let chatCaller: FakeToolCaller;

  before(async () => {
    await writeInWorkspace('tools/tsconfig.json', '{ "compilerOptions": { "strict": true, "module": "commonjs" } }');
    await writeInWorkspace('tools/shape.ts', shape);
    await writeInWorkspace('tools/use.ts', use);
    await writeInWorkspace('tools/hidden/leak.ts', leak);
    await writeInWorkspace('tools/copy.ts', copy);
    await writeInWorkspace('tools/further.ts', further);
    await writeInWorkspace('tools/wrong.ts', 'export const size: number = "large";\n');
    await writeInWorkspace('tools/slow.txt', 'slow one\n');
  });

  beforeEach(async () => {
    const extension = vscode.extensions.getExtension('backline.backline');
    assert.ok(extension);
    sharedFolder = await mkdtemp(path.join(tmpdir(), 'backline-tools-'));
    editor = new AdapterUnderTest();
    chatCaller = new FakeToolCaller();
    editor.changeExclude('.env*', '**/hidden/**');
    settings = new Settings(nullLogger);
    settings.start();
    status = new StatusBoard(() => undefined);
    feature = new ToolsFeature({
      log: nullLogger,
      status,
      commands: new Commands(nullLogger),
      settings,
      clock: systemClock,
      editor: editor.adapter,
      providers: [],
      version: '1.2.3',
      createCaller: () => assert.fail('no client outside VS Code calls'),
      chatCaller,
      sharedFolder,
      bridgeFile: vscode.Uri.joinPath(extension.extensionUri, 'dist', 'mcp-bridge.js').fsPath,
    });
    running = await feature.start();
    const found = await feature.createMcpAddress();
    assert.ok(found);
    address = found;
  });

  afterEach(async () => {
    await running.stop?.();
    running.dispose();
    settings.dispose();
    editor.dispose();
    await rm(sharedFolder, { recursive: true, force: true });
    await closeAll();
  });
  after(() => rm(inWorkspace('tools'), { recursive: true }));

  async function post(message: object, signal?: AbortSignal): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', ...address.headers };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return await fetch(address.url, { method: 'POST', headers, body, ...(signal ? { signal } : {}) });
  }
  async function ask(name: string, input: object = {}): Promise<{ text: string; isError: boolean }> {
    const response = await post({ id: 1, method: 'tools/call', params: { name, arguments: input } });
    const { result } = Answer.parse(await response.json());
    return { text: result.content.map(({ text }) => text).join('\n'), isError: result.isError ?? false };
  }
  async function call(name: string, input: object = {}): Promise<string> {
    const { text, isError } = await ask(name, input);
    assert.ok(!isError, text);
    return text;
  }
  /** Language servers take their time to start. */
  const tells = (name: string, input: object, expected: RegExp): Promise<string> =>
    eventually(`${name} says ${String(expected)}`, async () => {
      const text = await call(name, input);
      assert.match(text, expected);
      return text;
    });

  it('introduce themselves, and go when the user has them off', async () => {
    const introduced: unknown = await (await post({ id: 1, method: 'initialize', params: {} })).json();
    assert.match(JSON.stringify(introduced), /"name":"backline","version":"1\.2\.3".*"instructions":"Tools of/);
    await setSetting(settingIds.toolsEnabled, false, vscode.ConfigurationTarget.Global);
    try {
      assert.equal(await feature.createMcpAddress(), undefined);
      assert.deepEqual(await (await post({ id: 1, method: 'tools/list' })).json(), {
        jsonrpc: '2.0',
        id: 1,
        result: { tools: [] },
      });
      await setSetting(settingIds.toolsEnabled, true);
      assert.equal(await feature.createMcpAddress(), undefined, 'a workspace does not switch them on');
    } finally {
      await setSetting(settingIds.toolsEnabled, undefined);
      await setSetting(settingIds.toolsEnabled, undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('say in the status whether they are on, from the start', async () => {
    const states = (): string[] => status.featureStatuses.map(({ state }) => state);
    assert.deepEqual(states(), ['ready']);
    await setSetting(settingIds.toolsEnabled, false, vscode.ConfigurationTarget.Global);
    try {
      await until('they are off', () => states()[0] === 'off');
    } finally {
      await setSetting(settingIds.toolsEnabled, undefined, vscode.ConfigurationTarget.Global);
    }
    await until('they are on', () => states()[0] === 'ready');
  });

  it('can be found by MCP clients outside VS Code only while the user allows it', async () => {
    const target = vscode.ConfigurationTarget.Global;
    const folder = path.join(sharedFolder, 'windows');
    // A file that is being written has another ending.
    const names = async (): Promise<string[]> =>
      (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
    const windows = async (): Promise<number> => (await names()).length;
    assert.equal(await windows(), 0);
    await setSetting(settingIds.toolsExternalClients, true, target);
    try {
      await eventually('the file of the window', async () => assert.equal(await windows(), 1));
      const [name = ''] = await names();
      const text = await readFile(path.join(folder, name), 'utf8');
      const { authorization, url } = z.object({ authorization: z.string(), url: z.string() }).parse(JSON.parse(text));
      await setSetting(settingIds.toolsEnabled, false, target);
      await eventually('no file while the tools are off', async () => assert.equal(await windows(), 0));
      await eventually('its token refused', async () => {
        const headers = { Authorization: authorization };
        assert.equal((await fetch(url, { method: 'POST', headers, body: '{}' })).status, 401);
      });
      await setSetting(settingIds.toolsEnabled, undefined, target);
      await eventually('the file again', async () => assert.equal(await windows(), 1));
      await running.stop?.();
      assert.equal(await windows(), 0);
    } finally {
      await setSetting(settingIds.toolsEnabled, undefined, target);
      await setSetting(settingIds.toolsExternalClients, undefined, target);
    }
  });

  it('know what a file declares', async () => {
    await tells(
      'outline',
      { path: 'tools/shape.ts' },
      /^tools\/shape\.ts\n1-3 interface Shape\n {2}2 method area\n5-10 class Square\n[^]*\n13-15 function total/,
    );
    assert.match((await ask('outline', { path: 'tools/hidden/leak.ts' })).text, /backline\.exclude/);
  });

  it('find every use of a symbol by whatever name, and no namesake, and no excluded file', async () => {
    const text = await tells('references', { path: 'tools/shape.ts', symbol: 'total' }, /use\.ts/);
    assert.match(
      text,
      /^\d references of `total` \(tools\/shape\.ts:13\) in 2 files\ntools\/shape\.ts\n {2}13: export function total/,
    );
    assert.match(text, /7: return sumOf\(\[new Square\(2\)\]\);/);
    assert.doesNotMatch(text, /is not used here|console|leak|hidden/);
  });

  it('go to definitions and implementations, and up the calls', async () => {
    await tells(
      'definition',
      { path: 'tools/use.ts', symbol: 'sumOf', line: 7 },
      /^1 definition of `sumOf` \(tools\/use\.ts:7\)\ntools\/shape\.ts:13\n[^]*13: export function total\(shapes/,
    );
    await tells(
      'definition',
      { path: 'tools/shape.ts', symbol: 'shapes', line: 14, kind: 'type' },
      /outside the workspace/,
    );
    await tells('implementations', { path: 'tools/shape.ts', symbol: 'Shape.area' }, /shape\.ts\n {2}7: area\(\)/);
    const callers = await tells('call_hierarchy', { path: 'tools/shape.ts', symbol: 'total' }, /use\.ts/);
    assert.match(callers, /tools\/use\.ts:5 function run — in line 7: return sumOf/);
    assert.doesNotMatch(callers, /leak/);
    await tells(
      'call_hierarchy',
      { path: 'tools/use.ts', symbol: 'run', direction: 'outgoing' },
      /shape\.ts:13 function total/,
    );
  });

  it('give types and documentation, and no value of an excluded file', async () => {
    const text = await tells(
      'hover',
      { path: 'tools/shape.ts', symbol: 'total' },
      /function total\(shapes: readonly Shape\[\]\): number/,
    );
    assert.match(text, /Adds up areas\./);
    const hidden = await call('hover', { path: 'tools/use.ts', symbol: 'password', line: 6 });
    assert.equal(hidden, 'There is no hover information for `password` (tools/use.ts:6).');
    const definition = await call('definition', { path: 'tools/use.ts', symbol: 'password', line: 6 });
    assert.doesNotMatch(definition, /leak|swordfish/);
  });

  it('give no value of an excluded file that a type is inferred from, directly or not', async () => {
    await tells('hover', { path: 'tools/copy.ts', symbol: 'mode', line: 4 }, /mode: "fast"/);
    for (const [file, symbol, line] of [
      ['copy', 'copied', 2],
      ['copy', 'copiedPort', 3],
      ['further', 'again', 2],
    ] as const) {
      const text = await call('hover', { path: `tools/${file}.ts`, symbol, line });
      assert.equal(text, `There is no hover information for \`${symbol}\` (tools/${file}.ts:${line}).`);
    }
  });

  it("are there for VS Code's chat too, which changes files only if it may", async () => {
    const ask = async (name: string, input: object): Promise<string> => {
      const { content } = await vscode.lm.invokeTool(`backline_${name}`, { input, toolInvocationToken: undefined });
      return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
    };
    const outline = (): Promise<string> => ask('outline', { path: 'tools/shape.ts', depth: 1 });
    await eventually('the outline', async () => assert.match(await outline(), /5-10 class Square \(\d inside\)/));
    await writeInWorkspace('tools/ugly.ts', 'export const ugly   =  1 ;\n');
    chatCaller.answer = () => Promise.resolve({ isGranted: false, reason: 'The user said no.' });
    await eventually('the refusal', () =>
      assert.rejects(ask('format', { path: 'tools/ugly.ts' }), /The user said no\./),
    );
    chatCaller.answer = () => Promise.resolve({ isGranted: true });
    assert.match(await ask('format', { path: 'tools/ugly.ts' }), /^Formatted tools\/ugly\.ts/);
    assert.equal(await readFile(inWorkspace('tools/ugly.ts'), 'utf8'), 'export const ugly = 1;\n');
  });

  it('find declarations in the whole workspace', async () => {
    await tells(
      'find_symbol',
      { query: 'Square', near: 'tools/use.ts' },
      /tools\/shape\.ts\n {2}5: export class Square.*\[class Square/,
    );
    assert.doesNotMatch(await call('find_symbol', { query: 'leaked' }), /leak\.ts/);
    await tells('references', { symbol: 'Square' }, /use\.ts/);
  });

  it('read and find what is not saved', async () => {
    const opened = await show(inWorkspace('tools/slow.txt'));
    await type(opened, new vscode.Position(0, 0), 'quick ');
    assert.match(
      await call('read_file', { path: 'tools/slow.txt' }),
      /slow\.txt, lines 1 to 2 of 2, version \w+, not saved[^]*1\tquick slow one/,
    );
    assert.match(
      await call('search', { pattern: 'quick slow', include: 'tools/**' }),
      /1 line in 1 file\ntools\/slow\.txt\n {2}1: quick slow one/,
    );
    assert.match(await call('search', { pattern: '^slow', regex: true, include: 'tools/*.txt' }), /Nothing was found/);
    assert.match(await call('search', { pattern: 'quick', include: '*.ts' }), /Nothing was found/);
  });

  it('find text as ripgrep does, in no excluded file', async () => {
    const text = await call('search', {
      pattern: 'total',
      whole_word: true,
      case_sensitive: true,
      near: 'tools/use.ts',
    });
    assert.match(text, /^\d lines in 2 files\ntools\/use\.ts\n {2}1: import/);
    assert.match(text, /tools\/shape\.ts/);
    assert.match(await call('search', { pattern: 'total', include: 'tools/shape.*' }), /in 1 file\ntools\/shape\.ts/);
    await writeInWorkspace('tools/.gitignore', 'built.ts\n');
    await writeInWorkspace('tools/built.ts', 'total');
    await writeInWorkspace('tools/.ignore', 'built.ts\n');
    for (const include of ['*.ts', 'tools/*.ts', undefined])
      assert.match(await call('search', { pattern: 'total', include }), /^(?![^]*built)[^]*shape\.ts/);
    assert.equal(await call('search', { pattern: 'swordfish' }), 'Nothing was found.');
    await setSetting('search.exclude', { '**/shape.ts': true });
    try {
      await eventually('the exclusion', async () =>
        assert.doesNotMatch(await call('search', { pattern: 'total' }), /shape\.ts/),
      );
    } finally {
      await setSetting('search.exclude', undefined);
    }
    const { isError, text: problem } = await ask('search', { pattern: '(', regex: true });
    assert.ok(isError);
    assert.match(problem, /The search failed: [^]*unclosed group/);
  });

  it('tell problems, the selection and what is open', async () => {
    assert.match(await call('problems', { path: 'tools/wrong.ts' }), /many language servers check only open files/);
    assert.equal(await call('open', { path: 'tools/wrong.ts', line: 1 }), 'The user sees tools/wrong.ts at line 1.');
    await tells(
      'problems',
      { path: 'tools' },
      /tools\/wrong\.ts\n {2}1: error \(ts 2322\): Type 'string' is not.*\| export const size/,
    );
    const opened = await show(inWorkspace('tools/shape.ts'));
    opened.selection = new vscode.Selection(4, 13, 4, 19);
    await tells('selection', {}, /^tools\/shape\.ts\nSelected in line 5:\nSquare$/);
    await tells('open_editors', {}, /tools\/shape\.ts \(active\)/);
    await show(inWorkspace('tools/hidden/leak.ts'));
    await tells('open_editors', {}, /^(?![^]*leak)/);
    await call('show_diff', { path: 'tools/shape.ts', text: 'nothing\n', title: 'All gone' });
    await until('the diff is shown', () =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label === 'All gone')),
    );
  });

  it('do not wait for a language server that hangs, and let a call be cancelled', async () => {
    let asked = 0;
    const selector = { pattern: '**/slow.txt' };
    const provider = vscode.languages.registerReferenceProvider(selector, {
      provideReferences: () => {
        asked++;
        return new Promise(() => undefined);
      },
    });
    const failing = vscode.languages.registerDefinitionProvider(selector, {
      provideDefinition: () => Promise.reject(new Error('crashed')),
    });
    try {
      const input = { path: 'tools/slow.txt', symbol: 'slow', line: 1 };
      const late = ask('references', input);
      await until('it was asked', () => asked > 0);
      const params = { name: 'references', arguments: { ...input, symbol: 'one' } };
      const cancelled = post({ id: 'mine', method: 'tools/call', params });
      await until('both were asked', () => asked > 1);
      await post({ method: 'notifications/cancelled', params: { requestId: 'mine' } });
      assert.equal((await cancelled).status, 202);
      assert.match(await call('definition', input), /There are no definitions[^]*may be missing or still starting/);
      const { isError, text } = await late;
      assert.ok(isError);
      assert.match(text, /did not answer within 12 s/);
    } finally {
      provider.dispose();
      failing.dispose();
    }
  });
});
