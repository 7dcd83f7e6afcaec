import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { AmpServer } from '../../../../src/amp/node/ampServer';
import { PluginFile } from '../../../../src/amp/node/pluginFile';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { Diagnostic } from '../../../../src/editor/common/editorPort';
import { disabledTrafficTap } from '../../../../src/wire/common/traffic';
import { FakeEditor } from '../../../fake/fakeEditor';
import { nobodyToAsk } from '../../../fake/nobodyToAsk';

interface FakeAmp {
  readonly system: { readonly workspaceRoot: URL };
  readonly registerTool: (tool: unknown) => void;
}

/** What the Amp CLI does with a plugin: loads the installed file, and calls the tools it registers. */
const Plugin = z.object({
  default: z.custom<(amp: FakeAmp) => void>((value) => typeof value === 'function'),
});
const Tool = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.object({ required: z.array(z.string()) }),
  execute: z.custom<(input: Record<string, unknown>) => Promise<string>>((value) => typeof value === 'function'),
});

const diagnostic: Diagnostic = {
  range: { start: { line: 1, character: 4 }, end: { line: 1, character: 9 } },
  severity: 'error',
  message: 'Cannot find name',
  source: 'ts',
  code: '2304',
  lineText: '    hello();',
  startOffset: 20,
  endOffset: 25,
};

