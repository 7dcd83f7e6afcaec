import assert from 'node:assert/strict';
import { lookupCommand } from '../../../../src/acp/node/process/commandLookup';
import { ampCommand, type StartableProgram } from '../../../../src/amp/node/ampCommand';
import { findAmp } from '../../../../src/amp/node/findAmp';

/** How the CLI is started on a Windows with these files. */
async function onWindows(disk: Readonly<Record<string, string>>): Promise<StartableProgram | undefined> {
  const env = { Path: 'C:\\npm;C:\\node' };
  const platform = 'win32';
  const has = (file: string): boolean => Object.hasOwn(disk, file);
  const files = {
    kindOf: (file: string) => Promise.resolve(has(file) ? ('executable' as const) : ('missing' as const)),
    readHead: (file: string) => Promise.resolve(disk[file] ?? ''),
  };
  const isExecutable = (file: string): Promise<boolean> => Promise.resolve(has(file));
  const amp = await findAmp({ platform, env, homeFolder: 'C:\\Users\\u', isExecutable });
  return await ampCommand(amp, (file) => lookupCommand(file, { platform, env, cwd: 'C:\\', files }));
}

describe('starting the Amp CLI without a shell', () => {
  it('starts the script behind the batch file of npm: Node.js starts no batch file', async () => {
    const shim = '@node "%~dp0\\node_modules\\@sourcegraph\\amp\\dist\\main.js" %*\r\n';
    assert.deepEqual(await onWindows({ 'C:\\npm\\amp.cmd': shim, 'C:\\node\\node.exe': '' }), {
      file: 'C:\\node\\node.exe',
      args: ['C:\\npm\\node_modules\\@sourcegraph\\amp\\dist\\main.js'],
    });
  });

  it('starts a program as it is', async () => {
    assert.deepEqual(await onWindows({ 'C:\\npm\\amp.exe': '' }), { file: 'C:\\npm\\amp.exe', args: [] });
  });

  it('reports a missing program, and returns undefined without the CLI', async () => {
    await assert.rejects(onWindows({ 'C:\\npm\\amp.cmd': '@echo off\r\n' }), { reason: 'needsShell' });
    assert.equal(await onWindows({}), undefined);
  });
});
