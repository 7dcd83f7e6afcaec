import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { PluginFile, userPluginFolder } from '../../../../src/amp/node/pluginFile';

describe('the file of the diagnostics plugin', () => {
  let root: string;
  let folder: string;
  const plugin = (source = 'export default 1;\n', version = '1.2.3'): PluginFile =>
    new PluginFile(folder, source, version);

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'backline-plugin-'));
    folder = path.join(root, 'amp', 'plugins');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('is installed with its folders, its version in the first line, and nothing beside it', async () => {
    assert.deepEqual(await plugin().readState(), { kind: 'absent' });
    await plugin().install();
    assert.deepEqual(await plugin().readState(), { kind: 'ours', version: '1.2.3', age: 'current' });
    assert.match(await readFile(plugin().file, 'utf8'), /^\/\/ backline-diagnostics 1\.2\.3: .*\nexport default 1;\n$/);
    assert.deepEqual(await readdir(folder), ['backline-diagnostics.ts']);
  });

  it('is older, newer or edited against this version, and replaced by it', async () => {
    const others = [
      ['1.0.0', 'older'],
      ['1.2.10', 'newer'],
      ['1.2.3', 'edited'],
    ] as const;
    for (const [version, age] of others) {
      await plugin('another text', version).install();
      assert.deepEqual(await plugin().readState(), { kind: 'ours', version, age });
    }
    await plugin().install();
    assert.deepEqual(await plugin().readState(), { kind: 'ours', version: '1.2.3', age: 'current' });
  });

  it('stays inside the workspace folder despite links', async () => {
    const workspace = path.join(root, 'ws');
    const outside = path.join(root, 'outside');
    await mkdir(path.join(workspace, '.amp'), { recursive: true });
    const plugins = path.join(workspace, '.amp', 'plugins');
    const inWorkspace = new PluginFile(plugins, 'export default 1;\n', '1.2.3', workspace);
    // Dangling first, then leading somewhere.
    await symlink(outside, plugins);
    for (const step of [() => undefined, () => mkdir(outside)]) {
      await step();
      assert.deepEqual(await inWorkspace.readState(), { kind: 'outside' });
      await assert.rejects(inWorkspace.install(), /link that leads out of the workspace/);
    }
    assert.deepEqual(await readdir(outside), []);
    await rm(plugins);
    await inWorkspace.install();
    await inWorkspace.remove();
    assert.deepEqual(await readdir(workspace), []);
  });

  it('counts as current with the line endings of Windows', async () => {
    await plugin().install();
    const text = await readFile(plugin().file, 'utf8');
    await writeFile(plugin().file, text.replaceAll('\n', '\r\n'));
    assert.deepEqual(await plugin().readState(), { kind: 'ours', version: '1.2.3', age: 'current' });
  });

  it('is removed, once or twice', async () => {
    await plugin().install();
    await plugin().remove();
    await plugin().remove();
    assert.deepEqual(await plugin().readState(), { kind: 'absent' });
    assert.deepEqual(await readdir(path.dirname(folder)), []);
    await plugin().install();
    await writeFile(path.join(folder, 'other.ts'), '');
    await plugin().remove();
    assert.deepEqual(await readdir(folder), ['other.ts']);
  });

  it('never changes a file that Backline did not create', async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(plugin().file, 'export default mine;\n');
    assert.deepEqual(await plugin().readState(), { kind: 'foreign' });
    await assert.rejects(plugin().install(), /backline-diagnostics\.ts was not created by Backline.*Move it/);
    await assert.rejects(plugin().remove(), /left unchanged/);
    assert.equal(await readFile(plugin().file, 'utf8'), 'export default mine;\n');
    assert.deepEqual(await readdir(folder), ['backline-diagnostics.ts']);
  });

  it('treats a link or folder with that name as foreign', async () => {
    await plugin().install();
    const target = path.join(root, 'target.ts');
    await writeFile(target, await readFile(plugin().file));
    await plugin().remove();
    await mkdir(folder, { recursive: true });
    await symlink(target, plugin().file);
    assert.deepEqual(await plugin().readState(), { kind: 'foreign' });
    await rm(plugin().file);
    await mkdir(plugin().file);
    assert.deepEqual(await plugin().readState(), { kind: 'foreign' });
  });

  it('reports which folder cannot be made', async () => {
    await writeFile(path.join(root, 'amp'), '');
    await assert.rejects(plugin().install(), /Make sure that you can write to .*plugins/);
  });

  it('goes where Amp looks', () => {
    assert.equal(userPluginFolder({}, '/home/u'), path.join('/home/u', '.config', 'amp', 'plugins'));
    assert.equal(
      userPluginFolder({ XDG_CONFIG_HOME: '' }, '/home/u'),
      path.join('/home/u', '.config', 'amp', 'plugins'),
    );
    assert.equal(userPluginFolder({ XDG_CONFIG_HOME: '/c' }, '/home/u'), path.join('/c', 'amp', 'plugins'));
  });
});