describe('the diagnostics plugin for Amp', () => {
  let root: string;
  let lockfiles: string;
  let tool: z.infer<typeof Tool>;
  const env = { HOME: process.env['HOME'], XDG_DATA_HOME: process.env['XDG_DATA_HOME'] };
  const servers: AmpServer[] = [];
  const mute: Server[] = [];

  const inRoot = (...names: string[]): string => path.join(root, ...names);

  async function serve(editor: FakeEditor, ideName = 'Visual Studio Code'): Promise<AmpServer> {
    const server = new AmpServer({
      editor,
      protectedEdits: nobodyToAsk(editor),
      policy: () => ({}),
      ideName,
      log: nullLogger,
      clock: systemClock,
      traffic: disabledTrafficTap,
      portRange: { first: 47_800, last: 47_900 },
      lockfileFolders: [lockfiles],
      pid: process.pid,
      version: '0.0.0',
    });
    servers.push(server);
    await server.start();
    return server;
  }

  async function file(...names: string[]): Promise<string> {
    const name = inRoot(...names);
    await mkdir(path.dirname(name), { recursive: true });
    await writeFile(name, 'one\n    hello();\n');
    return name;
  }

  before(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-diagnostics ')));
    const source = await readFile('src/amp/plugin/backlineDiagnostics.ts', 'utf8');
    await mkdir(inRoot('plugins'));
    await writeFile(inRoot('plugins', 'package.json'), '{"type":"module"}');
    const plugin = new PluginFile(inRoot('plugins'), source, '1.2.3');
    await plugin.install();
    const tools: unknown[] = [];
    const loaded = Plugin.parse(await import(pathToFileURL(plugin.file).href));
    const workspaceRoot = pathToFileURL(inRoot('ws'));
    loaded.default({ system: { workspaceRoot }, registerTool: (registered) => tools.push(registered) });
    assert.equal(tools.length, 1);
    tool = Tool.parse(tools[0]);
    lockfiles = inRoot('home', '.local', 'share', 'amp', 'ide');
    process.env['HOME'] = inRoot('home');
    delete process.env['XDG_DATA_HOME'];
  });

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    await Promise.all(mute.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
    await rm(inRoot('home'), { recursive: true, force: true });
  });

  after(async () => {
    for (const [name, value] of Object.entries(env)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    await rm(root, { recursive: true, force: true });
  });

  it('registers a tool that needs a path', () => {
    assert.equal(tool.name, 'get_diagnostics');
    assert.deepEqual(tool.inputSchema.required, ['path']);
  });

  it('shows the problems of a file, with places as compilers print them', async () => {
    const name = await file('ws', 'a.ts');
    const editor = new FakeEditor({ [name]: '' }, [inRoot('ws')]);
    editor.setDiagnostics(name, [diagnostic, { ...diagnostic, severity: 'warning', message: 'Unused' }]);
    await serve(editor);
    assert.equal(
      await tool.execute({ path: name }),
      [
        '2 problems in VS Code:',
        'a.ts:2:5 error: Cannot find name (ts 2304)',
        '    hello();',
        'a.ts:2:5 warning: Unused (ts 2304)',
        '    hello();',
      ].join('\n'),
    );
    assert.match(await tool.execute({ path: 'a.ts' }), /^2 problems/, 'relative to the workspace of the session');
  });

  it('shows the problems below a folder, and reports when there are none', async () => {
    const [one, two] = [await file('ws', 'a.ts'), await file('ws', 'deep', 'b.ts')];
    const editor = new FakeEditor({ [one]: '', [two]: '' }, [inRoot('ws')]);
    editor.setDiagnostics(two, [diagnostic]);
    await serve(editor);
    assert.match(await tool.execute({ path: inRoot('ws') }), /^1 problem in VS Code:\n.*b\.ts:2:5 error/);
    assert.equal(await tool.execute({ path: one }), `VS Code shows no problems for ${one}.`);
  });

  it('asks the window with the closest folder, and leaves other editors alone', async () => {
    const name = await file('ws', 'web', 'src', 'a.ts');
    const windows = [
      { folder: inRoot('ws'), ideName: 'Visual Studio Code', message: 'from the outer window' },
      { folder: inRoot('ws', 'web'), ideName: 'Visual Studio Code', message: 'from the closest window' },
      { folder: inRoot('ws', 'web', 'src'), ideName: 'nvim', message: 'from another editor' },
    ];
    for (const { folder, ideName, message } of windows) {
      const editor = new FakeEditor({ [name]: '' }, [folder]);
      editor.setDiagnostics(name, [{ ...diagnostic, message }]);
      await serve(editor, ideName);
    }
    assert.match(await tool.execute({ path: name }), /from the closest window/);
  });

  it('finds the window of a folder that was opened through a link', async () => {
    await file('real', 'a.ts');
    await symlink(inRoot('real'), inRoot('link'));
    const linked = inRoot('link', 'a.ts');
    const editor = new FakeEditor({ [linked]: '' }, [inRoot('link')]);
    editor.setDiagnostics(linked, [diagnostic]);
    await serve(editor);
    assert.match(await tool.execute({ path: inRoot('real', 'a.ts') }), /1 problem/);
  });

  it('explains what to do when no window has the folder', async () => {
    const name = await file('ws2', 'a.ts');
    await serve(new FakeEditor({}, [inRoot('ws')]));
    assert.match(await tool.execute({ path: name }), /No VS Code window serves .*Open its folder in VS Code/);
  });

  it('says so when there is no such file, or no path', async () => {
    assert.match(await tool.execute({ path: inRoot('ws', 'missing.ts') }), /There are no diagnostics for .*ENOENT/);
    assert.match(await tool.execute({}), /Give the path/);
  });

  it('passes over lockfiles that are broken, of dead processes, or not meant for it', async () => {
    const name = await file('ws', 'a.ts');
    await mkdir(lockfiles, { recursive: true });
    const lockfile = { port: 1, authToken: 't', pid: 2 ** 30, ideName: 'Visual Studio Code', workspaceFolders: [root] };
    await writeFile(path.join(lockfiles, '1.json'), JSON.stringify(lockfile));
    await writeFile(path.join(lockfiles, '2.json'), '{');
    await writeFile(path.join(lockfiles, '3.json'), JSON.stringify({ ...lockfile, pid: process.pid, port: 'no' }));
    await writeFile(path.join(lockfiles, '4.tmp'), JSON.stringify({ ...lockfile, pid: process.pid }));
    assert.match(await tool.execute({ path: name }), /No VS Code window serves/);
  });

  it('shows why the editor refuses', async () => {
    const name = await file('ws', '.env');
    await serve(new FakeEditor({ [name]: '' }, [inRoot('ws')]));
    assert.match(await tool.execute({ path: name }), /VS Code did not answer: .*exclude list/);
  });

  it('gives up on a window that does not answer, in about two seconds', async () => {
    const name = await file('ws', 'a.ts');
    const silent = createServer((socket) => socket.on('error', () => socket.destroy()).resume());
    mute.push(silent);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    assert.ok(address !== null && typeof address === 'object');
    await mkdir(lockfiles, { recursive: true });
    const lockfile = { authToken: 't', pid: process.pid, ideName: 'Visual Studio Code', workspaceFolders: [root] };
    await writeFile(path.join(lockfiles, '1.json'), JSON.stringify({ ...lockfile, port: address.port }));
    assert.match(await tool.execute({ path: name }), /no answer within 2000 ms.*Restart Amp Server/);
  });
});
