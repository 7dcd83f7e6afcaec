import assert from 'node:assert/strict';
import { findAmp, type FindAmpOptions, type FoundAmp } from '../../../../src/amp/node/findAmp';

function find(files: readonly string[], options: Partial<FindAmpOptions>): Promise<FoundAmp | undefined> {
  return findAmp({
    platform: 'linux',
    env: {},
    homeFolder: '/home/u',
    isExecutable: (file) => Promise.resolve(files.includes(file)),
    ...options,
  });
}

describe('finding the Amp CLI', () => {
  it('takes the first one on PATH', async () => {
    const env = { PATH: '/usr/bin:/opt/bin' };
    assert.deepEqual(await find(['/opt/bin/amp', '/home/u/.amp/bin/amp'], { env }), {
      file: '/opt/bin/amp',
      isOnPath: true,
    });
  });

  it('else looks where the installer puts it', async () => {
    assert.deepEqual(await find(['/home/u/.local/bin/amp'], {}), { file: '/home/u/.local/bin/amp', isOnPath: false });
    assert.deepEqual(await find(['/home/u/.amp/bin/amp'], {}), { file: '/home/u/.amp/bin/amp', isOnPath: false });
    assert.equal((await find(['/x/bin/amp'], { env: { AMP_HOME: '/x' } }))?.file, '/x/bin/amp');
  });

  it('finds nothing if it is not installed', async () => {
    assert.equal(await find([], { env: { PATH: '/usr/bin' } }), undefined);
  });

  it('ignores relative entries of PATH', async () => {
    assert.equal(await find(['bin/amp', './amp', 'amp'], { env: { PATH: 'bin:.:' } }), undefined);
  });

  it('reads Path, quotes and PATHEXT on Windows', async () => {
    const env = { Path: 'C:\\w;"C:\\my; tools"', PATHEXT: '.EXE;.CMD' };
    const windows = { platform: 'win32', homeFolder: 'C:\\Users\\u' } as const;
    assert.deepEqual(await find(['C:\\w\\amp.cmd'], { ...windows, env }), { file: 'C:\\w\\amp.cmd', isOnPath: true });
    assert.equal((await find(['C:\\Users\\u\\.local\\bin\\amp.exe'], windows))?.isOnPath, false);
  });

  it('ignores scripts of other programs on Windows', async () => {
    const env = { Path: 'C:\\w', PATHEXT: '.EXE;.JS;.VBS' };
    assert.equal(await find(['C:\\w\\amp.js', 'C:\\w\\amp.vbs'], { platform: 'win32', env }), undefined);
  });
});
