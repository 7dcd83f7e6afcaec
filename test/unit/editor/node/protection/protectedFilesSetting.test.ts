import assert from 'node:assert/strict';
import { Emitter } from '../../../../../src/base/common/event';
import { ProtectedFilesSetting } from '../../../../../src/editor/node/protection/protectedFilesSetting';
import { MemoryLogger } from '../../../amplifier/node/clientHarness';

describe('ProtectedFilesSetting', () => {
  const isProtected = (setting: ProtectedFilesSetting, relativePath: string): boolean =>
    setting.files.protectionOf([{ path: `/ws/${relativePath}`, relativePath }]) !== undefined;

  it('uses the current settings, and the defaults before they are read', () => {
    let patterns = ['*.sh'];
    const changes = new Emitter<void>((error) => {
      throw error;
    });
    const setting = new ProtectedFilesSetting({
      log: new MemoryLogger(),
      patterns: () => patterns,
      onDidChange: changes.event,
    });
    assert.equal(isProtected(setting, '.vscode/tasks.json'), true);
    setting.start();
    assert.deepEqual([isProtected(setting, '.vscode/tasks.json'), isProtected(setting, 'a.sh')], [false, true]);
    patterns = ['.vscode'];
    changes.fire();
    assert.deepEqual([isProtected(setting, '.vscode/tasks.json'), isProtected(setting, 'a.sh')], [true, false]);
    setting.dispose();
    patterns = [];
    changes.fire();
    assert.equal(isProtected(setting, '.vscode/tasks.json'), true);
  });

  it('compiles the globs when they are first needed', () => {
    let reads = 0;
    const setting = new ProtectedFilesSetting({
      log: new MemoryLogger(),
      patterns: () => {
        reads++;
        return ['*.sh'];
      },
      onDidChange: () => ({ dispose: () => undefined }),
    });
    setting.start();
    assert.equal(reads, 0);
    assert.equal(isProtected(setting, 'a.sh'), true);
    assert.equal(setting.files, setting.files);
    assert.equal(reads, 1);
    setting.dispose();
  });

  it('reports globs that are invalid or too long', () => {
    const log = new MemoryLogger();
    const patterns = ['{1..3}', '*'.repeat(1_001), '*-b'];
    const setting = new ProtectedFilesSetting({
      log,
      patterns: () => patterns,
      onDidChange: () => ({ dispose: () => undefined }),
    });
    setting.start();
    assert.equal(isProtected(setting, 'a-b'), true);
    assert.equal(isProtected(setting, 'a'), false);
    assert.equal(log.lines.length, 2);
    assert.match(log.lines[0] ?? '', /"\{1\.\.3\}" in backline\.protectedFiles is not a valid glob/);
    assert.match(log.lines[1] ?? '', /is not a valid glob and protects nothing: it has more than 1000 characters/);
    setting.dispose();
  });
});
